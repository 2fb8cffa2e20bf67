/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct field;
struct schema;
struct view;
struct plain;
/*
 * The layout of a record as plain text. What is in capitals comes from the record; the rest is what the rows of the
 * schema say (record/field.h). Fields that are left out leave no blanks, and lines without fields are not there.
 *
 *   block    = line { newline indent line } ;   fields of one field.line; indent: schema.indent, or a tab
 *   line     = [ margin ] item { item } ;       in the order of field.col; the first item has no blanks at its start
 *   item     = value | word | each | keyed | table | TEXT ;
 *
 *   value    = before VALUE after ;             field.plain "before%after"; NULL: "  name %"
 *   after    = text [ "s" text ] ;              "(s)" in it: an s unless VALUE is 1
 *   VALUE    = "?" | characters ;               "?": it could not be read; at least as wide as field.width
 *   word     = plain ;                          field.plain without %: printed only if the value is not zero
 *            | yes | no ;                       FT_BOOL, field.plain "yes|no"; either may be empty
 *   each     = [ head newline tab ] value { newline tab value } ;          FIELD_EACH: elements of FT_LIST, FT_ROWS
 *   keyed    = ( plain | name ":" ) { newline tab tab KEY " = " VALUE } ;  FT_ROWS without schema.text, FIELD_KEYED
 *   table    = title { " " title } { newline tab cell { " " cell } } ;     FT_ROWS without schema.text
 *   cell     = [ value | word ] ;                                          at least as wide as field.width
 *   TEXT     = before text after ;              field.text(): what it writes, in place of VALUE; nothing: no item
 *
 * After other items, each and table begin with newline tab. A field with FIELD_ELSE is printed only if the one before
 * it does not apply. The parts of a block are found once for all records of one schema and view:
 */
struct plain_slot {
	const struct field *f;
	const struct schema *s; /* for field_get() */
	/* The parsed template: n bytes before the value, the first of them blanks. */
	const char *before, *after; /* after NULL: the template has no value */
	size_t n, blanks;
	const char *plural; /* "(s)" in after; NULL: none */
};
struct plain_shape {
	struct plain_shape *next;
	const struct schema *base, *part;
	const struct view *view;
	unsigned skip;
	bool headline;
	const struct plain_slot **shown; /* those of slots that the view shows */
	size_t nshown;
	size_t n;
	struct plain_slot slots[];
};
/* The shape of a record in a view; made once, and kept in p->shapes. */
const struct plain_shape *plain_shape_of(struct plain *p, const struct schema *s, const struct view *view,
					 unsigned skip, const void *rec);
