/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

#include "own/ksym.h"

/* What ksym.bpf.c and ksym.c share: the program's variables. */
struct ksym_run {
	uint64_t addr; /* 0: only set call_base */
	uint64_t call_base;
	char text[KSYM_TEXT_MAX];
};
