/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct field;
struct env;
struct err;
struct arena;
/* The rows of the field tables as text. */
const char *column_type(const struct field *f, struct arena *a); /* "number", "list of numbers", "word", ... */
const char *column_unit(const struct field *f);			 /* "bytes", "id of a map", ...; "" if it has none */

/*
 * view_parse(), and check the words that a filter compares with a kernel's names: @env's machine may know newer ones.
 * -EINVAL with similar names for one that nothing has.
 */
struct view;
struct schema;
int columns_view(struct env *env, struct view *ret, const struct schema *s, const struct schema *const *parts,
		 const char *cols, const char *filter, const char *sort, struct err *e);

/* `--list-columns`: print a record for each column of the schema, and of the parts that depend on an object's type (or
 * NULL). */
int columns_print(struct env *env, const struct schema *s, const struct schema *const *parts, struct err *e);
