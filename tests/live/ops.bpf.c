/* SPDX-License-Identifier: BSD-2-Clause */
/* A congestion control: struct_ops maps, with and without a link. Members are matched with the kernel's by name. */
#include "types.bpf.h"

struct sock;
struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	__u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
};

SEC("struct_ops/lens_ssthresh") __u32 lens_ssthresh(void *ctx)
{
	return 10;
}

SEC("struct_ops/lens_avoid") void lens_avoid(void *ctx)
{
}

SEC("struct_ops/lens_undo") __u32 lens_undo(void *ctx)
{
	return 10;
}

SEC(".struct_ops")
struct tcp_congestion_ops lens_cc = {
	.ssthresh = (void *)lens_ssthresh,
	.cong_avoid = (void *)lens_avoid,
	.undo_cwnd = (void *)lens_undo,
	.name = "lens_cc",
};
