/* SPDX-License-Identifier: BSD-2-Clause */
/* A map, and no program that uses it. */
#include "types.bpf.h"

struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, long);
} lens_alone SEC(".maps");
