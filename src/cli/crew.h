/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_CREW_H
#define CLI_CREW_H

#include <stdbool.h>
#include <stddef.h>

struct render;
struct report;
/*
 * Inside the folder: work on things 0 to n - 1 by several processes, one for each CPU that we may use, each on one
 * thing at a time. Each prints records to the same list: what it prints is kept until those of the things before are
 * out, so the order is that of the things. Few things, one CPU, or a format that is not made line by line: no other
 * process, and the same calls.
 */
struct crew {
	size_t n;
	struct render *r; /* begun */
	bool alone;	  /* no other process: what @work leaves in @ctx is needed */
	/* In a process of its own: the records of thing @i, and what is to be said of it. 0 or -errno. Fills in
	 * @report. */
	int (*work)(void *ctx, size_t i, struct report *report);
	/* In this one: what it returned; @report is to be released. -ECHILD: its process ended before it was done, the
	 * report is empty. */
	void (*take)(void *ctx, size_t i, int err, struct report *report);
	void *ctx;
};
/* Until all are done, or nobody reads what is printed. */
void crew_run(const struct crew *c);

#endif
