/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RENDER_PLAIN_SHAPE_H
#define RENDER_PLAIN_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

struct field;
struct schema;
struct view;
struct plain;
/* What a block of text for records of one schema is made of: the fields in the order of their lines, their templates
 * taken apart. */
struct plain_slot {
	const struct field *f;
	const struct schema *s; /* for field_get() */
	/* Its template, taken apart: n bytes stand before the value, of which the first ones are blanks. */
	const char *before, *after; /* after NULL: it has no place for a value */
	size_t n, blanks;
	const char *plural; /* "(s)" in after; NULL: none */
};
struct plain_shape {
	struct plain_shape *next;
	const struct schema *base, *part;
	const struct view *view;
	unsigned skip;
	bool headline;
	const struct plain_slot **shown; /* of slots, those that this view has */
	size_t nshown;
	size_t n;
	struct plain_slot slots[];
};
/* The shape of a record in a view; made once, and kept in p->shapes. */
const struct plain_shape *plain_shape_of(struct plain *p, const struct schema *s, const struct view *view,
					 unsigned skip, const void *rec);

#endif
