/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct member;
struct value_plan;
/* The plans in which members are searched for; bare: no type, an integer or bytes. */
struct query_names {
	const struct value_plan *key, *value;
	bool key_bare, value_bare;
	uint32_t cpus; /* 0: the values are not per CPU */
};
/*
 * "value.in.x", or "in.x" if only one of the two has it, as in a filter. -EINVAL with a sentence.
 */
int names_find(const struct query_names *n, const char *name, struct member *ret, bool *ret_of_value, struct err *e);
/* The path after "key" or "value"; NULL: it begins with neither. */
const char *names_root(const char *name, bool *ret_of_value);
/* The heading of a column, "VALUE.IN.X", as the name of its member; a name that is one, or that nothing has, is
 * returned as it is. */
const char *names_spell(const struct query_names *n, const char *name, struct arena *a);
/* Columns that are no members. */
enum row_name { ROW_NONE, ROW_CPU, ROW_MAP };
enum row_name names_row(const struct query_names *n, const char *name);
