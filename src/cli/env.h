/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/paint.h"
#include "render/report.h"
#include "source/machine.h"

struct group;
struct view;
struct list_watch;
struct kind;
struct command;
struct schema;

#define FROMS_MAX 256u /* files; a directory may have more */
/* The options that all commands have, anywhere in the line. Filled in by main from one option table. */
struct globals {
	bool json, pretty, ndjson; /* pretty and ndjson imply json */
	bool show_pins;		   /* -f */
	bool nomount, debug, no_load, mapcompat, trace;
	const char *base_btf;	      /* -B; NULL: not given */
	const char *from;	      /* the last --from, else BPFLENS_FROM; NULL: live */
	const char *froms[FROMS_MAX]; /* all --from */
	unsigned nfroms;	      /* 0 with BPFLENS_FROM */
	const char *at;		      /* the last --at; NULL: the end of the recording */
	const char *ats[2];	      /* all --at: two for `diff` */
	bool chosen;		      /* @from is a file that was chosen for @at (fleet_choose()) */
	const char *color;	      /* auto, always, never */
	struct palette colors;	      /* from BPFLENS_COLORS and COLORFGBG */
	bool wide, no_pager;
	bool strict;	 /* an unreadable process of somebody else is a missing answer */
	bool as_bpftool; /* called as bpftool: `list` is `show` */
	bool help, version;
};

enum { MEMO_PROG_JOINS = OBJECT_KINDS, MEMO_MAP_JOINS, MEMO_LABELS, MEMOS }; /* those below are the kinds' */
/* Everything that a command may use. Except for const tables there are no global variables. */
struct env {
	const struct globals *opts;
	struct machine *machine; /* NULL until a command needs it; set by env_use() */
	void *memo[MEMOS];	 /* what readers learned of the machine, in keep */
	struct report *report;
	struct arena *arena;	   /* scratch: has a scope for each object (ARENA_SCOPE) */
	struct arena *keep;	   /* lives as long as the command, and has no scopes */
	const struct group *group; /* group of the command */
	const struct kind *kind;   /* kind of the group; NULL: not a kind */
	const struct command *command;
	bool borrowed;		  /* the machine is owned by another env (batch on an archive) */
	unsigned depth;		  /* batches around this command */
	struct list_watch *watch; /* cli/watch/watch.h: the command lists for it; NULL: it prints */
};

/* The name that it is called by, for help and hints: both have PROGRAM_NAME characters. */
#define PROGRAM_NAME 7u
static inline const char *env_program(const struct env *env)
{
	return env->opts->as_bpftool ? "bpftool" : "bpflens";
}

/* Initialize @env with arenas. The machine is opened when a command needs it. */
void env_init(struct env *env, const struct globals *opts, struct report *report);
/* Read another machine from now on. The previous one is not freed. */
void env_use(struct env *env, struct machine *m);
/* Whether a file can be the base of split BTF: kinds.c, since types are above. */
extern int (*const base_btf_check)(const char *path, struct err *e);
/* Has the machine's kernel this name, which is newer than the table? kinds.c, for the same reason. */
struct name_table;
extern bool (*const names_are_newer)(struct machine *m, const struct name_table *t, const char *word);
/* Open the machine of opts->from, or the live one, unless one is open. */
int env_open(struct env *env, struct err *e);
/*
 * Open an env for another machine: an archive, or with "live" the running kernel. Everything else is shared with @env,
 * and it ends with @env. env_other_end() reports its refused questions.
 */
int env_other(struct env *env, const char *which, struct env *ret, struct err *e);
/*
 * The same for a recording at a time, or a directory of recordings of which one covers it. @at NULL: as env_other().
 * *ret_path: the file, in the keep; NULL: the running kernel.
 */
int env_other_at(struct env *env, const char *which, const char *at, struct env *ret, const char **ret_path,
		 struct err *e);
void env_other_end(struct env *other);
/*
 * Note that an archive ends too early, or that a recording lacks programs. Missing answers look the same as answers
 * that were never there, so the note is for all of them.
 */
void env_note_lacks(struct env *env, const char *path);
void env_close(struct env *env);
/* Show progress: "exported 500000 elements". Call it now and then; it is cheap. */
static inline void env_progress(struct env *env, const char *what, uint64_t n)
{
	if (env->report->progress)
		env->report->progress->show(env->report->progress, what, n);
}
/* Say on a terminal what a command does until it is interrupted: "recording to bpflens.rec". */
void env_waits(const struct env *env, const char *fmt, ...) PRINTF(2, 3);
/* Initialize a document in the chosen format; its data is in env->keep. */
void env_doc(const struct env *env, struct doc *ret);
/* Call it at the end of a document: it notes what could not be read, and whether lines were streamed. */
void env_doc_end(struct env *env, const struct doc *d);
/* The document already has the failure, so JSON does not need an error object. */
void env_doc_answers(struct env *env, const struct doc *d);
/* Initialize a renderer for a list of records in the chosen format (json, ndjson or plain), in env->keep. End it with
 * report_render_end(). */
void env_render(struct env *env, struct render *ret);
/* For --html with --output @output, which may be NULL: -EINVAL if the page cannot be written, because the output is
 * JSON or goes to a terminal. */
int env_check_page(const struct env *env, const char *output, struct err *e);
/* Set the current time of a view with NEED_NOW. -ENODATA with a sentence: it is unknown. Without NEED_NOW nothing is
 * asked. */
int env_now(struct env *env, struct view *v, struct err *e);
