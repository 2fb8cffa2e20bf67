/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that spends its time in one instruction, for `prog annotate`. */
#include "types.bpf.h"

SEC("socket") int lens_heat(struct { __u32 len; } * ctx)
{
	__u64 sum = ctx->len, by = ctx->len | 3;

	for (int i = 0; i < 4096; i++) {
		sum += i;
		sum = ~sum / by + 12345; /* hot */
	}
	return (int)sum;
}

SEC("socket") int lens_cold(struct { __u32 len; } * ctx)
{
	return ctx->len;
}
