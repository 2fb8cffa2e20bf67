/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_ENV_H
#define CLI_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/holders.h"

struct err; struct group;
struct source; struct facts; struct out; struct jsonw; struct arena; struct kind; struct command; struct btf_cache;
struct render_ops;

/* The words before, between and behind a command that hold for every command. Filled by main from one option table. */
struct globals {
	bool json, pretty, ndjson;	/* pretty and ndjson imply json */
	bool show_pins;			/* -f */
	bool nomount, debug, mapcompat;
	const char *base_btf;		/* -B, NULL */
	const char *from;		/* --from, NULL: live */
	const char *color;		/* auto, always, never */
	bool no_pager;
	bool as_bpftool;		/* called by that name: `list` is `show` */
	bool help, version;
};

/* Who waits at a terminal is told how far a long command is; main prints it. */
struct progress {
	void (*show)(struct progress *p, const char *what, uint64_t n);
	int64_t since;			/* second of the last line, of the first call before; 0: not called yet */
	bool shown;
};

/* Everything a command may touch. There are no global variables besides const tables. */
struct env {
	const struct globals *opts;
	struct source *src;
	struct facts *facts;
	struct btf_cache *btfs;		/* btf/btf.h */
	struct out *out;		/* plain text; a command prints here only if jw is NULL */
	struct jsonw *jw;		/* JSON mode: the document. A command writes one value, or none: then null is printed for it */
	struct progress *progress;	/* NULL: nobody waits */
	struct arena *arena;		/* scratch: commands that stream mark and rewind it after each record */
	struct arena *keep;		/* lives as long as the command */
	/* What a kind's read() remembers between records, in keep; NULL at the start of each command. Only that kind's business. */
	void *memo[OBJECT_KINDS];
	const struct group *group;	/* that the command was found in */
	const struct kind *kind;	/* of the group the command stands in; NULL for commands without an object */
	const struct command *command;
	size_t unread;			/* objects that could not be read, or not completely: exit status 5 */
	char unread_why[512];		/* the first reason, or "" */
	char unlisted[64];		/* kinds whose list could not be read: "programs, maps"; also exit status 5 */
	int unlisted_why;		/* -errno of the first of them */
	char note[160];			/* about what was printed, for people: said on standard error, no failure; or "" */
	bool streamed;			/* NDJSON lines went to out instead of a value to jw */
	bool told;			/* the failure stands in the document as an error object */
	bool differs;			/* a command with CMD_DIFF found a difference */
	bool borrowed;			/* src, facts and btfs belong to another env (batch on an archive) */
	unsigned depth;			/* batches around this command */
};

/* In all/env.c, which knows what the kinds keep. Arenas, and nothing else: sources are opened when a command needs one. */
void env_init(struct env *env, const struct globals *opts, struct out *out, struct jsonw *jw);
/* The source of opts->from, or the live one; does nothing if there is one. */
int env_open(struct env *env, struct err *e);
void env_close(struct env *env);
/* An object that a list could not read: counted, the first sentence kept. Clears *e. */
void env_unread(struct env *env, struct err *e);
/* A list that a command on several kinds has to do without: @noun of the kind and why. */
void env_unlisted(struct env *env, const char *noun, int why);
/* What a command inside of another (batch) could not read, and its note. */
void env_add_unread(struct env *env, const struct env *sub);
/* "exported 500000 elements": call it now and then, it is cheap. */
static inline void env_progress(struct env *env, const char *what, uint64_t n)
{
	if (env->progress)
		env->progress->show(env->progress, what, n);
}
/* A failure as the JSON object that stands for a command's output: {"error", "errno", "hint"}. */
void env_error_json(struct jsonw *w, const struct err *e);

/* The renderer for a list of records in the format asked for: json, ndjson, or plain. */
const struct render_ops *env_render(const struct env *env);

#endif
