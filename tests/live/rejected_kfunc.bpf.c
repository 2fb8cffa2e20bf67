/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that no kernel has the function for. */
#include "types.bpf.h"

extern int no_such_kfunc(void) __attribute__((section(".ksyms")));
SEC("tc") int unknown_kfunc(void *ctx)
{
	return no_such_kfunc();
}
