/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"
#include "record/view.h"
#include "series/history.h"

/* The rows of `top`: programs in the last interval, selected and sorted. */
struct top_rec {
	struct stats_rec s;
	const struct history_prog *of; /* NULL: it is unloaded */
	const char *where, *owner, *history;
	uint64_t memlock;
	uint8_t has_where, has_owner, has_memlock; /* enum avail */
};
/* What the user wants to see. */
struct rows_wish {
	const char *columns, *filter, *sort; /* as in struct records_opts; NULL: the default ones */
	bool all;			     /* without columns: every field, as JSON has */
	struct arg_list words;
};
struct rows {
	struct arena *arena; /* of the records; cleared by rows_update() */
	struct top_rec *rec; /* all, ascending by id */
	size_t nrec;
	const struct top_rec **row; /* those that the wish selects, in its order */
	size_t n;
	size_t idle, gone; /* records that did not run, and that are unloaded */
	struct view view;
	struct rows_wish wish;
};
void rows_init(struct rows *r);
void rows_release(struct rows *r);
/* Sets columns, filter, order and words; they are not copied. 0, or -EINVAL with a message and nothing changed. */
int rows_want(struct rows *r, struct env *env, const struct rows_wish *w, struct err *e);
/* Ends a read of @h: makes the records of the interval, as history_end(). */
void rows_update(struct rows *r, struct history *h, uint64_t lapse_ns, const char *time);
/*
 * Selects and sorts them. With @idle_last, programs that did not run follow the others, and unloaded ones are left out.
 * A word selects programs by id or name, by type, by a part of the place, or by a part of the owner, whichever of these
 * any program has; words of one sort are alternatives, all sorts must match.
 */
void rows_choose(struct rows *r, bool idle_last);
#define ROWS_CELLS 10u
/* Sets the history of @n rows from @first on, as text of ROWS_CELLS characters. */
void rows_draw_history(struct rows *r, size_t first, size_t n);

/*
 * A history as a line of @cells blocks or, outside UTF-8, other characters: each stands for the highest of its points,
 * the newest is on the right; a full block is the highest of all, a blank is 0 or no point. In @a.
 */
const char *rows_spark(const struct history_ring *h, unsigned cells, struct arena *a);
