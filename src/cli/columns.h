/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

struct field; struct env; struct err; struct arena;
/* The rows of the field tables, told to people. */
const char *column_type(const struct field *f, struct arena *a);	/* "number", "list of numbers", "word", ... */
const char *column_unit(const struct field *f);				/* "bytes", "id of a map", ...; "" if it has none */

/* `--list-columns`: a record for each column of env->kind and of the parts that depend on an object's type. */
int columns_print(struct env *env, struct err *e);

#endif
