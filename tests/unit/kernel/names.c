/* SPDX-License-Identifier: BSD-2-Clause */
#include <strings.h>
#include "base/base.h"
#include "../test.h"
#include "kernel_enum.h"
#include "kernel/names.h"

static const struct name_table *const tables[] = {
	&names_prog_type, &names_map_type, &names_link_type, &names_attach_type, &names_map_flag,
};
static const struct name_table *current;

static void test_words(void **state)
{
	(void)state;
	assert_string_equal(names_of(&names_prog_type, 0), "unspec");
	assert_string_equal(names_of(&names_prog_type, 6), "xdp");
	assert_string_equal(names_of(&names_prog_type, 32), "netfilter");
	assert_null(names_of(&names_prog_type, 33));
	assert_null(names_of(&names_prog_type, UINT64_MAX));
	assert_null(names_of(&names_prog_type, 1ull << 32));
	assert_string_equal(names_of(&names_map_type, 35), "rhash");
	assert_string_equal(names_of(&names_map_flag, 10), "mmapable");
	assert_string_equal(names_of(&names_link_type, 7), "perf_event");
	assert_string_equal(names_of(&names_link_type, 15), "tracing_multi");
	assert_string_equal(names_of(&names_attach_type, 26), "modify_return");
	assert_string_equal(names_of(&names_attach_type, 61), "trace_fsession_multi");
}

static void test_both_ways(void **state)
{
	(void)state;
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		for (unsigned i = 0; i < tables[t]->n; i++) {
			assert_non_null(names_of(tables[t], i));
			assert_int_equal(names_value(tables[t], names_of(tables[t], i)), i);
		}
		assert_int_equal(names_value(tables[t], ""), -1);
		assert_int_equal(names_value(tables[t], "XDP"), -1);
	}
}

static void check_word(const char *name, unsigned value)
{
	const char *word = names_of(current, value);
	size_t n;

	/* End marks are not names; old aliases have the same value. */
	if (!strncmp(name, "max_", 4) || !strncmp(name, "__max", 5))
		return;
	if (!word)
		fail_msg("%s %u: the running kernel's %s has no word: add it to src/kernel/names.c", current->what,
			 value, name);
	n = strlen(word);
	if (strncmp(name, word, n) || (name[n] && strcmp(name + n, "_deprecated")))
		fail_msg("%s %u: the kernel says %s, we say %s", current->what, value, name, word);
}

static void test_kernel(void **state)
{
	(void)state;
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		current = tables[t];
		if (!current->btf_enum)
			continue;
		if (kernel_enum(current->btf_enum, current->prefix, check_word) < 0)
			skip_because("the kernel has no BTF");
	}
}

/* The names of flags are those of the enum that has the first one. */
static const struct btf_type *flags_enum(const struct btf *btf, const char *first)
{
	for (unsigned id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_is_enum(t) && btf_vlen(t) && !strcmp(btf__name_by_offset(btf, btf_enum(t)->name_off), first))
			return t;
	}
	return NULL;
}

static void test_kernel_flags(void **state)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *t = btf ? flags_enum(btf, "BPF_F_NO_PREALLOC") : NULL;

	(void)state;
	if (!t) {
		btf__free(btf);
		skip_because("the kernel has no BTF");
	}
	assert_true(btf_vlen(t) >= 10 && btf_vlen(t) <= 32);
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		const char *name = btf__name_by_offset(btf, btf_enum(t)[i].name_off);
		const uint32_t flag = (uint32_t)btf_enum(t)[i].val;
		const char *word = names_of(&names_map_flag, (unsigned)__builtin_ctz(flag));

		assert_int_equal(flag & (flag - 1), 0);
		assert_int_equal(strncmp(name, names_map_flag.prefix, 6), 0);
		if (!word || strcasecmp(name + 6, word))
			fail_msg("the kernel's %s is not in src/kernel/names.c", name);
	}
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_kernel_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
