/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects for the options of `prog load`: variables, map sizes, maps to reuse, several programs, a map that is pinned
 * by name. */
#include "types.bpf.h"

struct limits {
	int min, max;
};
const volatile int lens_debug = 0;
struct limits lens_limits = { 1, 3 };
long lens_hits;

struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 16);
	__type(key, int);
	__type(value, long);
} lens_flows SEC(".maps");

SEC("xdp")
int lens_count(void *ctx)
{
	int key = lens_limits.min;
	long value = lens_limits.max;

	if (lens_debug)
		bpf_map_update_elem(&lens_flows, &key, &value, 0);
	lens_hits++;
	return 2 /* XDP_PASS */;
}

SEC("tp/syscalls/sys_enter_getpid")
int lens_getpid(void *ctx)
{
	lens_hits++;
	return 0;
}

SEC("raw_tp/sys_enter")
int lens_rtp(void *ctx)
{
	lens_hits++;
	return 0;
}
