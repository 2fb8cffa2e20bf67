/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_RECORDS_H
#define CLI_RECORDS_H

#include "cli/command.h"
#include "cli/complete.h"

struct err;
struct out;
struct schema;
struct view;
/*
 * A table of records that a command has made itself: the same options, formats and filters as `list` on objects. The
 * command's schema says what the records are.
 */
struct records_opts {
	const char *columns, *sort, *filter;
	bool list_columns, noheadings;
};
/* Rows of the command's table of arguments; @T has the struct records_opts as member @m. */
#define RECORDS_SORT(T, m) \
	{ \
		.name = "--sort", .metavar = "[-]COL", .type = ARG_COLUMNS, .off = offsetof(T, m.sort), \
		.help = "sort by a column, descending with -" \
	}
#define RECORDS_FILTER(T, m) \
	{ \
		.name = "--filter", .alias = "-Q", .metavar = "EXPR", .type = ARG_STR, .off = offsetof(T, m.filter), \
		.offers = complete_filter, .help = "only records for which the expression is true" \
	}
#define RECORDS_COLUMNS(T, m) \
	{ \
		.name = "--columns", .alias = "-o", .metavar = "[+]COL,...", .type = ARG_COLUMNS, \
		.off = offsetof(T, m.columns), .help = "these columns, or with + in addition to the default ones" \
	}
#define RECORDS_ARGS(T, m) RECORDS_COLUMNS(T, m), RECORDS_SORT(T, m), RECORDS_FILTER(T, m), RECORDS_HEADINGS(T, m)
/* Of a stream, which has no order but its own. */
#define RECORDS_STREAM_ARGS(T, m) RECORDS_COLUMNS(T, m), RECORDS_FILTER(T, m), RECORDS_HEADINGS(T, m)
#define RECORDS_HEADINGS(T, m) \
	{ .name = "--noheadings", .type = ARG_FLAG, .off = offsetof(T, m.noheadings), .help = "no heading line" }, \
	{ \
		.name = "--list-columns", .type = ARG_FLAG, .off = offsetof(T, m.list_columns), \
		.help = "list the columns" \
	}

/* Records that grow; in env->keep. They are s->rec_size bytes apart, which is more than the command's own record where
 * there are many machines. */
struct records {
	const struct schema *s;
	char *rec;
	size_t n, cap;
	unsigned need;	  /* enum need: what the fields cost that will be looked at; the others may stay empty */
	const char *more; /* columns as of --columns that text shows where none are asked for; NULL: the usual ones */
};
void *records_add(struct records *r, struct env *env); /* zeroed; valid until the next one */

typedef int records_collect(struct env *env, const void *opts, struct records *ret, struct err *e);
/* The command's run(): --list-columns, or wrong options found before @collect is asked; then filter, sort, print. */
int records_run(struct env *env, const struct records_opts *o, const void *opts, records_collect *collect,
		struct err *e);
/* The same for a `show`: plain text is bpftool's blocks, not a table. */
int records_show(struct env *env, const struct records_opts *o, const void *opts, records_collect *collect,
		 struct err *e);
/* A table of them in the midst of other text. */
void records_table(struct env *env, const struct records_opts *o, const struct schema *s, const struct view *v,
		   const void *const *recs, size_t n, struct out *to);

#endif
