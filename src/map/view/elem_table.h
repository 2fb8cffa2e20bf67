/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
struct query;
/*
 * Elements as rows of a table with members as columns: names as names_spell() accepts them, `cpu` for a per-CPU map,
 * with a row for each CPU, and `map_id`. Without a type, bytes. JSON has an object for each row, with the full names of
 * the columns. Up to ELEM_TABLE_MEASURE rows of a map are held to measure the columns.
 */
#define ELEM_TABLE_MEASURE 1024u
#define ELEM_TABLE_USUAL 64u /* at most this many default columns */
struct elem_table;
struct elem_table *elem_table_begin(struct env *env, bool headings);
/*
 * Begins the elements of a map, as @q returns them. @columns: "saddr,value.bytes"; with a leading +, in addition to the
 * default ones, which are all members (a list is one column); "+" alone: the default. @several: the map's id is a
 * column. -EINVAL with a sentence.
 */
int elem_table_map(struct elem_table *t, const struct query *q, uint32_t id, const char *columns, bool several,
		   struct err *e);
/* After elem_table_map(), when the elements can be read: the heading. */
void elem_table_open(struct elem_table *t);
/* All rows of an element. @err: 0, or -errno of the lookup of this key. */
void elem_table_add(struct elem_table *t, const unsigned char *key, int err);
/* One by one: how many rows the element has, one for each CPU; a row is printed if the filter selects it. */
uint32_t elem_table_rows(const struct elem_table *t, int err);
void elem_table_row(struct elem_table *t, const unsigned char *key, uint32_t cpu, int err);
/* All rows of the elements that the query holds, those of one CPU after those of another, in the order of --sort cpu.
 */
void elem_table_by_cpu(struct elem_table *t);
void elem_table_end(struct elem_table *t);
/* Is the output text with headings, not JSON? */
bool elem_table_is_text(const struct elem_table *t);
/* `--list-columns` of a map. */
int elem_table_columns(struct env *env, const struct query *q, uint32_t id, struct err *e);
