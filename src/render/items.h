/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "render/jsonw.h"

struct report;
struct schema;
/*
 * JSON values that a command writes one after the other: the elements of one array or, with --ndjson, one per line.
 * Inside another document (batch) lines are not possible. (Lists of records have renderers.)
 */
struct items {
	struct report *report;
	bool lines;
	struct jsonw line;
};
/*
 * Begin the array. @lines: one line each even if the user did not request JSON; otherwise nothing is written in text.
 */
void items_begin(struct items *it, struct report *r, bool lines);
/* The writer for the next item, which must be one complete value. NULL: plain text. */
struct jsonw *item_begin(struct items *it);
void item_end(struct items *it);
/* Is neither an array nor lines requested? Then the caller prints text. */
static inline bool items_are_text(struct items *it)
{
	return !item_begin(it);
}
/* Write a record as an item. */
void item_record(struct items *it, const struct schema *s, const void *rec);
void items_end(struct items *it);
