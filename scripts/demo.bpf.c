/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs of scripts/demo: they count, and change nothing. */
typedef unsigned char __u8;
typedef unsigned short __u16, __be16, __sum16;
typedef unsigned int __u32, __be32, __wsum;
typedef int __s32;
typedef unsigned long long __u64, __be64;
typedef long long __s64;

#include <bpf/bpf_helpers.h>

enum { HASH = 1, PASS = 2, ETHERNET = 14, IPV4 = 8 /* 0x800 in network byte order */ };
struct xdp_md {
	__u32 data, data_end;
};
struct packet {
	__u8 to[6], from[6];
	__be16 type;
	__u8 version, tos;
	__be16 length, id, fragment;
	__u8 ttl, proto;
	__sum16 check;
	__be32 saddr, daddr;
} __attribute__((packed));

struct flow {
	__be32 saddr, daddr;
	__u32 proto;
};
struct count {
	__u64 packets, bytes;
};
struct command {
	char name[16];
};

struct {
	__uint(type, HASH);
	__uint(max_entries, 1024);
	__type(key, struct flow);
	__type(value, struct count);
} flows SEC(".maps");

struct {
	__uint(type, HASH);
	__uint(max_entries, 1024);
	__type(key, struct command);
	__type(value, __u64);
} execs SEC(".maps");

SEC("xdp") int count_flows(struct xdp_md *ctx)
{
	const struct packet *p = (void *)(long)ctx->data;
	const void *end = (void *)(long)ctx->data_end;
	struct flow key = { 0 };
	struct count *count, one = { .packets = 1 };

	if ((const void *)(p + 1) > end || p->type != IPV4)
		return PASS;
	key.saddr = p->saddr;
	key.daddr = p->daddr;
	key.proto = p->proto;
	one.bytes = end - (const void *)p;
	count = bpf_map_lookup_elem(&flows, &key);
	if (!count) {
		bpf_map_update_elem(&flows, &key, &one, 0);
		return PASS;
	}
	__sync_fetch_and_add(&count->packets, 1);
	__sync_fetch_and_add(&count->bytes, one.bytes);
	return PASS;
}

SEC("raw_tracepoint/sched_process_exec") int count_execs(void *ctx)
{
	struct command key = { 0 };
	__u64 *count, one = 1;

	bpf_get_current_comm(key.name, sizeof(key.name));
	count = bpf_map_lookup_elem(&execs, &key);
	if (count)
		__sync_fetch_and_add(count, 1);
	else
		bpf_map_update_elem(&execs, &key, &one, 0);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
