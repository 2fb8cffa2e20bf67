/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct schema;
struct filter;
struct filter_word;
/*
 * What the user requested for one kind: columns, filter, order. Parsed once, against the schema. Columns of a
 * type-dependent part (schema.more) are found by name when a record is printed: they do not apply (AVAIL_NO) to records
 * without that part.
 */
struct view {
	const char **cols;
	size_t ncols;	       /* 0: the format's default */
	size_t nusual;	       /* number of default columns, which come first: the user did not name them */
	struct filter *filter; /* NULL: all */
	const char *sort;      /* NULL: by id */
	bool descending;       /* the sort key is reversed */
	unsigned need;	       /* OR of the needs of all fields named by the user, or of the defaults */
	uint64_t now;	       /* with NEED_NOW: seconds since the epoch, for view_match(); set by env_now() */
	unsigned named;	       /* the same without needs of default columns only */
	const struct filter_word *words; /* of the filter: not yet checked (columns_view()) */
	size_t nwords;
	const char **keys; /* fields that order and filter depend on, and default columns that the user named */
	size_t nkeys, keys_cap;
};

/*
 * @cols: "a,b", or "+a,b" for the default columns and these, or NULL; @filter and @sort ("run_cnt" ascending,
 * "-run_cnt" descending) or NULL. @parts: every schema that schema.more may return, NULL-terminated, so that their
 * columns are known; may be NULL. 0, or -EINVAL with a message; for an unknown column it lists similar ones.
 */
int view_parse(struct view *ret, const struct schema *s, const struct schema *const *parts, const char *cols,
	       const char *filter, const char *sort, struct arena *a, struct err *e);
bool view_match(const struct view *v, const struct schema *s, const void *rec);
/* Compare two records by the view's sort column. */
int view_cmp(const struct view *v, const struct schema *s, const void *a, const void *b);
/* Sort @n records by the view's column, stably. Does nothing without a sort column. */
void view_sort(const struct view *v, const struct schema *s, const void **recs, size_t n);
