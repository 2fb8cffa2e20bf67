/* SPDX-License-Identifier: BSD-2-Clause */
#include "object/secname.h"

#include <string.h>

const struct secname secnames[] = {
	{ "socket", "socket_filter", NULL, false },
	{ "sk_reuseport/migrate", "sk_reuseport", "sk_reuseport_select_or_migrate", false },
	{ "sk_reuseport", "sk_reuseport", "sk_reuseport_select", false },
	{ "kprobe+", "kprobe", NULL, false },
	{ "uprobe+", "kprobe", NULL, false },
	{ "uprobe.s+", "kprobe", NULL, true },
	{ "kretprobe+", "kprobe", NULL, false },
	{ "uretprobe+", "kprobe", NULL, false },
	{ "uretprobe.s+", "kprobe", NULL, true },
	{ "kprobe.multi+", "kprobe", "trace_kprobe_multi", false },
	{ "kretprobe.multi+", "kprobe", "trace_kprobe_multi", false },
	{ "kprobe.session+", "kprobe", "trace_kprobe_session", false },
	{ "uprobe.multi+", "kprobe", "trace_uprobe_multi", false },
	{ "uretprobe.multi+", "kprobe", "trace_uprobe_multi", false },
	{ "uprobe.session+", "kprobe", "trace_uprobe_session", false },
	{ "uprobe.multi.s+", "kprobe", "trace_uprobe_multi", true },
	{ "uretprobe.multi.s+", "kprobe", "trace_uprobe_multi", true },
	{ "uprobe.session.s+", "kprobe", "trace_uprobe_session", true },
	{ "ksyscall+", "kprobe", NULL, false },
	{ "kretsyscall+", "kprobe", NULL, false },
	{ "usdt+", "kprobe", NULL, false },
	{ "usdt.s+", "kprobe", NULL, true },
	{ "tc/ingress", "sched_cls", "tcx_ingress", false },
	{ "tc/egress", "sched_cls", "tcx_egress", false },
	{ "tcx/ingress", "sched_cls", "tcx_ingress", false },
	{ "tcx/egress", "sched_cls", "tcx_egress", false },
	{ "tc", "sched_cls", NULL, false },
	{ "classifier", "sched_cls", NULL, false },
	{ "action", "sched_act", NULL, false },
	{ "netkit/primary", "sched_cls", "netkit_primary", false },
	{ "netkit/peer", "sched_cls", "netkit_peer", false },
	{ "tracepoint+", "tracepoint", NULL, false },
	{ "tp+", "tracepoint", NULL, false },
	{ "raw_tracepoint+", "raw_tracepoint", NULL, false },
	{ "raw_tp+", "raw_tracepoint", NULL, false },
	{ "raw_tracepoint.w+", "raw_tracepoint_writable", NULL, false },
	{ "raw_tp.w+", "raw_tracepoint_writable", NULL, false },
	{ "tp_btf+", "tracing", "trace_raw_tp", false },
	{ "fentry+", "tracing", "trace_fentry", false },
	{ "fmod_ret+", "tracing", "modify_return", false },
	{ "fexit+", "tracing", "trace_fexit", false },
	{ "fsession+", "tracing", "trace_fsession", false },
	{ "fentry.s+", "tracing", "trace_fentry", true },
	{ "fmod_ret.s+", "tracing", "modify_return", true },
	{ "fexit.s+", "tracing", "trace_fexit", true },
	{ "fsession.s+", "tracing", "trace_fsession", true },
	{ "fentry.multi+", "tracing", "trace_fentry_multi", false },
	{ "fexit.multi+", "tracing", "trace_fexit_multi", false },
	{ "fsession.multi+", "tracing", "trace_fsession_multi", false },
	{ "fentry.multi.s+", "tracing", "trace_fentry_multi", true },
	{ "fexit.multi.s+", "tracing", "trace_fexit_multi", true },
	{ "fsession.multi.s+", "tracing", "trace_fsession_multi", true },
	{ "freplace+", "ext", NULL, false },
	{ "lsm+", "lsm", "lsm_mac", false },
	{ "lsm.s+", "lsm", "lsm_mac", true },
	{ "lsm_cgroup+", "lsm", "lsm_cgroup", false },
	{ "iter+", "tracing", "trace_iter", false },
	{ "iter.s+", "tracing", "trace_iter", true },
	{ "syscall", "syscall", NULL, true },
	{ "xdp.frags/devmap", "xdp", "xdp_devmap", false },
	{ "xdp/devmap", "xdp", "xdp_devmap", false },
	{ "xdp.frags/cpumap", "xdp", "xdp_cpumap", false },
	{ "xdp/cpumap", "xdp", "xdp_cpumap", false },
	{ "xdp.frags", "xdp", "xdp", false },
	{ "xdp", "xdp", "xdp", false },
	{ "perf_event", "perf_event", NULL, false },
	{ "lwt_in", "lwt_in", NULL, false },
	{ "lwt_out", "lwt_out", NULL, false },
	{ "lwt_xmit", "lwt_xmit", NULL, false },
	{ "lwt_seg6local", "lwt_seg6local", NULL, false },
	{ "sockops", "sock_ops", "cgroup_sock_ops", false },
	{ "sk_skb/stream_parser", "sk_skb", "sk_skb_stream_parser", false },
	{ "sk_skb/stream_verdict", "sk_skb", "sk_skb_stream_verdict", false },
	{ "sk_skb/verdict", "sk_skb", "sk_skb_verdict", false },
	{ "sk_skb", "sk_skb", NULL, false },
	{ "sk_msg", "sk_msg", "sk_msg_verdict", false },
	{ "lirc_mode2", "lirc_mode2", "lirc_mode2", false },
	{ "flow_dissector", "flow_dissector", "flow_dissector", false },
	{ "cgroup_skb/ingress", "cgroup_skb", "cgroup_inet_ingress", false },
	{ "cgroup_skb/egress", "cgroup_skb", "cgroup_inet_egress", false },
	{ "cgroup/skb", "cgroup_skb", NULL, false },
	{ "cgroup/sock_create", "cgroup_sock", "cgroup_inet_sock_create", false },
	{ "cgroup/sock_release", "cgroup_sock", "cgroup_inet_sock_release", false },
	{ "cgroup/sock", "cgroup_sock", "cgroup_inet_sock_create", false },
	{ "cgroup/post_bind4", "cgroup_sock", "cgroup_inet4_post_bind", false },
	{ "cgroup/post_bind6", "cgroup_sock", "cgroup_inet6_post_bind", false },
	{ "cgroup/bind4", "cgroup_sock_addr", "cgroup_inet4_bind", false },
	{ "cgroup/bind6", "cgroup_sock_addr", "cgroup_inet6_bind", false },
	{ "cgroup/connect4", "cgroup_sock_addr", "cgroup_inet4_connect", false },
	{ "cgroup/connect6", "cgroup_sock_addr", "cgroup_inet6_connect", false },
	{ "cgroup/connect_unix", "cgroup_sock_addr", "cgroup_unix_connect", false },
	{ "cgroup/sendmsg4", "cgroup_sock_addr", "cgroup_udp4_sendmsg", false },
	{ "cgroup/sendmsg6", "cgroup_sock_addr", "cgroup_udp6_sendmsg", false },
	{ "cgroup/sendmsg_unix", "cgroup_sock_addr", "cgroup_unix_sendmsg", false },
	{ "cgroup/recvmsg4", "cgroup_sock_addr", "cgroup_udp4_recvmsg", false },
	{ "cgroup/recvmsg6", "cgroup_sock_addr", "cgroup_udp6_recvmsg", false },
	{ "cgroup/recvmsg_unix", "cgroup_sock_addr", "cgroup_unix_recvmsg", false },
	{ "cgroup/getpeername4", "cgroup_sock_addr", "cgroup_inet4_getpeername", false },
	{ "cgroup/getpeername6", "cgroup_sock_addr", "cgroup_inet6_getpeername", false },
	{ "cgroup/getpeername_unix", "cgroup_sock_addr", "cgroup_unix_getpeername", false },
	{ "cgroup/getsockname4", "cgroup_sock_addr", "cgroup_inet4_getsockname", false },
	{ "cgroup/getsockname6", "cgroup_sock_addr", "cgroup_inet6_getsockname", false },
	{ "cgroup/getsockname_unix", "cgroup_sock_addr", "cgroup_unix_getsockname", false },
	{ "cgroup/sysctl", "cgroup_sysctl", "cgroup_sysctl", false },
	{ "cgroup/getsockopt", "cgroup_sockopt", "cgroup_getsockopt", false },
	{ "cgroup/setsockopt", "cgroup_sockopt", "cgroup_setsockopt", false },
	{ "cgroup/dev", "cgroup_device", "cgroup_device", false },
	{ "struct_ops+", "struct_ops", NULL, false },
	{ "struct_ops.s+", "struct_ops", NULL, true },
	{ "sk_lookup", "sk_lookup", "sk_lookup", false },
	{ "netfilter", "netfilter", "netfilter", false },
	{ NULL, NULL, NULL, false },
};

static bool fits(const char *prefix, const char *section, const char **ret_target)
{
	size_t n = strlen(prefix);
	bool more = prefix[n - 1] == '+';

	n -= more;
	*ret_target = NULL;
	if (strncmp(section, prefix, n))
		return false;
	if (!section[n])
		return true;
	if (!more || section[n] != '/')
		return false;
	*ret_target = section + n + 1;
	return true;
}

struct secname_guess secname_guess(const char *section)
{
	struct secname_guess ret = { .manual = *section == '?' };

	for (const struct secname *s = secnames; s->prefix; s++) {
		if (!fits(s->prefix, section + ret.manual, &ret.target))
			continue;
		ret.rule = s;
		return ret;
	}
	return ret;
}
