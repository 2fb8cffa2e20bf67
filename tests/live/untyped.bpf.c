/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps as loaders before libbpf 1.0 defined them, whose types are in marker structs only; and one with a definition of
 * today, whose name is longer than the kernel keeps. Nothing loads it: its maps are made without types.
 */
#include "types.bpf.h"

struct bpf_map_def {
	unsigned type, key_size, value_size, max_entries, map_flags;
};
/* As in the headers of libbpf 0.x. */
#define BPF_ANNOTATE_KV_PAIR(name, type_key, type_val) \
	struct ____btf_map_##name { \
		type_key key; \
		type_val value; \
	}; \
	struct ____btf_map_##name __attribute__((section(".maps." #name), used)) ____btf_map_##name = {}

struct conn {
	__u32 addr;
	__be16 port;
	__u8 proto, pad;
};
struct traffic {
	__u64 packets, bytes;
};
enum verdict { PASS, DROP };

struct bpf_map_def SEC("maps") conns = { MAP_HASH, sizeof(struct conn), sizeof(struct traffic), 16 };
BPF_ANNOTATE_KV_PAIR(conns, struct conn, struct traffic);
struct bpf_map_def SEC("maps") sizes = { MAP_PERCPU_ARRAY, sizeof(__u32), sizeof(__u64), 8 };
BPF_ANNOTATE_KV_PAIR(sizes, __u32, __u64);
struct bpf_map_def SEC("maps") bare = { MAP_HASH, 4, 4, 16 };
struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 16);
	__type(key, __u32);
	__type(value, enum verdict);
} verdicts_of_clients SEC(".maps");

/* So that the types are in the object. */
SEC("socket")
int use(void *ctx)
{
	struct conn c = {};

	return !bpf_map_lookup_elem(&conns, &c) + !bpf_map_lookup_elem(&verdicts_of_clients, &c.addr);
}
