/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct field;
struct schema;
struct view;
struct plain;
/*
 * The parts of a block of text for records of one schema: the fields in the order of their lines, with parsed
 * templates.
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
