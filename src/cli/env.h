/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_ENV_H
#define CLI_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include "system/holders.h"

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

/* Everything a command may touch. There are no global variables besides const tables. */
struct env {
	const struct globals *opts;
	struct source *src;
	struct facts *facts;
	struct btf_cache *btfs;		/* btf/btf.h */
	struct out *out;		/* plain text; a command prints here only if jw is NULL */
	struct jsonw *jw;		/* JSON mode: the document. A command writes one value, or none: then null is printed for it */
	struct arena *arena;		/* scratch: commands that stream mark and rewind it after each record */
	struct arena *keep;		/* lives as long as the command */
	/* What a kind's read() remembers between records, in keep; NULL at the start of each command. Only that kind's business. */
	void *memo[OBJECT_KINDS];
	const struct kind *kind;	/* of the group the command stands in; NULL for commands without an object */
	const struct command *command;
	size_t unread;			/* objects printed with something that could not be read: exit status 5 */
};

/* The renderer for a list of records in the format asked for: json, ndjson, or plain. */
const struct render_ops *env_render(const struct env *env);

#endif
