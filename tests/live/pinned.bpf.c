/* SPDX-License-Identifier: BSD-2-Clause */
/* A map that libbpf pins by name. */
#include "types.bpf.h"

struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 4);
	__uint(pinning, 1 /* LIBBPF_PIN_BY_NAME */);
	__type(key, int);
	__type(value, long);
} lens_by_name SEC(".maps");

SEC("socket") int lens_pins(void *ctx)
{
	int key = 1;

	return bpf_map_lookup_elem(&lens_by_name, &key) ? 1 : 0;
}
