/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct sideband_record;
/*
 * Names of processes, including those that have ended: from SIDEBAND_COMM and SIDEBAND_FORK, or else from /proc. A
 * cache of a fixed size, by the low bits of the pid.
 */
#define TASKS_SLOTS 16384 /* a power of two */
#define TASKS_COMM 16
struct tasks {
	struct task_name {
		uint32_t pid;
		char comm[TASKS_COMM];
	} * slot; /* pid 0: free */
};
void tasks_init(struct tasks *t);
void tasks_release(struct tasks *t);
/* Uses SIDEBAND_COMM and SIDEBAND_FORK, and ignores other records. */
void tasks_note(struct tasks *t, const struct sideband_record *r);
/* NULL: unknown. Valid until the next call. */
const char *tasks_comm(struct tasks *t, uint32_t pid);
