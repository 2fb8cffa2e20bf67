/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs of test_diff.py, before and after the change: DIFF_NEW selects. */
#include "types.bpf.h"

struct df_value {
	__u64 packets, bytes;
};
struct {
	__uint(type, MAP_HASH);
#ifdef DIFF_NEW
	__uint(max_entries, 128);
#else
	__uint(max_entries, 64);
#endif
	__type(key, __u32);
	__type(value, struct df_value);
} df_flows SEC(".maps");

struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 16);
	__type(key, __u32);
	__type(value, struct df_value);
} df_same SEC(".maps");

SEC("xdp") int df_xdp(void *ctx)
{
	__u32 key = 0;
	struct df_value *v = bpf_map_lookup_elem(&df_flows, &key);

	if (v)
		__sync_fetch_and_add(&v->packets, 1);
#ifdef DIFF_NEW
	if (v && v->packets > 1000)
		return 1;
#endif
	return 2;
}

SEC("tc") int df_tc(__u32 *skb)
{
	__u32 key = *skb; /* its length */

	return bpf_map_lookup_elem(&df_same, &key) ? 0 : -1;
}

#ifdef DIFF_NEW
SEC("xdp") int df_added(void *ctx)
{
	return 2;
}
#else
SEC("xdp") int df_removed(void *ctx)
{
	return 1;
}
#endif
