/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct value_plan;
/*
 * Makes one value of the values of all CPUs: sum, maximum or mean of each integer, also in arrays. All other members
 * (text, names of enums, bits, bools, pointers, floats) are those of the first CPU. Results are 64 bits wide, so that a
 * sum of 32-bit counters does not overflow; a sum of 64-bit counters is modulo 2^64. A mean is rounded towards zero.
 */
enum aggregate { AGGREGATE_NONE, AGGREGATE_SUM, AGGREGATE_MAX, AGGREGATE_AVG };
struct aggregator {
	enum aggregate how;
	const struct value_plan *from; /* of the values, of n bytes */
	const struct value_plan *plan; /* of the result, of size bytes */
	size_t n, size;
};
/* -E2BIG with a message for types whose result would be larger than 64 MiB. */
int aggregator_init(struct aggregator *ret, enum aggregate how, const struct value_plan *p, size_t n, struct arena *a,
		    struct err *e);
/* @cpus values, at least one, @stride bytes apart; @ret has g->size bytes. */
void aggregate(const struct aggregator *g, const unsigned char *values, size_t stride, uint32_t cpus,
	       unsigned char *ret);
