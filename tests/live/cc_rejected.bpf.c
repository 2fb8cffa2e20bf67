/* SPDX-License-Identifier: BSD-2-Clause */
/* A congestion control with a program that the verifier rejects. */
#include "types.bpf.h"

struct sock;
struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	__u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
};
struct {
	__uint(type, MAP_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, __u32);
} values SEC(".maps");

SEC("struct_ops/lensreg_null") __u32 lensreg_null(void *ctx)
{
	int key = 1;
	__u32 *v = bpf_map_lookup_elem(&values, &key);

	return *v;
}

SEC("struct_ops/lensreg_undo") __u32 lensreg_undo(void *ctx)
{
	return 1;
}

SEC("struct_ops/lensreg_avoid") void lensreg_avoid(void *ctx)
{
}

SEC(".struct_ops")
struct tcp_congestion_ops lensreg_a = {
	.ssthresh = (void *)lensreg_null,
	.cong_avoid = (void *)lensreg_avoid,
	.undo_cwnd = (void *)lensreg_undo,
	.name = "lensreg_a",
};
