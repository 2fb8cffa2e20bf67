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

/* All that libbpf 1.8 knows: the linked one may be older. */
static void test_complete(void **state)
{
	/* clang-format off */
	static const char *const known[] = {
		"action", "cgroup/bind4", "cgroup/bind6", "cgroup/connect4", "cgroup/connect6", "cgroup/connect_unix", "cgroup/dev",
		"cgroup/getpeername4", "cgroup/getpeername6", "cgroup/getpeername_unix", "cgroup/getsockname4", "cgroup/getsockname6",
		"cgroup/getsockname_unix", "cgroup/getsockopt", "cgroup/post_bind4", "cgroup/post_bind6", "cgroup/recvmsg4", "cgroup/recvmsg6",
		"cgroup/recvmsg_unix", "cgroup/sendmsg4", "cgroup/sendmsg6", "cgroup/sendmsg_unix", "cgroup/setsockopt", "cgroup/skb",
		"cgroup/sock", "cgroup/sock_create", "cgroup/sock_release", "cgroup/sysctl", "cgroup_skb/egress", "cgroup_skb/ingress",
		"classifier", "fentry+", "fentry.multi+", "fentry.multi.s+", "fentry.s+", "fexit+", "fexit.multi+", "fexit.multi.s+",
		"fexit.s+", "flow_dissector", "fmod_ret+", "fmod_ret.s+", "freplace+", "fsession+", "fsession.multi+", "fsession.multi.s+",
		"fsession.s+", "iter+", "iter.s+", "kprobe+", "kprobe.multi+", "kprobe.session+", "kretprobe+", "kretprobe.multi+",
		"kretsyscall+", "ksyscall+", "lirc_mode2", "lsm+", "lsm.s+", "lsm_cgroup+", "lwt_in", "lwt_out", "lwt_seg6local", "lwt_xmit",
		"netfilter", "netkit/peer", "netkit/primary", "perf_event", "raw_tp+", "raw_tp.s+", "raw_tp.w+", "raw_tracepoint+",
		"raw_tracepoint.s+", "raw_tracepoint.w+", "sk_lookup", "sk_msg", "sk_reuseport", "sk_reuseport/migrate", "sk_skb",
		"sk_skb/stream_parser", "sk_skb/stream_verdict", "sk_skb/verdict", "socket", "sockops", "struct_ops+", "struct_ops.s+",
		"syscall", "tc", "tc/egress", "tc/ingress", "tcx/egress", "tcx/ingress", "tp+", "tp.s+", "tp_btf+", "tp_btf.s+", "tracepoint+",
		"tracepoint.s+", "uprobe+", "uprobe.multi+", "uprobe.multi.s+", "uprobe.s+", "uprobe.session+", "uprobe.session.s+",
		"uretprobe+", "uretprobe.multi+", "uretprobe.multi.s+", "uretprobe.s+", "usdt+", "usdt.s+", "xdp", "xdp.frags",
		"xdp.frags/cpumap", "xdp.frags/devmap", "xdp/cpumap", "xdp/devmap",
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t n = strcspn(known[i], "+");
		struct secname_guess g;
		char name[64];

		snprintf(name, sizeof(name), "%.*s%s", (int)n, known[i], known[i][n] ? "/target" : "");
		g = secname_guess(name);
		if (!g.hook)
			fail_msg("unknown: %s", name);
		assert_int_equal(!g.target, !known[i][n]);
		assert_int_equal(g.sleepable, strstr(known[i], ".s+") || !strcmp(name, "syscall"));
	}
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
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
