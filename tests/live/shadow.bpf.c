/* SPDX-License-Identifier: BSD-2-Clause */
/* A struct_ops map with a member of every kind, for `gen skeleton`; no kernel has such operations. */
#include "types.bpf.h"

struct sock;
struct lens_ops {
	int (*first)(struct sock *sk);
	const __u32 flags;
	unsigned int bits : 5, more : 4;
	char c;
	long number;
	void *data;
	char name[16];
	union {
		int a;
		long b;
	} both;
	union {
		int x;
		char y;
	};
	short last;
};

SEC("struct_ops/lens_first") int lens_first(void *ctx)
{
	return 0;
}

SEC(".struct_ops") struct lens_ops lens_shadow = { .first = (void *)lens_first, .flags = 3, .name = "lens" };
