/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "types/value/leaves.h"
#include "host/pace.h"

struct state;
/* Differences between two states of a map. */
enum change_kind { CHANGE_VALUE, CHANGE_NEW, CHANGE_GONE, CHANGE_KINDS };
extern const char *const change_words[CHANGE_KINDS]; /* "changed", "new", "gone" */
struct change {
	enum change_kind kind;
	const unsigned char *elem; /* key and value, in their state: the new one, or the old one if it has gone */
	const unsigned char *old;  /* CHANGE_VALUE: in the old state; else NULL */
	double moved;		   /* CHANGE_VALUE: change of the number that changed most */
};
/*
 * The interval between two readings, by each clock. A number that changed to a time within it is a timestamp, not a
 * counter. All zero: unknown.
 */
struct lapse {
	uint64_t from[PACE_CLOCKS], to[PACE_CLOCKS];
};
struct changes {
	struct lapse lapse; /* the caller's */
	struct change *change;
	size_t n, cap;
	size_t kinds[CHANGE_KINDS]; /* number of each kind */
};
/*
 * @value: the members to compare; if there are none, all bytes are. Changed elements first, the fastest first, then new
 * and gone ones; equal ones in the order of their keys.
 */
void changes_find(struct changes *ret, const struct state *old, const struct state *now, const struct leaves *value);
void changes_release(struct changes *c);
/* The change of a number; false: it is not a number, or a timestamp, or not within the n bytes of the value. */
bool leaf_has_moved(const struct leaf *l, const struct lapse *lapse, const void *old, const void *now, size_t n,
		    struct wide *ret);
