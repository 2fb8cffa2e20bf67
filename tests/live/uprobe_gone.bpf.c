/* SPDX-License-Identifier: BSD-2-Clause */
/* A program for a function that does not exist. */
#include "types.bpf.h"

SEC("uprobe//proc/self/exe:lens_no_such_function") int lens_gone(void *ctx)
{
	return 0;
}
