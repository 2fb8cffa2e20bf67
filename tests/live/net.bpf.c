/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs for network devices. They return different values, so that each has its own tag. */
#include "types.bpf.h"

SEC("xdp") int net_xdp_pass(void *ctx)
{
	return 2;
}

SEC("xdp") int net_xdp_drop(void *ctx)
{
	return 1;
}

SEC("tc") int net_tc_ok(void *ctx)
{
	return 0;
}

SEC("tc") int net_tc_next(void *ctx)
{
	return -1;
}

SEC("tc") int net_tc_shot(void *ctx)
{
	return 2;
}

SEC("action") int net_act(void *ctx)
{
	return 0;
}

SEC("flow_dissector") int net_flow(void *ctx)
{
	return 0;
}

SEC("flow_dissector") int net_flow_two(void *ctx)
{
	return 1;
}

SEC("sk_lookup") int net_lookup(void *ctx)
{
	return 1;
}

SEC("tc") int net_tc_spare(void *ctx)
{
	return 1;
}
