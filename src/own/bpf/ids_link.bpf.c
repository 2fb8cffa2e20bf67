/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/ids.bpf.h"

OFFSET(bpf_link, id);

SEC("iter/bpf_link") int ids(struct iter_bpf_link *ctx)
{
	const char *link = ctx->link;

	if (link)
		tell_id(ctx->meta, READ((__u32){ 0 }, link, bpf_link, id));
	return 0;
}
