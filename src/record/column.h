/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct schema;
struct field;
/*
 * Iterates over the fields that are columns, of the fixed part and then of each of @parts: { .s = schema, .parts =
 * parts }. A name may occur more than once. c->s is the schema of the field returned last.
 */
struct columns {
	const struct schema *s;
	const struct schema *const *parts;
	size_t i;
};
const struct field *columns_next(struct columns *c);

/*
 * Find a column by the name that the user typed, or by the heading that tables print, in the fixed part and every part
 * a record may have (@parts: NULL-terminated, or NULL). Returns the first field of that name, or NULL; *ret_need is the
 * OR of the needs of all fields of that name.
 */
const struct field *column_find(const struct schema *s, const struct schema *const *parts, const char *name,
				unsigned *ret_need);
/* Set the error for an unknown column, with similar names; returns err_usage()'s code. */
int column_unknown(struct err *e, const struct schema *s, const struct schema *const *parts, const char *name);
