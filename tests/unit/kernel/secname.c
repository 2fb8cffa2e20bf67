/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

#include "kernel/secname.h"
#include "kernel/abi.h"
#include "kernel/hooks.h"
#include "kernel/names.h"

static int print_nothing(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

/* Section names that this libbpf does not know are newer than it; for all others both must agree, also for names that
 * fit only nearly. */
static void beside_libbpf(const char *name, unsigned *known)
{
	struct secname_guess ours = secname_guess(name);
	enum bpf_attach_type attach = 0;
	enum bpf_prog_type type = 0;
	const char *word;

	if (libbpf_prog_type_by_name(name, &type, &attach))
		return;
	++*known;
	if (!ours.hook)
		fail_msg("libbpf knows %s as %s", name, names_of(&names_prog_type, type));
	if (ours.hook->progs[0] != type)
		fail_msg("%s: libbpf says %s, we say %s", name, names_of(&names_prog_type, type),
			 names_of(&names_prog_type, ours.hook->progs[0]));
	word = secname_attach_type(ours.hook);
	if (word ? names_value(&names_attach_type, word) != (int)attach : attach != 0)
		fail_msg("%s: libbpf says attach type %s, we say %s", name, names_of(&names_attach_type, attach), word);
}

static void test_libbpf(void **state)
{
	static const char *const more[] = {
		"cgroup",
		"cgroup/",
		"xdp/",
		"xdp/x",
		"xdpx",
		"tc/x",
		"sk_skb/x",
		"kprobes",
		"kprobe.x/f",
		"iter.s/task",
		"syscall/x",
		"?kprobe/f",
		"",
		"/",
		"kprobe/a/b",
		"socket1",
		"usdt/path:provider:name",
		"struct_ops/f",
		"sk_reuseport/x",
	};
	unsigned known = 0;
	char name[64];

	(void)state;
	libbpf_set_print(print_nothing);
	for (size_t i = 0; i < nhooks * HOOK_SECTIONS; i++) {
		const char *section = hooks[i / HOOK_SECTIONS].sections[i % HOOK_SECTIONS];

		for (unsigned k = 0; section && k < 3; k++) {
			snprintf(name, sizeof(name), "%.*s%s", (int)strcspn(section, "+"), section,
				 k == 0 ? "" :
				 k == 1 ? "/" :
					  "/target");
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
	assert_int_equal(g.hook->progs[0], ABI_PROG_KPROBE);
	assert_string_equal(secname_attach_type(g.hook), "trace_uprobe_multi");
	assert_true(g.sleepable);
	assert_string_equal(g.target, "/bin/sh:main");
	g = secname_guess("kprobe");
	assert_false(g.manual);
	assert_null(g.target);
	assert_int_equal(g.hook->progs[0], ABI_PROG_KPROBE);
	assert_null(secname_attach_type(g.hook));
	assert_false(g.sleepable);
	assert_string_equal(secname_attach_type(secname_guess("uretprobe.multi/f").hook), "trace_uprobe_multi");
	assert_null(secname_attach_type(secname_guess("perf_event").hook));
	assert_true(secname_guess("syscall").sleepable);
	assert_null(secname_guess("kprobes").hook);
	assert_null(secname_guess(".text").hook);
	assert_null(secname_guess("xdp/x").hook);
	assert_null(secname_guess("").hook);
	assert_null(secname_guess("?").hook);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libbpf),
		cmocka_unit_test(test_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
