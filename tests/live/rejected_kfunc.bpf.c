/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that calls a function that no kernel has. */
#include "types.bpf.h"

extern int no_such_kfunc(void) __attribute__((section(".ksyms")));
SEC("tc") int unknown_kfunc(void *ctx)
{
	return no_such_kfunc();
}
