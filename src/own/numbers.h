/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

/*
 * A task has a number in each process namespace that it is in. Our BPF programs report the one in the reader's, as in
 * its /proc; a call of the program by the reader makes it learn which that is.
 */
struct numbers {
	uint64_t namespace; /* 0: not learned */
	uint32_t level, pad;
};
