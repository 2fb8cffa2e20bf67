/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/ids.bpf.h"

OFFSET(bpf_map, id);

SEC("iter/bpf_map") int ids(struct iter_bpf_map *ctx)
{
	const char *map = ctx->map;

	if (map)
		tell_id(ctx->meta, READ((__u32){ 0 }, map, bpf_map, id));
	return 0;
}
