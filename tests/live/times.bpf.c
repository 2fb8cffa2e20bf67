/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs whose runs are timed: one takes as long as its packet, one continues with another. */
#include "types.bpf.h"

struct packet {
	__u32 len;
};
int lens_tail(struct packet *ctx);
struct {
	__uint(type, MAP_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__array(values, int(void *));
} lens_tails SEC(".maps") = { .values = { [0] = (void *)&lens_tail } };

static __always_inline int work(struct packet *ctx)
{
	volatile __u32 sum = 0;

	for (__u32 i = 0; i < 2000 && i < ctx->len; i++)
		sum += i;
	return (int)sum;
}

SEC("socket")
int lens_tail(struct packet *ctx)
{
	return work(ctx);
}

SEC("socket")
int lens_head(struct packet *ctx)
{
	bpf_tail_call(ctx, &lens_tails, 0);
	return -1;
}
