/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* Inside the folder: label sets, each with the values of the metrics that have these labels. */
enum metrics_label {
	LABEL_KIND,
	LABEL_PLACE,
	LABEL_WHAT,
	LABEL_NAME,
	LABEL_TYPE,
	LABEL_TAG,
	LABEL_WHERE,
	LABEL_UNIT,
	LABEL_ID,
	LABEL_VERSION,
	LABELS
};
#define SERIES_VALUES 5
struct series {
	struct series *next;	   /* with the same hash */
	const char *label[LABELS]; /* NULL: the set does not have it */
	uint64_t value[SERIES_VALUES];
	unsigned known; /* bit i: value i exists */
};
struct series_set {
	struct arena *keep; /* of the sets and their labels; without scopes */
	struct hash found;  /* of struct series */
	struct series **v;  /* in the order of the first value */
	size_t n, cap;
};
void series_init(struct series_set *s, struct arena *keep);

/* How many series there may still be, and how many values are in none because there was no room. */
struct series_limit {
	uint64_t room, left_out;
};
/*
 * The set with these labels, which are copied if it is new. NULL: there is no room for a new one, or too many sets have
 * the same hash.
 */
struct series *series_of(struct series_set *s, const struct series_limit *l, const char *const label[LABELS]);
/* Add to value @i of a set, which ends at UINT64_MAX; @one NULL, or no room for another series: it is left out. */
void series_add(struct series *one, struct series_limit *l, unsigned i, uint64_t value);
