/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

struct count { /* what counts.bpf.c writes for each map with a count */
	uint32_t id, pad;
	uint64_t n;
};
