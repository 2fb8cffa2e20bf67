// SPDX-License-Identifier: BSD-2-Clause
/* A program for each of many places in a cgroup; every one lets everything pass. */
#include "types.bpf.h"

#define PASSES(section, name) SEC(section) int name(void *ctx) { return 1; }

PASSES("cgroup_skb/ingress", ingress)
PASSES("cgroup_skb/ingress", ingress2)
PASSES("cgroup_skb/ingress", an_ingress_program_with_a_long_name)
PASSES("cgroup_skb/egress", egress)
PASSES("cgroup/sock_create", sock_create)
PASSES("cgroup/sock_release", sock_release)
PASSES("cgroup/bind4", bind4)
PASSES("cgroup/bind6", bind6)
PASSES("cgroup/post_bind4", post_bind4)
PASSES("cgroup/post_bind6", post_bind6)
PASSES("cgroup/connect4", connect4)
PASSES("cgroup/connect6", connect6)
PASSES("cgroup/getpeername4", getpeername4)
PASSES("cgroup/getpeername6", getpeername6)
PASSES("cgroup/getsockname4", getsockname4)
PASSES("cgroup/getsockname6", getsockname6)
PASSES("cgroup/sendmsg4", sendmsg4)
PASSES("cgroup/sendmsg6", sendmsg6)
PASSES("cgroup/recvmsg4", recvmsg4)
PASSES("cgroup/recvmsg6", recvmsg6)
PASSES("sockops", sock_ops)
PASSES("cgroup/dev", device)
PASSES("cgroup/sysctl", sysctl)
PASSES("cgroup/getsockopt", getsockopt)
PASSES("cgroup/setsockopt", setsockopt)

char _license[] SEC("license") = "Dual BSD/GPL";
