/* SPDX-License-Identifier: BSD-2-Clause */
/* Congestion controls to register: A without a link, B and C with links. Other files select some of them. */
#include "types.bpf.h"

#if !defined(A) && !defined(B)
#define A "lensreg_a"
#define B "lensreg_b"
#define C "lensreg_c"
#endif

struct sock;
struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	__u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
};
__u64 calls;

SEC("struct_ops/cc_avoid") void cc_avoid(void *ctx)
{
}

SEC("struct_ops/cc_undo") __u32 cc_undo(void *ctx)
{
	return 10;
}

#define OPS(nm, first) \
	{ \
		.ssthresh = (void *)first, .cong_avoid = (void *)cc_avoid, .undo_cwnd = (void *)cc_undo, .name = nm \
	}

#ifdef A
SEC("struct_ops/cc_own") __u32 cc_own(void *ctx)
{
	calls++;
	return 20;
}

SEC(".struct_ops") struct tcp_congestion_ops lensreg_a = OPS(A, cc_own);
#endif
#ifdef B
SEC("struct_ops/cc_ssthresh") __u32 cc_ssthresh(void *ctx)
{
	calls++;
	return 10;
}

SEC(".struct_ops.link") struct tcp_congestion_ops lensreg_b = OPS(B, cc_ssthresh);
#endif
#ifdef C
SEC(".struct_ops.link") struct tcp_congestion_ops lensreg_c = OPS(C, cc_ssthresh);
#endif
