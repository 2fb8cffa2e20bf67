/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_PERF_TIME_H
#define SOURCE_PERF_TIME_H

#include <stddef.h>
#include <stdint.h>

struct lives;
struct perf_data_head;
struct sideband_record;
struct err;
/*
 * From the clock of a file of perf to that of boot. The end of a program is told to all who listen in one go, so that
 * of each that the recording has an end of, too, the two clocks are known at one moment; between two of them they go
 * apart evenly. Begins as zeros.
 */
struct perf_time {
	struct perf_time_pair {
		uint64_t perf, boot;
	} * pair; /* ascending when settled */
	size_t n, cap;
	int64_t load; /* the least by which perf was later than a load; it is told when the program was verified */
	size_t nloads;
};
/* A SIDEBAND_PROG record of the file. */
void perf_time_prog(struct perf_time *t, const struct lives *lives, const struct sideband_record *r);
/* Behind the last one, before the first question. -ENODATA with a sentence and a hint: nothing says what the times are.
 */
int perf_time_settle(struct perf_time *t, const struct perf_data_head *h, const char *path, struct err *e);
uint64_t perf_time_boot(const struct perf_time *t, uint64_t perf);
void perf_time_release(struct perf_time *t);

#endif
