/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs for USDT probes. They read arguments as libbpf's <bpf/usdt.bpf.h>, which needs headers of an architecture:
 * the maps have its names and types, which are how a loader tells where the arguments are.
 */
#include "types.bpf.h"

struct __bpf_usdt_arg_spec {
	__u64 val_off;
	__u32 arg_type;
	short reg_off;
	_Bool arg_signed;
	char arg_bitshift;
};
struct __bpf_usdt_spec {
	struct __bpf_usdt_arg_spec args[12];
	__u64 usdt_cookie;
	short arg_cnt;
};
struct {
	__uint(type, MAP_ARRAY);
	__uint(max_entries, 8);
	__type(key, int);
	__type(value, struct __bpf_usdt_spec);
} __bpf_usdt_specs SEC(".maps");
struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 8);
	__type(key, long);
	__type(value, __u32);
} __bpf_usdt_ip_to_spec_id SEC(".maps");

struct hit {
	__u64 count, cookie;
	__s64 nargs, args[4];
};
struct {
	__uint(type, MAP_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct hit);
} hits SEC(".maps");

static __always_inline __s64 argument(void *ctx, const struct __bpf_usdt_arg_spec *s)
{
	__u64 v = s->val_off;

	if (s->arg_type)
		bpf_probe_read_kernel(&v, sizeof(v), (char *)ctx + s->reg_off);
	if (s->arg_type == 2)
		bpf_probe_read_user(&v, sizeof(v), (void *)(v + s->val_off));
	v <<= s->arg_bitshift & 63;
	return s->arg_signed ? (__s64)v >> (s->arg_bitshift & 63) : (__s64)(v >> (s->arg_bitshift & 63));
}

static __always_inline int note(void *ctx, __u32 slot)
{
	int id = (int)bpf_get_attach_cookie(ctx);
	struct __bpf_usdt_spec *s = bpf_map_lookup_elem(&__bpf_usdt_specs, &id);
	struct hit *h = bpf_map_lookup_elem(&hits, &slot);

	if (!s || !h)
		return 0;
	__sync_fetch_and_add(&h->count, 1);
	h->cookie = s->usdt_cookie;
	h->nargs = s->arg_cnt;
	/* Linux 6.1 rejects a loop whose first instruction follows one that is not a jump. */
#pragma unroll
	for (int i = 0; i < 4; i++)
		h->args[i] = i < s->arg_cnt ? argument(ctx, &s->args[i]) : 0;
	return 0;
}

SEC("usdt")
int on_begin(void *ctx)
{
	return note(ctx, 0);
}

/* Loaded for events; libbpf loads those of section usdt for links of many places, where there are such links. */
SEC("uprobe")
int on_step(void *ctx)
{
	return note(ctx, 1);
}

SEC("uprobe")
int on_end(void *ctx)
{
	return note(ctx, 2);
}
