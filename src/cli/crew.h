/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct render;
struct report;
/*
 * For this folder only: do jobs 0 to n - 1 in several processes, one for each CPU that we may use, each one job
 * at a time. All print records to the same list. The output of a job is held until those of the jobs before it are
 * printed, so the order is that of the jobs. With few jobs, one CPU, or a format that is not line by line, there
 * are no other processes, but the same calls.
 */
struct crew {
	size_t n;
	struct render *r; /* begun */
	bool alone;	  /* no other processes, because @ctx is needed after @work */
	/* Called in a worker: print the records of job @i, and fill in @report. 0 or -errno. */
	int (*work)(void *ctx, size_t i, struct report *report);
	/* Called in this process with the result of @work; release @report. -ECHILD: the worker ended too early, and
	 * @report is empty. */
	void (*take)(void *ctx, size_t i, int err, struct report *report);
	void *ctx;
};
/* Run until all jobs are done, or the reader of the output is gone. */
void crew_run(const struct crew *c);
