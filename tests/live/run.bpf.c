/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs for `prog run`. */
#include "types.bpf.h"

struct xdp {
	__u32 data, data_end;
};

/* Returns the last byte of the Ethernet header, and marks the first. */
SEC("xdp") int lens_xdp(struct xdp *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (data + 14 > end)
		return 0;
	data[0] = 0xff;
	return data[13];
}

SEC("syscall") int lens_syscall(long *ctx)
{
	ctx[0]++;
	return 7;
}

SEC("socket") int lens_socket(struct { __u32 len; } * ctx)
{
	return ctx->len;
}

struct lens_args {
	__u32 in, out;
	char word[8];
};
SEC("syscall") int lens_typed(struct lens_args *args)
{
	args->out = args->in * 2;
	args->word[0] = 'h';
	args->word[1] = 'i';
	return 0;
}

SEC("flow_dissector") int lens_flow(void *ctx)
{
	return 0;
}
