/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_VIEW_ELEM_TABLE_H
#define MAP_VIEW_ELEM_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct env;
struct err;
struct query;
/*
 * Elements as rows of a table, members as its columns: names as query_member() takes them, `cpu` where each CPU has a
 * value, then a row a CPU, and `map_id`. What has no type is bytes. JSON has an object a row, by the full names of its
 * columns. Up to ELEM_TABLE_MEASURE rows a map are kept, to see how wide the columns are.
 */
#define ELEM_TABLE_MEASURE 1024u
#define ELEM_TABLE_USUAL 64u /* usual columns at most */
struct elem_table;
struct elem_table *elem_table_begin(struct env *env, bool headings);
/*
 * The elements of a map follow, as @q returns them. @columns: "saddr,value.bytes", with + before them beside the usual
 * ones, which are all members (of lists the whole); "+" alone: these. @several: the map's id is one of them. -EINVAL
 * with a sentence.
 */
int elem_table_map(struct elem_table *t, const struct query *q, uint32_t id, const char *columns, bool several,
		   struct err *e);
/* @err: 0, or -errno of the lookup of this key. */
void elem_table_add(struct elem_table *t, const unsigned char *key, int err);
void elem_table_end(struct elem_table *t);
/* Are they rows of text with headings above, not JSON? */
bool elem_table_is_text(const struct elem_table *t);
/* `--list-columns` of a map. */
int elem_table_columns(struct env *env, const struct query *q, uint32_t id, struct err *e);

#endif
