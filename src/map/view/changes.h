/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_VIEW_CHANGES_H
#define MAP_VIEW_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "btf/value/leaves.h"
#include "host/pace.h"

struct state;
struct wide;
/* What became different from one state of a map to the next. */
enum change_kind { CHANGE_VALUE, CHANGE_NEW, CHANGE_GONE, CHANGE_KINDS };
extern const char *const change_words[CHANGE_KINDS]; /* "changed", "new", "gone" */
struct change {
	enum change_kind kind;
	const unsigned char *elem; /* as it is now, or was: key and value, in its state */
	const unsigned char *old;  /* CHANGE_VALUE: as it was; else NULL */
	double moved;		   /* CHANGE_VALUE: of the number that moved most, how far, up or down */
};
/* Between two looks, by each clock. A number that was written meanwhile and is a time of then is no counter. All zero:
 * unknown. */
struct lapse {
	uint64_t from[PACE_CLOCKS], to[PACE_CLOCKS];
};
struct changes {
	struct lapse lapse; /* the caller's */
	struct change *change;
	size_t n, cap;
	size_t kinds[CHANGE_KINDS]; /* how many of each */
};
/*
 * @value: the members that matter, in the value; with none of them all bytes do. Changed ones first, the fastest first,
 * then the new and the gone ones; those that are alike by their keys.
 */
void changes_find(struct changes *ret, const struct state *old, const struct state *now, const struct leaves *value);
void changes_release(struct changes *c);
/* How far a number moved; false: it is no number, or a time, or not within the values of n bytes. */
bool leaf_moved(const struct leaf *l, const struct lapse *lapse, const void *old, const void *now, size_t n,
		struct wide *ret);

#endif
