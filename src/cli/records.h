/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"
#include "cli/complete.h"
#include "cli/fleet.h"
#include "record/view.h"
#include "render/render.h"

/*
 * A table of records that a command made itself, with the options, formats and filters of `list` on objects. The
 * command's schema describes the records.
 */
struct records_opts {
	const char *columns, *sort, *filter, *since;
	bool list_columns, noheadings, exit_status;
	const char *watch; /* seconds, ""; NULL: not given */
	uint32_t count;	   /* readings; 0: no end */
};
/* Rows of the command's table of arguments; @T has the struct records_opts as member @m. */
#define RECORDS_SORT(T, m) \
	ARG("--sort", ARG_COLUMNS, T, m.sort, "sort by a column, descending with -", .metavar = "[-]COL")
#define RECORDS_FILTER(T, m) \
	ARG("--filter", ARG_STR, T, m.filter, "only records for which the expression is true", .alias = "-Q", \
	    .metavar = "EXPR", .offers = complete_filter)
/* For records with a time. */
#define RECORDS_SINCE(T, m) \
	ARG("--since", ARG_STR, T, m.since, "only records from this time on: 10m, 14:05, yesterday, 2026-01-31T23:59", \
	    .metavar = "TIME")
#define RECORDS_STATUS(T, m) ARG("--exit-status", ARG_FLAG, T, m.exit_status, "exit status 1 if nothing is listed")
#define RECORDS_COLUMNS(T, m) \
	ARG("--columns", ARG_COLUMNS, T, m.columns, "these columns, or with + in addition to the default ones", \
	    .alias = "-o", .metavar = "[+]COL,...")
#define RECORDS_ARGS(T, m) \
	RECORDS_COLUMNS(T, m), RECORDS_SORT(T, m), RECORDS_FILTER(T, m), RECORDS_STATUS(T, m), RECORDS_HEADINGS(T, m)
/* The same for a command with CMD_WATCH. */
#define RECORDS_WATCH_ARGS(T, m) \
	RECORDS_ARGS(T, m), \
		ARG("--watch", ARG_STR, T, m.watch, \
		    "list again and again, each second or at this interval, and mark what is new, gone or changed", \
		    .metavar = "SECONDS", .flags = ARG_OPTIONAL, .rejects = "--exit-status"), \
		ARG("--count", ARG_U32, T, m.count, "with --watch: stop after N lists", .metavar = "N", \
		    .flags = ARG_NONZERO)
/* For a stream, which cannot be sorted. */
#define RECORDS_STREAM_ARGS(T, m) RECORDS_COLUMNS(T, m), RECORDS_FILTER(T, m), RECORDS_HEADINGS(T, m)
#define RECORDS_HEADINGS(T, m) \
	ARG("--noheadings", ARG_FLAG, T, m.noheadings, "no heading line"), \
		ARG("--list-columns", ARG_FLAG, T, m.list_columns, "list the columns")

/* Records that differ only in what a table does not show by default: one row of the table stands for all of them. */
struct records_fold {
	const char *(*key)(struct env *env,
			   const void *rec); /* equal for such records; NULL: it is none. In env->keep */
	size_t count; /* offset of a uint32_t, which is set to their number in each of them; 0: no other is like it */
	const char *column; /* that has the number */
};

/* A growing list of records, in env->keep. Records are s->rec_size bytes apart, which is more than the command's own
 * record if there are many machines. */
struct records {
	const struct schema *s;
	char *rec;
	size_t n, cap;
	unsigned need; /* enum need: the needs of the fields that are used; other fields may stay empty */
	/* Sentences about words that match nothing, beside others: the command prints what is there, then fails. NULL:
	 * none */
	const char *missing;
	const struct records_fold *fold; /* NULL: each record has a row */
	const char *more;  /* columns, as in --columns, for plain text without --columns; NULL: the default ones */
	const char *total; /* field with sizes: their sum follows a table with headings and its default columns; NULL:
			      none */
};
/* 0, or -ENOENT with the sentences of recs->missing. */
int records_missing(const struct records *recs, struct err *e);
void *records_add(struct records *r, struct env *env); /* zeroed; valid until the next call */
/* For other output than a table: keep the first of the records that one row would stand for, with their number. */
void records_fold_rows(struct env *env, struct records *recs);

/* Members of a struct command that only makes records: its options @T have the struct records_opts `records`. */
#define COLLECT(f, T) .collect = f, .records = offsetof(T, records)
/*
 * The filter for columns_view(), from --filter and --since, which is about the first default column that is a time;
 * NULL: none. 0, or -EINVAL with a message.
 */
int records_filter(const struct env *env, const struct schema *s, const struct records_opts *o, const char **ret,
		   struct err *e);
/* The view of a command that prints its records in its own way: that filter, these columns and this order. */
int records_view(struct env *env, struct view *ret, const struct schema *s, const struct records_opts *o,
		 const char *columns, const char *sort, struct err *e);
/* The command's run(): do --list-columns, or check the options; then call @collect, filter, sort and print. */
int records_run(struct env *env, const struct records_opts *o, const void *opts, records_collect *collect,
		struct err *e);
/* The same for a `show`: plain text has bpftool's blocks, not a table. */
int records_show(struct env *env, const struct records_opts *o, const void *opts, records_collect *collect,
		 struct err *e);
/*
 * A list of records, perhaps of several machines: printed as they come, or after the last one if they are sorted. The
 * order is init, add, end; the renderer may be changed before the first record.
 */
struct listing {
	struct env *env;
	const struct schema *schema; /* of its records; with several machines, of these with the machine's name */
	const char *filter;	     /* from --filter and --since; NULL: none */
	struct view view;
	struct render render;
	bool many;
	bool hold; /* records are kept until the end, and must live as long */
	bool begun, section, printed;
	bool exit_status; /* 1 if nothing is listed */
	size_t read;	  /* records that were added */
	const struct records_fold *fold;
	const char *total; /* as records.total */
	uint64_t sum;	   /* of the printed records, */
	bool sum_unknown;  /* one of which is not known */
	const void **held;
	size_t nheld, cap;
};
int listing_init(struct listing *l, struct env *env, const struct schema *s, const struct schema *const *parts,
		 const struct records_opts *o, struct err *e);
/* Add the records of several machines (cli/fleet.h), which @visit reads. */
int listing_each(struct listing *l, fleet_visit *visit, void *ctx, struct err *e);
/* @one: the env of its machine. */
void listing_add(struct listing *l, struct env *one, void *rec);
/* @err: why records are missing; 0: an empty list is noted. */
void listing_end(struct listing *l, int err);
/* Print a table of records within other text. */
void records_table(struct env *env, const struct records_opts *o, const struct schema *s, const struct view *v,
		   const void *const *recs, size_t n, struct out *to);
