/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "types.bpf.h"

/* The process that gets wrong answers. */
static __always_inline int is_victim(void)
{
	char comm[16] = "";

	bpf_get_current_comm(comm, sizeof(comm));
	return *(__u64 *)comm == 0x736e656c667062ull; /* "bpflens" */
}
