/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct kind;
struct side;
struct diff_item;
/*
 * Inside the folder: which fields of an object are compared, and how. Fields that differ each time (ids, addresses,
 * pids, times) or change by themselves (counters, memory, fill) are left out. A reference to another object is compared
 * by the name of that object.
 */
unsigned fields_need(const struct kind *k, bool counters); /* enum need */
/* Sets the facts that depend on other items: the names of links, the users of maps. */
void fields_name(struct side *s);

/* Are these the times of one boot, in nanoseconds since the epoch? */
bool boots_are_same(uint64_t x, uint64_t y);

/* One difference of a pair. Values are JSON, "null": does not apply. Lives in the arena of the second side. */
struct field_difference {
	const char *field, *before, *after;
	bool unknown; /* the value is unknown on one side, so they cannot be compared */
};
typedef void field_differs(void *ctx, const struct field_difference *d);
/* @same_code: fields that depend on the instructions only are also compared. */
void fields_compare(const struct side *sa, const struct diff_item *a, const struct side *sb, const struct diff_item *b,
		    bool same_code, field_differs *fn, void *ctx);

/*
 * Counters that changed, of an object that existed all the time: it has the same id, and the machine was not rebooted.
 * *ret_known is set to true if one of the counters is known on both sides, and else not changed.
 */
struct field_count {
	const char *field, *before, *after;
	bool unknown; /* the value is unknown on one side */
	double grown; /* increase */
};
typedef void field_counts(void *ctx, const struct field_count *c);
void fields_count(const struct side *sa, const struct diff_item *a, const struct side *sb, const struct diff_item *b,
		  bool *ret_known, field_counts *fn, void *ctx);
