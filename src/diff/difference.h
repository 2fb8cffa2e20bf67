/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"
#include "cli/complete.h"
#include "record/view.h"
#include "render/doc.h"

/* Inside the folder: the differences of `diff` and `object diff`, one record each, or their number. */
enum difference_kind {
	DIFFERENCE_NEW,
	DIFFERENCE_GONE,
	DIFFERENCE_FIELD,
	DIFFERENCE_CODE, /* other instructions */
	DIFFERENCE_UNKNOWN,
	DIFFERENCE_RATE /* no difference */
};
struct diff_record {
	uint8_t change; /* enum difference_kind */
	const char *kind, *type, *name;
	uint32_t old_id, new_id;    /* 0: only on the other machine */
	const char *key, *member;   /* of an element: key in JSON; path in the value, NULL: the whole value */
	const char *field;	    /* of an object; NULL: the difference is the object itself, or an element */
	const char *before, *after; /* JSON */
	const char *const *code;
	uint32_t ncode;
	double rate; /* per second */
	int64_t increase;
	uint8_t has_element, has_before, has_after, has_code, has_rate, has_increase; /* enum avail */
};

struct differences_opts {
	struct arg_list ignore;
	const char *filter;
	bool stat; /* only how many there are of each kind */
};
/* Rows of the command's table of arguments; @T has the struct differences_opts as member @m. */
#define DIFFERENCES_FILTER(T, m) \
	ARG("--filter", ARG_STR, T, m.filter, "only differences for which the expression is true", .alias = "-Q", \
	    .metavar = "EXPR", .offers = complete_filter)
#define DIFFERENCES_IGNORE(T, m, ...) \
	ARG("--ignore", ARG_STR, T, m.ignore, "do not compare this field, or elements of maps; may be repeated", \
	    .metavar = "FIELD", .flags = ARG_REPEAT, ##__VA_ARGS__)
#define DIFFERENCES_STAT(T, m, ...) \
	ARG("--stat", ARG_FLAG, T, m.stat, \
	    "only how many objects of each kind are new, gone or changed, and how many instructions", ##__VA_ARGS__)

struct stat_row;
struct differences {
	struct env *env;
	const struct differences_opts *o;
	struct view view;
	struct doc d;
	struct hash seen; /* --stat: the objects that changed */
	struct stat_row *row;
	size_t nrows, cap;
};
/* Checks the filter. 0 or -errno with @e set. */
int differences_init(struct differences *d, struct env *env, const struct differences_opts *o, struct err *e);
void differences_begin(struct differences *d); /* begins the document */
/* Prints or counts one, unless it is ignored or filtered, and sets env->report->differs. */
void difference_put(struct differences *d, const struct diff_record *one);
void differences_end(struct differences *d); /* prints what was counted, and ends the document */
extern const struct schema diff_schema, diff_stat_schema;
