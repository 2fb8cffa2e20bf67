/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIFF_FIELDS_H
#define DIFF_FIELDS_H

#include <stdbool.h>

struct kind;
struct side;
struct diff_item;
struct field;
struct schema;
struct arena;
/*
 * Inside the folder: which facts of an object are compared, and as what. Left out is what is different each time (ids,
 * addresses, pids, times) and what changes by itself (counters, memory, fill). What names another object is compared by
 * that object's name.
 */
unsigned fields_need(const struct kind *k, bool counters); /* enum need */
/* Sets what items know by other items: the programs of links, the users of maps. */
void fields_name(struct side *s);

/* One difference of a pair: as JSON, "null" for what does not apply. Lives in the arena of the side of the second. */
struct field_difference {
	const char *field, *before, *after;
	bool unknown; /* one of them does not say: whether they are the same is not known */
};
typedef void field_differs(void *ctx, const struct field_difference *d);
/* @same_code: what follows from the instructions alone is compared, too. */
void fields_compare(const struct side *sa, const struct diff_item *a, const struct side *sb, const struct diff_item *b,
		    bool same_code, field_differs *fn, void *ctx);

/*
 * Counters that changed, of an object that was there all the time: with the same id, on a machine that was not booted
 * again. *ret_known: one of its counters is known on both sides, and set then only.
 */
struct field_count {
	const char *field, *before, *after;
	bool unknown; /* one of them does not say */
	double grown; /* by so much */
};
typedef void field_counts(void *ctx, const struct field_count *c);
void fields_count(const struct side *sa, const struct diff_item *a, const struct side *sb, const struct diff_item *b,
		  bool *ret_known, field_counts *fn, void *ctx);

#endif
