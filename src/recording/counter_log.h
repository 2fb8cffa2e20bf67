/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/counters.h"

struct catalog;
/*
 * Writes the counters of all programs to the file of a recording (source/counters.h), a moment each time. Zeroed, it
 * does nothing.
 */
struct counter_log {
	struct catalog *cat;  /* its file, and our own programs, which are left out; NULL: nothing is written */
	struct counters last; /* what was written before */
	struct {
		struct counter *v;
		size_t cap;
	} room[2];	 /* for @last and what comes next */
	unsigned next;	 /* the one for what comes next */
	uint64_t pieces; /* in the file */
};
void counter_log_init(struct counter_log *log, struct catalog *cat);
void counter_log_release(struct counter_log *log);
/* Write the present counters. A program that cannot be read keeps its last ones until it is not listed any more. */
void counter_log_write(struct counter_log *log);
/* The catalog continues in another file. */
void counter_log_next(struct counter_log *log);
