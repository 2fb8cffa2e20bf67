/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

#include "object/secname.h"
#include "kernel/names.h"

static void test_words(void **state)
{
	(void)state;
	for (const struct secname *s = secnames; s->prefix; s++) {
		if (names_value(&names_prog_type, s->type) < 0)
			fail_msg("%s: the kernel has no program type %s", s->prefix, s->type);
		if (s->attach_type && names_value(&names_attach_type, s->attach_type) < 0)
			fail_msg("%s: the kernel has no attach type %s", s->prefix, s->attach_type);
		for (const struct secname *t = secnames; t < s; t++)
			assert_string_not_equal(t->prefix, s->prefix);
	}
}

static int print_nothing(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

/* What this libbpf does not know is newer than it; what it knows it must know as we do, names that fit only nearly as well. */
static void beside_libbpf(const char *name, unsigned *known)
{
	struct secname_guess ours = secname_guess(name);
	enum bpf_attach_type attach = 0;
	enum bpf_prog_type type = 0;

	if (libbpf_prog_type_by_name(name, &type, &attach))
		return;
	++*known;
	if (!ours.rule)
		fail_msg("libbpf knows %s as %s", name, names_of(&names_prog_type, type));
	if (names_value(&names_prog_type, ours.rule->type) != (int)type)
		fail_msg("%s: libbpf says %s, we say %s", name, names_of(&names_prog_type, type), ours.rule->type);
	if (ours.rule->attach_type ? names_value(&names_attach_type, ours.rule->attach_type) != (int)attach : attach != 0)
		fail_msg("%s: libbpf says attach type %s, we say %s", name, names_of(&names_attach_type, attach),
			 ours.rule->attach_type);
}

static void test_libbpf(void **state)
{
	static const char *const more[] = {
		"cgroup", "cgroup/", "xdp/", "xdp/x", "xdpx", "tc/x", "sk_skb/x", "kprobes", "kprobe.x/f", "iter.s/task", "syscall/x",
		"?kprobe/f", "", "/", "kprobe/a/b", "socket1", "usdt/path:provider:name", "struct_ops/f", "sk_reuseport/x",
	};
	unsigned known = 0;
	char name[64];

	(void)state;
	libbpf_set_print(print_nothing);
	for (const struct secname *s = secnames; s->prefix; s++) {
		int n = (int)strcspn(s->prefix, "+");

		for (unsigned k = 0; k < 3; k++) {
			snprintf(name, sizeof(name), "%.*s%s", n, s->prefix, k == 0 ? "" : k == 1 ? "/" : "/target");
			beside_libbpf(name, &known);
		}
	}
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		beside_libbpf(more[i], &known);
	/* Of libbpf 1.1. */
	assert_true(known >= 100);
}

static void test_guess(void **state)
{
	struct secname_guess g;

	(void)state;
	g = secname_guess("?uprobe.multi.s//bin/sh:main");
	assert_true(g.manual);
	assert_string_equal(g.rule->type, "kprobe");
	assert_string_equal(g.rule->attach_type, "trace_uprobe_multi");
	assert_true(g.rule->sleepable);
	assert_string_equal(g.target, "/bin/sh:main");
	g = secname_guess("kprobe");
	assert_false(g.manual);
	assert_null(g.target);
	assert_string_equal(g.rule->type, "kprobe");
	assert_null(secname_guess("kprobes").rule);
	assert_null(secname_guess(".text").rule);
	assert_null(secname_guess("xdp/x").rule);
	assert_null(secname_guess("").rule);
	assert_null(secname_guess("?").rule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_libbpf),
		cmocka_unit_test(test_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
