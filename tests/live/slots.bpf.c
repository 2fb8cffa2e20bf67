/* SPDX-License-Identifier: BSD-2-Clause */
/* A prog_array whose slots the file fills; a devmap that is pinned by name; an array of arrays of perf events. */
#include "types.bpf.h"

int lens_entry(void *ctx);
int lens_leaf(void *ctx);
struct {
	__uint(type, MAP_PROG_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__array(values, int(void *));
} lens_jumps SEC(".maps") = { .values = { [1] = (void *)&lens_leaf } };
struct {
	__uint(type, MAP_DEVMAP_HASH);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, int);
	__uint(pinning, 1 /* LIBBPF_PIN_BY_NAME */);
} lens_devs SEC(".maps");
struct {
	__uint(type, MAP_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, int);
	__array(
		values, struct {
			__uint(type, MAP_PERF_EVENT_ARRAY);
			__uint(key_size, 4);
			__uint(value_size, 4);
		});
} lens_events SEC(".maps");

SEC("xdp")
int lens_entry(void *ctx)
{
	int key = 1;

	if (!bpf_map_lookup_elem(&lens_events, &key))
		return 0;
	bpf_tail_call(ctx, &lens_jumps, 1);
	return bpf_redirect_map(&lens_devs, 1, 0);
}

SEC("xdp")
int lens_leaf(void *ctx)
{
	return 2 /* XDP_PASS */;
}
