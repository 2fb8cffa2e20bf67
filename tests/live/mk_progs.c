/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "mkobj.h"

static struct {
	char name[64];
	int fd;
} made[MAX_PROGS];
static int nmade;

int prog_fd(const char *name)
{
	for (int i = 0; i < nmade; i++)
		if (!strcmp(made[i].name, name))
			return made[i].fd;
	return -1;
}

static int remember(const char *name, const char *type, int fd)
{
	if (fact("prog", name, fd, "type=%s", type) >= 0 && nmade < MAX_PROGS) {
		snprintf(made[nmade].name, sizeof(made[nmade].name), "%s", name);
		made[nmade++].fd = fd;
	}
	return fd;
}

/* Types that accept a program of two instructions. */
static const struct simple {
	const char *name, *word;
	unsigned type, attach, ret, flags;
} simple[] = {
	{ "l_socket", "socket_filter", BPF_PROG_TYPE_SOCKET_FILTER, 0, 0, 0 },
	{ "l_xdp", "xdp", BPF_PROG_TYPE_XDP, BPF_XDP, 2, 0 },
	{ "l_tc", "sched_cls", BPF_PROG_TYPE_SCHED_CLS, 0, 0, 0 },
	{ "l_act", "sched_act", BPF_PROG_TYPE_SCHED_ACT, 0, 0, 0 },
	{ "l_kprobe", "kprobe", BPF_PROG_TYPE_KPROBE, 0, 0, 0 },
	{ "l_umulti", "kprobe", BPF_PROG_TYPE_KPROBE, ATTACH_UPROBE_MULTI, 0, 0 },
	{ "l_kmulti", "kprobe", BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, 0, 0 },
	{ "l_ksession", "kprobe", BPF_PROG_TYPE_KPROBE, ATTACH_KPROBE_SESSION, 0, 0 },
	{ "l_tracepoint", "tracepoint", BPF_PROG_TYPE_TRACEPOINT, 0, 0, 0 },
	{ "l_raw_tp", "raw_tracepoint", BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, 0 },
	{ "l_raw_tp_w", "raw_tracepoint_writable", BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE, 0, 0, 0 },
	{ "l_perf", "perf_event", BPF_PROG_TYPE_PERF_EVENT, 0, 0, 0 },
	{ "l_cg_egress", "cgroup_skb", BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_EGRESS, 1, 0 },
	{ "l_cg_ingress", "cgroup_skb", BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_INGRESS, 1, 0 },
	{ "l_cg_sock", "cgroup_sock", BPF_PROG_TYPE_CGROUP_SOCK, BPF_CGROUP_INET_SOCK_CREATE, 1, 0 },
	{ "l_cg_connect", "cgroup_sock_addr", BPF_PROG_TYPE_CGROUP_SOCK_ADDR, BPF_CGROUP_INET4_CONNECT, 1, 0 },
	{ "l_cg_device", "cgroup_device", BPF_PROG_TYPE_CGROUP_DEVICE, BPF_CGROUP_DEVICE, 1, 0 },
	{ "l_cg_sysctl", "cgroup_sysctl", BPF_PROG_TYPE_CGROUP_SYSCTL, BPF_CGROUP_SYSCTL, 1, 0 },
	{ "l_cg_sockopt", "cgroup_sockopt", BPF_PROG_TYPE_CGROUP_SOCKOPT, BPF_CGROUP_GETSOCKOPT, 1, 0 },
	{ "l_sock_ops", "sock_ops", BPF_PROG_TYPE_SOCK_OPS, BPF_CGROUP_SOCK_OPS, 1, 0 },
	{ "l_lwt_in", "lwt_in", BPF_PROG_TYPE_LWT_IN, 0, 0, 0 },
	{ "l_lwt_out", "lwt_out", BPF_PROG_TYPE_LWT_OUT, 0, 0, 0 },
	{ "l_lwt_xmit", "lwt_xmit", BPF_PROG_TYPE_LWT_XMIT, 0, 0, 0 },
	{ "l_lwt_seg6", "lwt_seg6local", BPF_PROG_TYPE_LWT_SEG6LOCAL, 0, 0, 0 },
	{ "l_sk_skb", "sk_skb", BPF_PROG_TYPE_SK_SKB, BPF_SK_SKB_STREAM_VERDICT, 1, 0 },
	{ "l_sk_msg", "sk_msg", BPF_PROG_TYPE_SK_MSG, BPF_SK_MSG_VERDICT, 1, 0 },
	{ "l_reuseport", "sk_reuseport", BPF_PROG_TYPE_SK_REUSEPORT, BPF_SK_REUSEPORT_SELECT, 1, 0 },
	{ "l_flow", "flow_dissector", BPF_PROG_TYPE_FLOW_DISSECTOR, BPF_FLOW_DISSECTOR, 0, 0 },
	{ "l_sk_lookup", "sk_lookup", BPF_PROG_TYPE_SK_LOOKUP, BPF_SK_LOOKUP, 1, 0 },
	{ "l_syscall", "syscall", BPF_PROG_TYPE_SYSCALL, 0, 0, BPF_F_SLEEPABLE },
	{ "l_netfilter", "netfilter", PROG_NETFILTER, ATTACH_NETFILTER, 1, 0 },
};

