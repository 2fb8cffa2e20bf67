/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_COLUMN_H
#define RECORD_COLUMN_H

#include <stddef.h>

struct schema;
struct field;
struct err;
/*
 * The fields that are columns, of the fixed part and then of each of @parts, one by one: { .s = schema, .parts = parts
 * }. A name may come more than once. c->s is the schema that the field returned last is of.
 */
struct columns {
	const struct schema *s;
	const struct schema *const *parts;
	size_t i;
};
const struct field *columns_next(struct columns *c);

/*
 * Columns as the user names them, by name or by the heading that tables print, over the fixed part and every part a
 * record may have (@parts: NULL-terminated, or NULL). column_find() returns the first row of that name, or NULL;
 * *ret_need is the OR of the needs of all of them.
 */
const struct field *column_find(const struct schema *s, const struct schema *const *parts, const char *name,
				unsigned *ret_need);
/* "no such column", with the nearest ones; returns err_usage()'s code. */
int column_unknown(struct err *e, const struct schema *s, const struct schema *const *parts, const char *name);

#endif
