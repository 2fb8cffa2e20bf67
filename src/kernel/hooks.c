/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/hooks.h"

#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/pkt_cls.h>

#include "kernel/abi.h"
#include "kernel/names.h"

#define PROG(type) .progs = { ABI_PROG_##type }
#define SECTIONS(...) .sections = { __VA_ARGS__ }
/*
 * TYPE: a hook with the name of its attach type as its word; WORD: with another word; MORE: without an attach type of
 * its own.
 */
#define TYPE(nr, text, what, linux, ...) \
	[nr] = { .type = nr, .name = text, .word = text, .kind = HOOK_##what, .since = linux, __VA_ARGS__ }
#define WORD(nr, text, own, what, linux, ...) \
	[nr] = { .type = nr, .name = text, .word = own, .kind = HOOK_##what, .since = linux, __VA_ARGS__ }
#define MORE(nr, own, what, linux, ...) \
	{ \
		.type = nr, .word = own, .kind = HOOK_##what, .since = linux, __VA_ARGS__ \
	}

/* clang-format off */
const struct hook hooks[] = {
	TYPE(0, "cgroup_inet_ingress", CGROUP, "4.10", .alias = "ingress", PROG(CGROUP_SKB), SECTIONS("cgroup_skb/ingress")),
	TYPE(1, "cgroup_inet_egress", CGROUP, "4.10", .alias = "egress", PROG(CGROUP_SKB), SECTIONS("cgroup_skb/egress")),
	TYPE(2, "cgroup_inet_sock_create", CGROUP, "4.10", .alias = "sock_create", PROG(CGROUP_SOCK),
	     SECTIONS("cgroup/sock_create", "cgroup/sock")),
	TYPE(3, "cgroup_sock_ops", CGROUP, "4.13", .alias = "sock_ops", PROG(SOCK_OPS), SECTIONS("sockops")),
	TYPE(4, "sk_skb_stream_parser", SOCKETS, "4.14", .alias = "stream_parser", PROG(SK_SKB), SECTIONS("sk_skb/stream_parser")),
	TYPE(5, "sk_skb_stream_verdict", SOCKETS, "4.14", .alias = "stream_verdict", PROG(SK_SKB), SECTIONS("sk_skb/stream_verdict")),
	TYPE(6, "cgroup_device", CGROUP, "4.15", .alias = "device", PROG(CGROUP_DEVICE), SECTIONS("cgroup/dev")),
	TYPE(7, "sk_msg_verdict", SOCKETS, "4.17", .alias = "msg_verdict", PROG(SK_MSG), SECTIONS("sk_msg")),
	TYPE(8, "cgroup_inet4_bind", CGROUP, "4.17", .alias = "bind4", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/bind4")),
	TYPE(9, "cgroup_inet6_bind", CGROUP, "4.17", .alias = "bind6", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/bind6")),
	TYPE(10, "cgroup_inet4_connect", CGROUP, "4.17", .alias = "connect4", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/connect4")),
	TYPE(11, "cgroup_inet6_connect", CGROUP, "4.17", .alias = "connect6", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/connect6")),
	TYPE(12, "cgroup_inet4_post_bind", CGROUP, "4.17", .alias = "post_bind4", PROG(CGROUP_SOCK), SECTIONS("cgroup/post_bind4")),
	TYPE(13, "cgroup_inet6_post_bind", CGROUP, "4.17", .alias = "post_bind6", PROG(CGROUP_SOCK), SECTIONS("cgroup/post_bind6")),
	TYPE(14, "cgroup_udp4_sendmsg", CGROUP, "4.18", .alias = "sendmsg4", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/sendmsg4")),
	TYPE(15, "cgroup_udp6_sendmsg", CGROUP, "4.18", .alias = "sendmsg6", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/sendmsg6")),
	TYPE(16, "lirc_mode2", NONE, "4.18", PROG(LIRC_MODE2), SECTIONS("lirc_mode2")),
	TYPE(17, "flow_dissector", NETNS, "4.20", PROG(FLOW_DISSECTOR), SECTIONS("flow_dissector")),
	TYPE(18, "cgroup_sysctl", CGROUP, "5.2", .alias = "sysctl", PROG(CGROUP_SYSCTL), SECTIONS("cgroup/sysctl")),
	TYPE(19, "cgroup_udp4_recvmsg", CGROUP, "5.2", .alias = "recvmsg4", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/recvmsg4")),
	TYPE(20, "cgroup_udp6_recvmsg", CGROUP, "5.2", .alias = "recvmsg6", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/recvmsg6")),
	TYPE(21, "cgroup_getsockopt", CGROUP, "5.3", .alias = "getsockopt", PROG(CGROUP_SOCKOPT), SECTIONS("cgroup/getsockopt")),
	TYPE(22, "cgroup_setsockopt", CGROUP, "5.3", .alias = "setsockopt", PROG(CGROUP_SOCKOPT), SECTIONS("cgroup/setsockopt")),
	WORD(23, "trace_raw_tp", "tp_btf", FUNC, "5.5", PROG(TRACING), SECTIONS("tp_btf+", "tp_btf.s+")),
	WORD(24, "trace_fentry", "fentry", FUNC, "5.5", PROG(TRACING), SECTIONS("fentry+", "fentry.s+")),
	WORD(25, "trace_fexit", "fexit", FUNC, "5.5", PROG(TRACING), SECTIONS("fexit+", "fexit.s+")),
	WORD(26, "modify_return", "fmod_ret", FUNC, "5.7", PROG(TRACING), SECTIONS("fmod_ret+", "fmod_ret.s+")),
	WORD(27, "lsm_mac", "lsm", FUNC, "5.7", PROG(LSM), SECTIONS("lsm+", "lsm.s+")),
	WORD(28, "trace_iter", "iter", ITER, "5.8", PROG(TRACING), SECTIONS("iter+", "iter.s+")),
	TYPE(29, "cgroup_inet4_getpeername", CGROUP, "5.8", .alias = "getpeername4", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/getpeername4")),
	TYPE(30, "cgroup_inet6_getpeername", CGROUP, "5.8", .alias = "getpeername6", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/getpeername6")),
	TYPE(31, "cgroup_inet4_getsockname", CGROUP, "5.8", .alias = "getsockname4", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/getsockname4")),
	TYPE(32, "cgroup_inet6_getsockname", CGROUP, "5.8", .alias = "getsockname6", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/getsockname6")),
	TYPE(33, "xdp_devmap", NONE, "5.8", PROG(XDP), SECTIONS("xdp/devmap", "xdp.frags/devmap")),
	TYPE(34, "cgroup_inet_sock_release", CGROUP, "5.9", .alias = "sock_release", PROG(CGROUP_SOCK), SECTIONS("cgroup/sock_release")),
	TYPE(35, "xdp_cpumap", NONE, "5.9", PROG(XDP), SECTIONS("xdp/cpumap", "xdp.frags/cpumap")),
	TYPE(36, "sk_lookup", NETNS, "5.9", .link_only = true, PROG(SK_LOOKUP), SECTIONS("sk_lookup")),
	TYPE(37, "xdp", XDP, "4.8", PROG(XDP), SECTIONS("xdp", "xdp.frags")),
	TYPE(38, "sk_skb_verdict", SOCKETS, "5.13", .alias = "skb_verdict", PROG(SK_SKB), SECTIONS("sk_skb/verdict")),
	TYPE(39, "sk_reuseport_select", SOCKET, "4.19", .arg = 1, .progs = { ABI_PROG_SK_REUSEPORT, ABI_PROG_SOCKET_FILTER }, SECTIONS("sk_reuseport")),
	TYPE(40, "sk_reuseport_select_or_migrate", NONE, "5.14", PROG(SK_REUSEPORT), SECTIONS("sk_reuseport/migrate")),
	TYPE(41, "perf_event", EVENT, "4.9", .arg = ABI_PERF_EVENT, .loaded_without = true, PROG(PERF_EVENT), SECTIONS("perf_event")),
	WORD(42, "trace_kprobe_multi", "kprobe_multi", FUNC, "5.18", PROG(KPROBE), SECTIONS("kprobe.multi+")),
	TYPE(43, "lsm_cgroup", CGROUP, "6.0", PROG(LSM), SECTIONS("lsm_cgroup+")),
	TYPE(44, "struct_ops", STRUCT_OPS, "5.6", .loaded_without = true, PROG(STRUCT_OPS), SECTIONS("struct_ops+", "struct_ops.s+")),
	TYPE(45, "netfilter", NETFILTER, "6.4", .link_only = true, PROG(NETFILTER), SECTIONS("netfilter")),
	TYPE(46, "tcx_ingress", MPROG, "6.6", .alias = "tcx/ingress", PROG(SCHED_CLS), SECTIONS("tcx/ingress", "tc/ingress")),
	TYPE(47, "tcx_egress", MPROG, "6.6", .alias = "tcx/egress", PROG(SCHED_CLS), SECTIONS("tcx/egress", "tc/egress")),
	WORD(48, "trace_uprobe_multi", "uprobe_multi", FUNC, "6.6", PROG(KPROBE), SECTIONS("uprobe.multi+", "uprobe.multi.s+")),
	TYPE(49, "cgroup_unix_connect", CGROUP, "6.7", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/connect_unix")),
	TYPE(50, "cgroup_unix_sendmsg", CGROUP, "6.7", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/sendmsg_unix")),
	TYPE(51, "cgroup_unix_recvmsg", CGROUP, "6.7", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/recvmsg_unix")),
	TYPE(52, "cgroup_unix_getpeername", CGROUP, "6.7", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/getpeername_unix")),
	TYPE(53, "cgroup_unix_getsockname", CGROUP, "6.7", PROG(CGROUP_SOCK_ADDR), SECTIONS("cgroup/getsockname_unix")),
	TYPE(54, "netkit_primary", MPROG, "6.7", .alias = "netkit/primary", PROG(SCHED_CLS), SECTIONS("netkit/primary")),
	TYPE(55, "netkit_peer", MPROG, "6.7", .alias = "netkit/peer", PROG(SCHED_CLS), SECTIONS("netkit/peer")),
	WORD(56, "trace_kprobe_session", "kprobe_session", FUNC, "6.10", PROG(KPROBE), SECTIONS("kprobe.session+")),
	WORD(57, "trace_uprobe_session", "uprobe_session", FUNC, "6.13", PROG(KPROBE), SECTIONS("uprobe.session+", "uprobe.session.s+")),
	WORD(58, "trace_fsession", "fsession", FUNC, "7.0", PROG(TRACING), SECTIONS("fsession+", "fsession.s+")),
	WORD(59, "trace_fentry_multi", "fentry_multi", FUNC, "7.2", PROG(TRACING), SECTIONS("fentry.multi+", "fentry.multi.s+")),
	WORD(60, "trace_fexit_multi", "fexit_multi", FUNC, "7.2", PROG(TRACING), SECTIONS("fexit.multi+", "fexit.multi.s+")),
	WORD(61, "trace_fsession_multi", "fsession_multi", FUNC, "7.2", PROG(TRACING), SECTIONS("fsession.multi+", "fsession.multi.s+")),

	MORE(37, "xdpgeneric", XDP, "4.12", .alias = "generic", .arg = XDP_FLAGS_SKB_MODE, PROG(XDP)),
	MORE(37, "xdpdrv", XDP, "4.12", .alias = "driver", .arg = XDP_FLAGS_DRV_MODE, PROG(XDP)),
	MORE(37, "xdpoffload", XDP, "4.13", .alias = "offload", .arg = XDP_FLAGS_HW_MODE, PROG(XDP)),
	MORE(-1, "tc_ingress", TC, "4.1", .alias = "clsact/ingress", .arg = TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS), PROG(SCHED_CLS)),
	MORE(-1, "tc_egress", TC, "4.5", .alias = "clsact/egress", .arg = TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS), PROG(SCHED_CLS)),
	MORE(-1, "tc", FILTER, "4.1", PROG(SCHED_CLS), SECTIONS("tc", "classifier")),
	MORE(-1, "tc_action", ACTION, "4.1", .alias = "action", PROG(SCHED_ACT), SECTIONS("action")),
	MORE(-1, "prog_array", SLOT, "4.2", .arg = ABI_MAP_PROG_ARRAY),
	MORE(-1, "devmap", SLOT, "5.8", .arg = ABI_MAP_DEVMAP, PROG(XDP)),
	MORE(-1, "devmap_hash", SLOT, "5.8", .arg = ABI_MAP_DEVMAP_HASH, PROG(XDP)),
	MORE(-1, "cpumap", SLOT, "5.9", .arg = ABI_MAP_CPUMAP, PROG(XDP)),
	MORE(-1, "tracepoint", EVENT, "4.7", .arg = ABI_PERF_TRACEPOINT, PROG(TRACEPOINT),
	     SECTIONS("tracepoint+", "tp+", "tracepoint.s+", "tp.s+")),
	MORE(-1, "raw_tracepoint", EVENT, "4.17", .arg = HOOK_RAW_TRACEPOINT,
	     .progs = { ABI_PROG_RAW_TRACEPOINT, ABI_PROG_RAW_TRACEPOINT_WRITABLE },
	     SECTIONS("raw_tracepoint+", "raw_tp+", "raw_tracepoint.s+", "raw_tp.s+")),
	MORE(-1, "kprobe", EVENT, "4.1", .arg = ABI_PERF_KPROBE, PROG(KPROBE), SECTIONS("kprobe+")),
	MORE(-1, "kretprobe", EVENT, "4.1", .arg = ABI_PERF_KRETPROBE, PROG(KPROBE), SECTIONS("kretprobe+")),
	MORE(-1, "uprobe", EVENT, "4.3", .arg = ABI_PERF_UPROBE, PROG(KPROBE), SECTIONS("uprobe+", "uprobe.s+")),
	MORE(-1, "uretprobe", EVENT, "4.3", .arg = ABI_PERF_URETPROBE, PROG(KPROBE), SECTIONS("uretprobe+", "uretprobe.s+")),
	MORE(-1, "usdt", EVENT, "4.3", .arg = HOOK_USDT, PROG(KPROBE), SECTIONS("usdt+", "usdt.s+")),
	MORE(42, "kretprobe_multi", FUNC, "5.18", .arg = ABI_PROBE_MULTI_RETURN, PROG(KPROBE), SECTIONS("kretprobe.multi+")),
	MORE(48, "uretprobe_multi", FUNC, "6.6", .arg = ABI_PROBE_MULTI_RETURN, PROG(KPROBE),
	     SECTIONS("uretprobe.multi+", "uretprobe.multi.s+")),
	MORE(-1, "freplace", EXT, "5.6", PROG(EXT), SECTIONS("freplace+")),
	/*
	 * Further sections of object files: hooks that libbpf makes from others, and programs that run where their type
	 * says.
	 */
	MORE(-1, "ksyscall", NONE, "4.1", PROG(KPROBE), SECTIONS("ksyscall+", "kretsyscall+")),
	MORE(-1, "raw_tracepoint.w", NONE, "5.2", PROG(RAW_TRACEPOINT_WRITABLE), SECTIONS("raw_tracepoint.w+", "raw_tp.w+")),
	MORE(-1, "socket", SOCKET, "3.19", PROG(SOCKET_FILTER), SECTIONS("socket")),
	MORE(-1, "sk_skb", NONE, "4.14", PROG(SK_SKB), SECTIONS("sk_skb")),
	MORE(-1, "cgroup_skb", NONE, "4.10", PROG(CGROUP_SKB), SECTIONS("cgroup/skb")),
	MORE(-1, "lwt_in", NONE, "4.10", PROG(LWT_IN), SECTIONS("lwt_in")),
	MORE(-1, "lwt_out", NONE, "4.10", PROG(LWT_OUT), SECTIONS("lwt_out")),
	MORE(-1, "lwt_xmit", NONE, "4.10", PROG(LWT_XMIT), SECTIONS("lwt_xmit")),
	MORE(-1, "lwt_seg6local", NONE, "4.18", PROG(LWT_SEG6LOCAL), SECTIONS("lwt_seg6local")),
	MORE(-1, "syscall", NONE, "5.14", PROG(SYSCALL), SECTIONS("syscall")),
};
/* clang-format on */
const size_t nhooks = ARRAY_SIZE(hooks);

const struct name_table names_attach_type = {
	"attach_type", "bpf_attach_type", "BPF_", &hooks[0].name, HOOK_TYPES, sizeof(hooks[0]),
};

const char *const hook_device_words[] = {
	"xdp", "xdpgeneric", "xdpdrv", "xdpoffload", "tcx_ingress", "tcx_egress", "netkit_primary", "netkit_peer", NULL,
};

const struct hook *hook_next(const struct hook *h, unsigned kinds)
{
	for (h = h ? h + 1 : hooks; h < hooks + nhooks; h++)
		if (kinds & HOOK_BIT(h->kind))
			return h;
	return NULL;
}

const struct hook *hook_find(const char *word, unsigned kinds)
{
	const struct hook *h = NULL;

	while ((h = hook_next(h, kinds)))
		if (!strcmp(h->word, word))
			return h;
	return NULL;
}

static bool is_equal(const char *has, const char *name)
{
	return has && !strcmp(has, name);
}

/* "kprobe+" is the section "kprobe"; @tail: what follows a slash. */
static bool has_section(const struct hook *h, const char *name, bool tail)
{
	const size_t n = strlen(name);

	for (size_t i = 0; i < HOOK_SECTIONS && h->sections[i]; i++) {
		const char *slash = strchr(h->sections[i], '/'), *at = tail ? slash ? slash + 1 : "" : h->sections[i];

		if (!strncmp(at, name, n) && (!at[n] || !strcmp(at + n, "+")))
			return true;
	}
	return false;
}

static bool hook_has_name(const struct hook *h, const char *name, unsigned by)
{
	return by == 0 ? is_equal(h->word, name) :
	       by == 1 ? is_equal(h->alias, name) :
	       by == 2 ? is_equal(h->name, name) :
			 has_section(h, name, by == 4);
}

const struct hook *hook_named(const char *name, unsigned kinds)
{
	for (unsigned by = 0; *name && by < 5; by++) {
		const struct hook *found = NULL, *h = NULL;
		bool several = false;

		while ((h = hook_next(h, kinds))) {
			several |= found && hook_has_name(h, name, by);
			found = !found && hook_has_name(h, name, by) ? h : found;
		}
		if (found)
			return several && by == 4 ? NULL : found;
	}
	return NULL;
}

bool hook_is_named(const char *word, const char *name)
{
	const struct hook *h = hook_find(word, ~HOOK_BIT(HOOK_NONE));

	return h && hook_named(name, HOOK_BIT(h->kind)) == h;
}

bool hook_exists(const char *name)
{
	for (unsigned kind = HOOK_CGROUP; kind <= HOOK_STRUCT_OPS; kind++)
		if (hook_named(name, HOOK_BIT(kind)))
			return true;
	return false;
}

const struct hook *hook_of(enum hook_kind kind, uint32_t arg)
{
	const struct hook *h = NULL;

	while ((h = hook_next(h, HOOK_BIT(kind))))
		if (h->arg == arg)
			return h;
	return NULL;
}

const struct hook *hook_at(uint32_t attach_type, uint32_t arg)
{
	for (size_t i = 0; i < nhooks && attach_type < HOOK_TYPES; i++)
		if (hooks[i].type == (int)attach_type && hooks[i].arg == arg)
			return &hooks[i];
	return NULL;
}

bool hook_takes(const struct hook *h, uint32_t prog_type)
{
	if (!h->progs[0])
		return true;
	for (size_t i = 0; i < HOOK_PROGS && h->progs[i]; i++)
		if (h->progs[i] == prog_type)
			return true;
	return false;
}

bool hook_any_takes(unsigned kinds, uint32_t prog_type)
{
	for (const struct hook *h = NULL; (h = hook_next(h, kinds));)
		if (hook_takes(h, prog_type))
			return true;
	return false;
}

/* "6.6" as a number that can be compared; 0: @text is not a version. */
static unsigned release_number(const char *text)
{
	char *end;
	unsigned long major = strtoul(text, &end, 10);

	return *end == '.' ? (unsigned)major << 16 | (unsigned)(strtoul(end + 1, NULL, 10) & 0xffff) : 0;
}

bool hook_is_newer(const struct hook *h, const char *release)
{
	unsigned kernel = release_number(release);

	return kernel && kernel < release_number(h->since);
}

/* enum nf_inet_hooks; the arp, netdev and bridge families have similar ones */
#define NF_INET \
	{ \
		"prerouting", "input", "forward", "output", "postrouting" \
	}
static const struct nf_family nf_families[] = {
	{ 1, "inet", NF_INET, false },
	{ 2, "ip", NF_INET, true },
	{ 3, "arp", { "input", "output" }, false },
	{ 5, "netdev", { "ingress", "egress" }, false },
	{ 7, "bridge", NF_INET, false },
	{ 10, "ip6", NF_INET, true },
};

const struct nf_family *nf_family(uint32_t pf)
{
	for (size_t i = 0; i < ARRAY_SIZE(nf_families); i++)
		if (nf_families[i].pf == pf)
			return &nf_families[i];
	return NULL;
}

const char *nf_hook(const struct nf_family *f, uint32_t hook)
{
	return f && hook < NF_HOOKS ? f->hooks[hook] : NULL;
}

/* The rest of @text after @word and a slash; NULL: @text does not begin so. */
static const char *after_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(text, word, n) && text[n] == '/' ? text + n + 1 : NULL;
}

static bool parse_i32(const char *text, int32_t *ret)
{
	bool minus = *text == '-';
	uint32_t n;

	if (num_parse_u32(text + minus, &n) || n > (uint32_t)INT32_MAX + minus)
		return false;
	*ret = (int32_t)(minus ? -(int64_t)n : n);
	return true;
}

bool nf_hook_parse(const char *text, uint32_t *ret_pf, uint32_t *ret_hook, int32_t *ret_priority)
{
	for (size_t i = 0; i < ARRAY_SIZE(nf_families); i++) {
		const struct nf_family *f = &nf_families[i];
		const char *hook = f->takes_bpf ? after_word(text, f->name) : NULL;

		for (uint32_t k = 0; hook && k < NF_HOOKS; k++) {
			const char *priority = f->hooks[k] ? after_word(hook, f->hooks[k]) : NULL;

			if (!priority)
				continue;
			*ret_pf = f->pf;
			*ret_hook = k;
			return parse_i32(priority, ret_priority);
		}
	}
	return false;
}
