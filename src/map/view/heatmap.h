/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "render/buckets.h"

struct env;
/* Counts of the same buckets, read repeatedly: a picture with time from left to right. */
struct heatmap {
	struct env *env;
	/* Reads the present counts of all buckets. */
	int (*look)(void *ctx, uint64_t *ret, struct err *e);
	void *ctx;
	struct bucket *bucket; /* n, ascending; only lo and hi */
	size_t n;
	bool grows; /* counters: the increase is shown */
	bool log2;
	uint64_t interval; /* nanoseconds; 0: one second */
	uint32_t count;	   /* readings; 0: until interrupted */
};
/*
 * On a terminal, redrawn after each reading; elsewhere drawn once, at the end. JSON: {"time", "total", "buckets"} for
 * each reading, in a list or with --ndjson on a line, at once.
 */
int heatmap_run(struct heatmap *h, struct err *e);

/* The level of a count: 0 for 0, 1 to HEAT_LEVELS - 1 by the number of binary digits, the last for @most. */
#define HEAT_LEVELS 10u
unsigned heat_level(uint64_t count, uint64_t most);
