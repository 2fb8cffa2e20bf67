/* SPDX-License-Identifier: BSD-2-Clause */
/* For `prog verify`: chains of calls, a loop, a map whose size its loader sets, and a pinned one. */
#include "types.bpf.h"

struct {
	__uint(type, MAP_ARRAY);
	__type(key, int);
	__type(value, long);
} sized_later SEC(".maps");

struct {
	__uint(type, MAP_ARRAY);
	__uint(max_entries, 1);
	__uint(pinning, 1 /* LIBBPF_PIN_BY_NAME */);
	__type(key, int);
	__type(value, long);
} lens_verify_pin SEC(".maps");

static __attribute__((noinline)) int touch(volatile char *p, int n)
{
	p[n & 63] = 1;
	return p[0];
}

static __attribute__((noinline)) int shallow(int n)
{
	volatile char room[64] = {};

	return touch(room, n);
}

static __attribute__((noinline)) int deep(int n)
{
	volatile char room[128] = {};

	return touch(room, n) + 1;
}

SEC("socket") int chains(void *ctx)
{
	volatile long here = 1;

	return shallow(here) + deep(here);
}

SEC("socket") int loops(void *ctx)
{
	int key = 0;
	long sum = 0, *v = bpf_map_lookup_elem(&sized_later, &key);

	for (int i = 0; v && i < 100; i++)
		sum += v[0] & i; /* each turn */
	return bpf_map_lookup_elem(&lens_verify_pin, &key) ? sum : 0;
}

/* Not loaded by default, and rejected. */
SEC("?socket") int unchecked(struct { __u32 len; } * ctx)
{
	int key = ctx->len;
	long *v = bpf_map_lookup_elem(&sized_later, &key);

	return *v;
}
