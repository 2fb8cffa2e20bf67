// SPDX-License-Identifier: BSD-2-Clause
#include "types.bpf.h"

/* The objects of the manual's examples, in addition to mkobj's. */
struct elem {
	__u64 value;
	__u32 hits, flags;
};
struct elem type_of_elems; /* else the type is not in the BTF */

struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 16);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

SEC("socket") int count_elems(void *ctx)
{
	__u32 key = 1;
	__u64 *n = bpf_map_lookup_elem(&counters, &key);

	(void)ctx;
	return n ? (int)*n : 0;
}

char _license[] SEC("license") = "GPL";
