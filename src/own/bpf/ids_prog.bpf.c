/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/ids.bpf.h"

OFFSET(bpf_prog, aux);
OFFSET(bpf_prog_aux, id);

SEC("iter/bpf_prog") int ids(struct iter_bpf_prog *ctx)
{
	const char *prog = ctx->prog;

	if (prog)
		tell_id(ctx->meta,
			READ((__u32){ 0 }, READ((const char *){ 0 }, prog, bpf_prog, aux), bpf_prog_aux, id));
	return 0;
}
