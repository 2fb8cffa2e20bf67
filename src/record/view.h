/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_VIEW_H
#define RECORD_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct schema;
struct field;
struct arena;
struct err;
struct filter;
/*
 * What the user asked to see of one kind: columns, filter, order. Parsed once, against the schema.
 * Columns of a type-dependent part (schema.more) are found by name at print time: a record without it has AVAIL_NO
 * there.
 */
struct view {
	const char **cols;
	size_t ncols;	       /* 0: the format's default */
	size_t nusual;	       /* so many of them, the first, are the default's: nobody named them */
	struct filter *filter; /* NULL: all */
	const char *sort;
	bool descending; /* NULL: by id */
	unsigned need;	 /* OR of the needs of every field named above, or of the defaults */
	uint64_t now;	 /* of need NEED_NOW: seconds since the epoch, for view_match(); from env_now() */
	unsigned named;	 /* the same without those that are shown by default alone */
};

/*
 * @cols "a,b", or "+a,b" for the default columns and these, or NULL; @filter and @sort ("run_cnt" ascending, "-run_cnt"
 * descending) or NULL. @parts: every schema that schema.more may lead to, NULL-terminated, so that their columns are
 * known here; may be NULL. -EINVAL with a sentence that lists the columns nearest to an unknown one.
 */
int view_parse(struct view *ret, const struct schema *s, const struct schema *const *parts, const char *cols,
	       const char *filter, const char *sort, struct arena *a, struct err *e);
bool view_match(const struct view *v, const struct schema *s, const void *rec);
/* Compares two records by the view's sort column. */
int view_cmp(const struct view *v, const struct schema *s, const void *a, const void *b);
/* Orders @n records by it; equal ones stay as they came. Nothing without a sort column. */
void view_sort(const struct view *v, const struct schema *s, const void **recs, size_t n);

#endif
