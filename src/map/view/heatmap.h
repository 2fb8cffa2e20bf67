/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_VIEW_HEATMAP_H
#define MAP_VIEW_HEATMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "map/elem/buckets.h"

struct env;
struct err;
/* Counts of the same buckets, looked at again and again: a picture with time from left to right. */
struct heatmap {
	struct env *env;
	/* All buckets as they are now. */
	int (*look)(void *ctx, uint64_t *ret, struct err *e);
	void *ctx;
	struct bucket *bucket; /* n, ascending; only lo and hi */
	size_t n;
	bool grows; /* counters: what matters is how much was added */
	bool log2;
	uint64_t interval; /* nanoseconds; 0: one second */
	uint32_t count;	   /* looks; 0: until interrupted */
};
/*
 * On a terminal drawn again after each look; elsewhere once, at the end. JSON: {"time", "total", "buckets"} for each
 * look, in a list or with --ndjson a line each, at once.
 */
int heatmap_run(struct heatmap *h, struct err *e);

/* How dark: 0 for nothing, 1 to HEAT_LEVELS - 1 by the number of binary digits, the last for @most. */
#define HEAT_LEVELS 10u
unsigned heat_level(uint64_t count, uint64_t most);

#endif
