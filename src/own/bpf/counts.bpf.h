/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_BPF_COUNTS_BPF_H
#define OWN_BPF_COUNTS_BPF_H

#include <stdint.h>

struct count { /* what counts.bpf.c writes for each map with a count */
	uint32_t id, pad;
	uint64_t n;
};

#endif
