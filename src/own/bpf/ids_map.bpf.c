/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/ids.bpf.h"

OFFSET(bpf_map, id);

struct iter_bpf_map { /* struct bpf_iter__bpf_map */
	struct iter_meta *meta;
	const char *map;
};

SEC("iter/bpf_map") int ids(struct iter_bpf_map *ctx)
{
	const char *map = ctx->map;

	if (map)
		tell_id(ctx->meta, READ((__u32){ 0 }, map, bpf_map, id));
	return 0;
}
