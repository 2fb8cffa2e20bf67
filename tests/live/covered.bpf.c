/* SPDX-License-Identifier: BSD-2-Clause */
/* A program for `gen object --coverage`, with code that the verifier removes. */
#include "types.bpf.h"

const volatile int lens_debug = 0;
volatile __u64 lens_sum, lens_small;

SEC("syscall") int lens_removed(struct { __u32 n, odd; } * ctx)
{
	int ret = 0;

	if (ctx->n == 5)
		ret = 3;
	if (lens_debug) {
		lens_sum += 5;
		ret = 7;
		if (ctx->odd) {
			lens_sum += 9;
			ret = 17;
		}
	}
	if (ctx->n == 6)
		return 2;
	if (ctx->n < 4)
		lens_small++;
	return ret;
}
