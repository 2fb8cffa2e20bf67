/* SPDX-License-Identifier: BSD-2-Clause */
/* A program of a type that only newer kernels have, for test_replace.py. */
#include "types.bpf.h"

SEC("netfilter") int rq_netfilter(void *ctx)
{
	return 1;
}
