/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RENDER_ITEMS_H
#define RENDER_ITEMS_H

#include <stdbool.h>
#include "render/jsonw.h"

struct report;
struct schema;
/*
 * JSON values that a command of its own making tells one after the other: the elements of one array, or with --ndjson a
 * line each. Inside another document (batch) there is no place for lines. (Lists of records have renderers for that.)
 */
struct items {
	struct report *report;
	bool lines;
	struct jsonw line;
};
/* Opens the array. @lines: a line each also where the user did not ask for JSON; otherwise plain text gets nothing. */
void items_begin(struct items *it, struct report *r, bool lines);
/* Where the next one goes, complete: one value. NULL: plain text. */
struct jsonw *item_begin(struct items *it);
void item_end(struct items *it);
/* Neither an array nor lines were asked for: the caller has text of its own. */
static inline bool items_are_text(struct items *it)
{
	return !item_begin(it);
}
/* A record, as an item. */
void item_record(struct items *it, const struct schema *s, const void *rec);
void items_end(struct items *it);

#endif