static int load(const char *name, unsigned type, unsigned attach, unsigned flags, const char *license,
		const struct bpf_insn *insns, size_t n)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach, .prog_flags = flags);

	return bpf_prog_load(type, name, license, insns, n, &opts);
}

#define I(c, d, s, o, i) \
	{ \
		.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) \
	}
/* One instruction of every class in the disassembly; only the path after the first jump runs. */
/* clang-format off */
static const struct bpf_insn classes[] = {
	I(0xbf, 6, 1, 0, 0),		/* r6 = r1 */
	I(0xb7, 0, 0, 0, 0), I(0xb4, 1, 0, 0, 5), I(0x0c, 1, 1, 0, 0), I(0x87, 1, 0, 0, 0), I(0x84, 1, 0, 0, 0),
	I(0xdc, 1, 0, 0, 16), I(0xd4, 1, 0, 0, 32), I(0xdc, 1, 0, 0, 64),
	I(0xb7, 2, 0, 0, 7), I(0x37, 2, 0, 0, 3), I(0x97, 2, 0, 0, 2), I(0x27, 2, 0, 0, -3), I(0x47, 2, 0, 0, 0x10),
	I(0x57, 2, 0, 0, 0xff), I(0xa7, 2, 0, 0, 0x55), I(0x67, 2, 0, 0, 4), I(0x77, 2, 0, 0, 4), I(0xc7, 2, 0, 0, 1),
	I(0xbf, 3, 2, 0, 0), I(0x1f, 3, 2, 0, 0), I(0xbc, 3, 2, 0, 0), I(0xc4, 3, 0, 0, 2), I(0x3f, 3, 2, 0, 0),
	I(0x15, 3, 0, 1, 5), I(0x55, 3, 0, 0, -1), I(0x25, 3, 0, 0, 1), I(0xa5, 3, 0, 0, 1), I(0x6d, 3, 2, 0, 0),
	I(0xcd, 3, 2, 0, 0), I(0x46, 2, 0, 0, 4), I(0x16, 3, 0, 0, 5), I(0x5e, 3, 2, 0, 0), I(0x05, 0, 0, 0, 0),
	I(0x7b, 10, 2, -8, 0), I(0x62, 10, 0, -16, 9), I(0x7a, 10, 0, -16, 9), I(0x6a, 10, 0, -24, 1), I(0x72, 10, 0, -24, 1),
	I(0x79, 4, 10, -8, 0), I(0x71, 4, 10, -8, 0), I(0x69, 4, 10, -8, 0), I(0x61, 4, 10, -8, 0),
	I(0xdb, 10, 2, -8, 0), I(0xdb, 10, 2, -8, 0x40), I(0xdb, 10, 2, -8, 0x50), I(0xdb, 10, 2, -8, 0xa0),
	I(0xdb, 10, 2, -8, 0x01), I(0xdb, 10, 2, -8, 0xe1), I(0xdb, 10, 2, -8, 0xf1), I(0xc3, 10, 2, -8, 0xe1),
	I(0x20, 0, 0, 0, 4), I(0xb7, 3, 0, 0, 1), I(0x48, 0, 3, 0, 2), I(0x30, 0, 0, 0, 0),
	I(0x18, 1, 0, 0, 0x55667788), I(0, 0, 0, 0, 0x11223344),
	I(0x85, 0, 0, 0, BPF_FUNC_ktime_get_ns), I(0x85, 0, 0, 0, BPF_FUNC_get_prandom_u32),
	I(0xb7, 0, 0, 0, 0), I(0x95, 0, 0, 0, 0),
};
/* clang-format on */
/* Instructions of cpu version 4; older kernels refuse them. */
static const struct bpf_insn classes_v4[] = {
	I(0xb7, 0, 0, 0, 0),   I(0xb7, 1, 0, 0, 7),   I(0xb7, 2, 0, 0, 7),   I(0xd7, 1, 0, 0, 64), I(0xd7, 1, 0, 0, 16),
	I(0x37, 2, 0, 1, 3),   I(0x94, 2, 0, 1, 2),   I(0xbf, 3, 2, 8, 0),   I(0xbf, 3, 2, 32, 0), I(0xbc, 3, 2, 16, 0),
	I(0x7b, 10, 2, -8, 0), I(0x89, 4, 10, -8, 0), I(0x81, 4, 10, -8, 0), I(0x06, 0, 0, 0, 0),  I(0x95, 0, 0, 0, 0),
};

