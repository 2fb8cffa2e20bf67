/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/file/codes_seen.h"

struct arena;
struct lives;
struct perf_data_head;
/*
 * Conversion from the clock of a perf file to that of boot. The kernel reports the unload of a program to all listeners
 * at the same moment, so each unload that is also in the recording gives both clocks at that moment; between two of
 * them the drift is linear. Zeroed at first.
 */
struct perf_time {
	struct perf_time_pair {
		uint64_t perf, boot;
	} * pair; /* ascending after perf_time_settle() */
	size_t n, cap;
	struct codes_seen seen; /* filled with codes_seen_add() before perf_time_settle() */
	int64_t load;		/* the least time by which perf was later than a load, because it is reported after the
				   verification */
	size_t nloads;
};
/*
 * After the last record, before the first conversion; also settles what was seen. @a: for the time of the call.
 * -ENODATA with a sentence and a hint: the clocks cannot be compared.
 */
int perf_time_settle(struct perf_time *t, const struct perf_data_head *h, const struct lives *lives, struct arena *a,
		     const char *path, struct err *e);
/*
 * The same, and -ERANGE: perf sampled from @first to @last, by its clock, and the recording was not made then.
 */
int perf_time_compare(struct perf_time *t, const struct perf_data_head *h, const struct lives *lives, uint64_t first,
		      uint64_t last, struct arena *a, const char *path, struct err *e);
uint64_t perf_time_boot(const struct perf_time *t, uint64_t perf);
uint64_t perf_time_perf(const struct perf_time *t, uint64_t boot); /* the reverse; 0: before perf's clock began */
void perf_time_release(struct perf_time *t);
