/* SPDX-License-Identifier: BSD-2-Clause */
/* A congestion control with a link, and with a program that the verifier rejects by the error that also means an
 * unknown flag. */
#include "types.bpf.h"

struct sock;
struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	__u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
};

SEC("struct_ops/lensreg_dead") __u32 lensreg_dead(void *ctx)
{
	asm volatile("goto +1; r1 = 0;");
	return 1;
}

SEC("struct_ops/lensreg_undo") __u32 lensreg_undo(void *ctx)
{
	return 1;
}

SEC("struct_ops/lensreg_avoid") void lensreg_avoid(void *ctx)
{
}

SEC(".struct_ops.link")
struct tcp_congestion_ops lensreg_b = {
	.ssthresh = (void *)lensreg_dead,
	.cong_avoid = (void *)lensreg_avoid,
	.undo_cwnd = (void *)lensreg_undo,
	.name = "lensreg_b",
};
