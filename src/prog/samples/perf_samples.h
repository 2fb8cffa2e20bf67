/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
struct code_index;
/* Samples of perf instead of those of a recording: `report --perf`. */

/*
 * Makes the machine of @env, a recording, use the samples of the file @path; the string @path must outlive the machine.
 * 0 or -errno, as source_perf().
 */
int perf_samples_use(struct env *env, const char *path, struct err *e);

/* Addresses of instructions and callers in BPF programs, according to the recording or to perf. */
struct perf_addrs {
	uint64_t all;
	uint64_t resolved; /* in a program of the recording that was loaded then, or in one of bpflens */
};
/* Counts these, and sets a note with the counts. Parts of perf's file that are missing count as unread. */
struct perf_addrs perf_samples_count(struct env *env, const struct code_index *index);
