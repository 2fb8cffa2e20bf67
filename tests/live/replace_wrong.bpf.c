/* SPDX-License-Identifier: BSD-2-Clause */
/* As replace_new.bpf.c, with a program that the verifier rejects. */
#define REPLACE_NEW
#include "replace.bpf.h"

SEC("tc") int rp_unchecked(struct skb *skb)
{
	__u32 key = 0;

	return *(volatile int *)bpf_map_lookup_elem(&rp_ordered, &key);
}
