/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_ENV_H
#define CLI_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/paint.h"
#include "render/report.h"
#include "source/machine.h"

struct err;
struct group;
struct view;
struct machine;
struct arena;
struct kind;
struct command;
struct jsonw;
struct render;
struct doc;

#define FROMS_MAX 256u /* files; a folder may have more */
/* The words before, between and behind a command that hold for every command. Filled by main from one option table. */
struct globals {
	bool json, pretty, ndjson; /* pretty and ndjson imply json */
	bool show_pins;		   /* -f */
	bool nomount, debug, no_load, mapcompat;
	const char *base_btf;	      /* -B, NULL */
	const char *from;	      /* --from, the last; NULL: live */
	const char *froms[FROMS_MAX]; /* all of them */
	unsigned nfroms;
	const char *at;	       /* --at, NULL: at its end */
	const char *color;     /* auto, always, never */
	struct palette colors; /* as BPFLENS_COLORS says */
	bool wide, no_pager;
	bool as_bpftool; /* called by that name: `list` is `show` */
	bool help, version;
};

/* Everything a command may touch. There are no global variables besides const tables. */
struct env {
	const struct globals *opts;
	struct machine *machine; /* NULL until a command needs one */
	struct report *report;
	struct arena *arena;	   /* scratch: commands that stream mark and rewind it after each record */
	struct arena *keep;	   /* lives as long as the command */
	const struct group *group; /* that the command was found in */
	const struct kind *kind;   /* of the group the command is in; NULL for commands without an object */
	const struct command *command;
	bool borrowed;	/* the machine belongs to another env (batch on an archive) */
	unsigned depth; /* batches around this command */
};

/* Arenas, and nothing else: a machine is opened when a command needs one. */
void env_init(struct env *env, const struct globals *opts, struct report *report);
/* The machine of opts->from, or the live one; does nothing if there is one. */
int env_open(struct env *env, struct err *e);
/*
 * An env for another machine beside @env's own: of an archive, or with "live" the running one. All else is @env's, and
 * it goes with @env; what it refused is told when env_other_end() was called.
 */
int env_other(struct env *env, const char *which, struct env *ret, struct err *e);
void env_other_end(struct env *other);
/* A note if the archive ends too early: what is missing cannot be told from what never was there, so it is said for
 * all. */
void env_note_cut(struct env *env, const char *path);
void env_close(struct env *env);
/* "exported 500000 elements": call it now and then, it is cheap. */
static inline void env_progress(struct env *env, const char *what, uint64_t n)
{
	if (env->report->progress)
		env->report->progress->show(env->report->progress, what, n);
}
/* A document in the format asked for; its shapes live in env->keep. */
void env_doc(const struct env *env, struct doc *ret);
/* At its end: what could not be read counts, and whether lines were streamed. */
void env_doc_end(struct env *env, const struct doc *d);
/* A failure is the answer, and the document has it: JSON needs no error object besides. */
void env_doc_answers(struct env *env, const struct doc *d);
/* A renderer for a list of records in the format asked for: json, ndjson, or plain; in env->keep. report_render_end()
 * ends it. */
void env_render(struct env *env, struct render *ret);
/* Of a view with NEED_NOW what it needs. -ENODATA with a sentence: that is not known. Without it nothing is asked. */
int env_now(struct env *env, struct view *v, struct err *e);

#endif
