/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/ids.bpf.h"

OFFSET(bpf_link, id);

struct iter_bpf_link { /* struct bpf_iter__bpf_link */
	struct iter_meta *meta;
	const char *link;
};

SEC("iter/bpf_link") int ids(struct iter_bpf_link *ctx)
{
	const char *link = ctx->link;

	if (link)
		tell_id(ctx->meta, READ((__u32){ 0 }, link, bpf_link, id));
	return 0;
}
