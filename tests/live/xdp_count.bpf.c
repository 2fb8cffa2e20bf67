/* SPDX-License-Identifier: BSD-2-Clause */
/* The program of the manual's example of `prog load`. */
#include "types.bpf.h"

const volatile int debug = 0;

struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 16);
	__type(key, int);
	__type(value, long);
} flows SEC(".maps");

SEC("xdp")
int count(void *ctx)
{
	int key = debug;
	long one = 1;

	bpf_map_update_elem(&flows, &key, &one, 0);
	return 2 /* XDP_PASS */;
}
