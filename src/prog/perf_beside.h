/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_PERF_BESIDE_H
#define PROG_PERF_BESIDE_H

#include <stdint.h>

struct env;
struct err;
struct code_index;
/* Samples of perf in place of those of a recording: `report --perf`. */

/* From now on @env's machine, a recording, has those of the file @path, which outlives it. 0; -errno, as source_perf().
 */
int perf_beside(struct env *env, const char *path, struct err *e);

/* Addresses of instructions and callers in BPF programs, by the recording or by what perf saw. */
struct perf_addrs {
	uint64_t all;
	uint64_t resolved; /* a program of the recording was there then, or one of ours all the time */
};
/* Counts them, and leaves a note with the counts. What is missing of perf's file counts as unread. */
struct perf_addrs perf_beside_count(struct env *env, const struct code_index *index);

#endif
