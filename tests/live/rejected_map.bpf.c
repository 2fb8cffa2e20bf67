/* SPDX-License-Identifier: BSD-2-Clause */
/* A map without a size, which only its loader sets. */
#include "types.bpf.h"

struct {
	__uint(type, MAP_HASH);
	__type(key, int);
	__type(value, int);
} sizeless SEC(".maps");

SEC("socket") int count(void *ctx)
{
	int key = 1;

	return !bpf_map_lookup_elem(&sizeless, &key);
}
