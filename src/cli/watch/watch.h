/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in marks.c. */

#include "cli/records.h"
#include "host/pace.h"
#include "render/frame.h"
#include "render/items.h"

/*
 * `--watch`: a list of records is read again and again, and what is new, gone or changed is marked. On a terminal each
 * list is drawn over the one before; elsewhere, and in JSON, each change is an item.
 *
 * The command with CMD_WATCH runs once for each reading, in an env of its own: with a machine without facts, arenas,
 * report, and env->watch set. Where a listing would print its records, it gives them to watch_take(). Two readings are
 * kept, because what has gone is shown with the second one.
 */
struct watch_reading {
	struct env env; /* machine, arena and keep are its own; keep NULL: none */
	struct report report;
	const void **rec; /* in the order of the list */
	size_t n;
};

/* Are the options of a command with CMD_WATCH valid? 0, or -EINVAL with a message. */
int watch_check(const struct env *env, const struct command *c, const void *opts, struct err *e);
/* Run the command with --watch until it is interrupted, or as often as it says. The machine is open. */
int list_watch_run(struct env *env, const struct command *c, const void *opts, struct err *e);

/* For the listing of a command; env->watch is set. */
/* The schema of records with their marks appended. */
const struct schema *watch_schema(const struct env *env, const struct schema *s);
/* Columns as in --columns (NULL: none given) with those of the marks. */
const char *watch_columns(const struct env *env, const char *columns);
/* Marks are not known when records are filtered and sorted: -EINVAL if the view needs one. */
int watch_check_view(const struct view *v, struct err *e);
/* What was named may be gone: after the first reading, -ENOENT is no error. Returns e->code. */
int watch_excuse(const struct env *env, struct err *e);
/* The records of @l are complete and in their order: mark them, and choose what @l prints, and where. */
void watch_take(struct env *env, struct listing *l);

/* Of a record that @l prints. */
enum watch_change { WATCH_SAME, WATCH_GONE, WATCH_OTHER };
enum watch_change watch_change(const struct schema *s, const void *rec);

extern const struct schema watch_mark_schema; /* the fields of the marks */
/* Inside: mark what is new or changed in @now, of @l, and what has gone since @before, with the time of day. In @a. */
struct watch_marks {
	size_t fresh, changed; /* records of @now */
	const void **shown;    /* all records of @now, and those that have gone, each where it was */
	size_t n;
};
struct watch_marks watch_mark(struct arena *a, const struct listing *l, const struct watch_reading *before,
			      const struct watch_reading *now, const char *time);
