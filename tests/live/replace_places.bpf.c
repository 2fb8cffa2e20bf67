/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of more types for test_replace.py, which replaces each by itself. */
#include "types.bpf.h"

SEC("flow_dissector") int rq_flow(void *ctx)
{
	return 0;
}

SEC("sk_lookup") int rq_lookup(void *ctx)
{
	return 1;
}

SEC("raw_tp/sys_enter") int rq_raw(void *ctx)
{
	return 0;
}

SEC("cgroup_skb/egress") int rq_cgroup(void *ctx)
{
	return 1;
}

SEC("xdp") int rq_xdp(void *ctx)
{
	return 2;
}

SEC("tc") int rq_tc(void *ctx)
{
	return -1;
}

SEC("sk_skb/stream_verdict") int rq_sockets(void *ctx)
{
	return 1;
}