static void load_classes(void)
{
	struct bpf_insn pair[] = { I(0xb7, 0, 0, 0, 0), I(0x95, 0, 0, 0, 0) };
	struct bpf_insn sub[] = {
		/* calls between programs without BTF: "pc+N" and a function pointer */
		I(0xb7, 1, 0, 0, 3), I(0x85, 0, 1, 0, 1), I(0x95, 0, 0, 0, 0), I(0xbf, 0, 1, 0, 0), I(0x95, 0, 0, 0, 0),
	};

	remember("l_classes", "socket_filter",
		 load("l_classes", BPF_PROG_TYPE_SOCKET_FILTER, 0, 0, "GPL", classes,
		      sizeof(classes) / sizeof(*classes)));
	remember("l_classes4", "socket_filter",
		 load("l_classes4", BPF_PROG_TYPE_SOCKET_FILTER, 0, 0, "GPL", classes_v4,
		      sizeof(classes_v4) / sizeof(*classes_v4)));
	remember("l_calls", "socket_filter", load("l_calls", BPF_PROG_TYPE_SOCKET_FILTER, 0, 0, "GPL", sub, 5));
	remember("l_not_gpl", "xdp", load("l_not_gpl", BPF_PROG_TYPE_XDP, 0, 0, "BSD", pair, 2));
	remember("-", "socket_filter", load(NULL, BPF_PROG_TYPE_SOCKET_FILTER, 0, 0, "GPL", pair, 2));
	/* The same name and tag twice: selectors that match several. */
	pair[0].imm = 11;
	remember("l_twin", "socket_filter", load("l_twin", BPF_PROG_TYPE_SOCKET_FILTER, 0, 0, "GPL", pair, 2));
	remember("l_twin", "socket_filter", load("l_twin", BPF_PROG_TYPE_SOCKET_FILTER, 0, 0, "GPL", pair, 2));
}

/* Each program of progs.bpf.o by itself: a program that this kernel refuses does not stop the others. */
static void load_object(const struct place *p)
{
	static const struct {
		const char *name, *type;
	} progs[] = {
		{ "count_exits", "raw_tracepoint" },
		{ "a_very_long_program_name_indeed", "tracing" },
		{ "on_user_call", "kprobe" },
		{ "iter_task", "tracing" },
		{ "iter_map", "tracing" },
		{ "iter_elem", "tracing" },
		{ "iter_cgroup", "tracing" },
		{ "on_entry", "tracing" },
		{ "on_exit", "tracing" },
		{ "on_file_open", "lsm" },
		{ "on_kernel_call", "kprobe" },
	};
	char path[512];

	snprintf(path, sizeof(path), "%s/progs.bpf.o", p->objects);
	for (size_t i = 0; i < sizeof(progs) / sizeof(*progs); i++) {
		struct bpf_object *o = bpf_object__open_file(path, NULL);
		struct bpf_program *prog;
		int err;

		if (!o) {
			fact("prog", progs[i].name, -errno, "x");
			continue;
		}
		bpf_object__for_each_program(prog, o)
			bpf_program__set_autoload(prog, !strcmp(bpf_program__name(prog), progs[i].name));
		prog = bpf_object__find_program_by_name(o, progs[i].name);
		if (i) { /* only the first one uses the map */
			struct bpf_map *map;

			bpf_object__for_each_map(map, o)
				bpf_map__set_autocreate(map, false);
		}
		err = bpf_object__load(o);
		remember(progs[i].name, progs[i].type, err ? err : bpf_program__fd(prog));
		if (!err && !i)
			fact("map", "exits", bpf_object__find_map_fd_by_name(o, "exits"), "type=hash");
	}
}

void make_progs(const struct place *p)
{
	for (size_t i = 0; i < sizeof(simple) / sizeof(*simple); i++) {
		struct bpf_insn insns[] = { I(0xb7, 0, 0, 0, (int)simple[i].ret), I(0x95, 0, 0, 0, 0) };
		int fd = load(simple[i].name, simple[i].type, simple[i].attach, simple[i].flags, "GPL", insns, 2);

		remember(simple[i].name, simple[i].word, fd);
	}
	load_classes();
	load_object(p);
	pin_fact(p, "prog", "l_xdp", prog_fd("l_xdp"));
	pin_fact(p, "prog", "l_xdp_again", prog_fd("l_xdp"));
	pin_fact(p, "prog", "count_exits", prog_fd("count_exits"));
}
