/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/env.h"
#include "cli/kind.h"

struct err;
struct names;
struct schema;
/*
 * A command is one const struct: its words, its arguments, its help. Parsing, usage, completion and manual read it.
 *
 * Arguments are matched in order: ARG_POSITIONAL ones first take their words where they stand; then keywords
 * (`opcodes`, `file PATH`) in any order, abbreviated to any prefix (the first in table order wins, as in bpftool);
 * names that begin with "-" are options (`--sort COL`, `--sort=COL`, and the one-letter alias `-o COL`) and may stand
 * anywhere.
 *
 * Rows with ARG_CHOICE, one after the other, are alternatives: one of them must come before the other keywords
 * (`dump {BTF | prog PROG | file PATH...}`). A word with ARG_BEHIND stands directly behind the value of the row above
 * it.
 */
enum arg_type {
	ARG_FLAG, /* bool: the keyword or option alone */
	ARG_WORD, /* int: index in words; 0 also when not given */
	ARG_U32,
	ARG_U64, /* uint32_t (with ARG_REPEAT struct arg_numbers), uint64_t */
	ARG_STR,
	ARG_PATH,    /* const char *, with ARG_REPEAT struct arg_list; PATH completes to files */
	ARG_COLUMNS, /* const char *: names of the command's or else the kind's fields, by commas; completes to them */
	/*
	 * struct object_ref (with ARG_REPEAT struct object_refs): `id N`, `name S`, `tag T`, `pinned PATH`. Without its
	 * first word digits are an id, what has a slash in it is a pin, anything else a name, unless it is a keyword of
	 * the command.
	 */
	ARG_OBJECT,
	/*
	 * struct source_ref, of types: `id N`, `name NAME`, `prog PROG`, `map MAP`, `file PATH`; digits are an id, with
	 * a dot or slash it is a file, anything else a name.
	 */
	ARG_SOURCE,
	ARG_REUSE, /* struct arg_reuses, with ARG_REPEAT: `idx N OBJECT` or `name NAME OBJECT` */
	/* struct arg_list: all words that are left (one or more). A name with blanks is the grammar of all of them. */
	ARG_REST,
};
/*
 * Candidates for a value, each given to offer(); those that do not begin with @typed may be left out. @before: the
 * command's words before it. The env has its source.
 */
struct arg_list {
	const char *const *word;
	size_t n;
};
typedef void arg_offer(void *ctx, const char *word, const char *help);
typedef void arg_offers(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx);
enum arg_flags {
	ARG_REQUIRED = 1 << 0,
	ARG_POSITIONAL = 1 << 1,
	ARG_REPEAT = 1 << 2,
	ARG_CHOICE = 1 << 3, /* positional or a keyword; never with ARG_REQUIRED */
	ARG_BEHIND = 1 << 4, /* ARG_WORD, ARG_STR */
	ARG_EARLY = 1 << 6,  /* an option that bpftool knows before the command's name only: completed there, too */
	ARG_ASSIGN = 1 << 5, /* ARG_STR with ARG_REPEAT: NAME=VALUE; more of them may stand directly behind the first */
};
struct arg {
	/* "opcodes", "--sort", or for positional ones the metavar in usage: "PATH". NULL: the kind's name in capitals.
	 */
	const char *name;
	const char *alias; /* "-o", or NULL */
	const char *metavar, *help;
	enum arg_type type;
	unsigned flags;
	uint16_t off;		   /* member of the command's options struct */
	const struct names *words; /* ARG_WORD: the choices, also for completion; matched by prefix */
	const struct kind *kind;   /* ARG_OBJECT; NULL: env->kind */
	arg_offers *offers;	   /* ARG_STR, ARG_PATH, ARG_REST: what completes it; NULL: nothing, files, nothing */
	const char *rejects; /* names of other args that it cannot stand beside, with blanks between; NULL: none */
};

struct arg_numbers {
	const uint32_t *v;
	size_t n;
};

struct object_ref {
	enum selector by; /* 0: not given */
	uint32_t id;	  /* SEL_ID */
	const char *text; /* SEL_NAME, SEL_TAG (16 hex digits), SEL_PINNED */
};
struct object_refs {
	const struct object_ref *v;
	size_t n;
};

/* What is there already instead of an object of a file: by its number there, from 0, or by its name. */
struct arg_reuse {
	const char *name; /* NULL: idx */
	uint32_t idx;
	struct object_ref with;
};
struct arg_reuses {
	const struct arg_reuse *v;
	size_t n;
};

enum source_by { SOURCE_NONE, SOURCE_ID, SOURCE_PROG, SOURCE_MAP, SOURCE_FILE, SOURCE_NAME };
struct source_ref {
	enum source_by by;	  /* SOURCE_NONE: not given */
	struct object_ref object; /* SOURCE_ID and SOURCE_NAME (of a BTF object), SOURCE_PROG, SOURCE_MAP */
	const char *path;	  /* SOURCE_FILE */
};

enum command_flags {
	CMD_READ = 1 << 0,     /* works with --from */
	CMD_WRITE = 1 << 1,    /* changes the system: live only, checked by the dispatcher */
	CMD_DESTROY = 1 << 2,  /* takes something away: has --dry-run */
	CMD_TEXT = 1 << 3,     /* prints a document of its own making to env->report->out, also in JSON mode */
	CMD_NOSOURCE = 1 << 4, /* asks nothing of any source (version, help) */
	CMD_STREAM = 1 << 7,   /* answers while it is being asked: never behind a pager */
	CMD_DIFF = 1 << 6,     /* exit status as diff(1): 0 the same, 1 not (env->report->differs), 2 it failed */
	CMD_MANY = 1 << 8,     /* reads many machines (cli/fleet.h), and opens them itself */
	CMD_OURS = 1 << 5, /* not a word of bpftool's: an abbreviation that also fits one of its words means that one */
};
/* A document of records that have lists of records: all of them, and the keys of the lists, NULL behind the last. */
struct nested {
	const struct schema *const *records;
	const char *const *lists;
};
struct command {
	const char *name, *summary;
	const char *help; /* paragraphs for the manual, plain sentences; may be NULL */
	/* One line without the program's name; KIND stands for the kind's. Tests run it on the sample archive. May be
	 * NULL. */
	const char *example;
	const struct schema *schema;	   /* the records it lists, if they are not its kind's or group's; or NULL */
	const struct schema *const *parts; /* the other records of its document, NULL behind the last; or NULL */
	const struct nested
		*nested; /* how its document has records in records; NULL: it is a record, or a list of records */
	const struct arg *args;
	size_t nargs;
	size_t opts_size; /* zeroed before parsing */
	unsigned flags;
	int (*run)(struct env *env, const void *opts, struct err *e);
};
#define ARGS(arr) .args = (arr), .nargs = sizeof(arr) / sizeof((arr)[0])

/* A first word of the command line: a kind's verbs, another group's, or a command that stands alone (batch, version).
 */
struct group {
	const char *name, *help;
	const struct kind *kind;	       /* or NULL */
	const struct command *const *commands; /* NULL-terminated, in bpftool's order; the first is the default */
	const struct command *alone;	       /* the group is this one command; commands is NULL then */
	bool ours;			       /* not a word of bpftool's, see CMD_OURS */
	/* For scripts: hidden; its words are not looked at, run() gets all of them in a struct arg_list. */
	bool raw;
	const struct schema *schema; /* the records it lists, if it is no kind; or NULL */
	bool page;		     /* has a manual page of its own */
	bool files; /* a word with a dot or slash is no verb: a file, for the first of them, or for the one whose name
		       is an option behind it */
};
extern const struct group groups[]; /* kinds.c, in bpftool's order and then ours; name NULL ends it */

/* Verbs that every kind has, in all/. Groups that are no kind have help, behind their own. (help's options: a struct
 * arg_list.) */
extern const struct command command_show, command_list, command_help;
/* The verbs of a group in the order in which they are looked up; NULL behind the last. */
const struct command *group_verb(const struct group *g, size_t i);

/*
 * Find, parse and run one command. @argv without the program's name and without global options. Handles `help`, the
 * missing verb, --from with a writing command, JSON null for a silent command, and the partial status. Prints no error.
 */
int command_main(struct env *env, int argc, const char *const *argv, struct err *e);

/* Words to a command: *ret_used words of argv were its name. NULL and the sentence if there is none or several. */
const struct command *command_find(int argc, const char *const *argv, const struct group **ret_group, int *ret_used,
				   struct err *e);
/*
 * Options of a command may stand before its name, too, as some of bpftool's do ("-L prog load"): how many words they
 * are, with their values. -EINVAL for one that no command has.
 */
int command_options(int argc, const char *const *argv, struct err *e);
/*
 * Fill opts from the words behind the command's name. Strings point into argv; lists are in the arena. @bpftool: its
 * grammar alone, in which an object begins with `id`, `name`, `tag` or `pinned` and no command takes several.
 */
int command_parse(const struct command *c, const struct kind *kind, bool bpftool, int argc, const char *const *argv,
		  struct arena *a, void *opts, struct err *e);
/* One usage line: "prog dump {xlated|jited} PROG [opcodes] [linum] [file PATH]". */
char *command_usage(const struct group *g, const struct command *c, struct arena *a);
/*
 * The same in parts that stay together, one after the other: *i begins at 0 and is moved behind the rows that the part
 * holds. NULL behind the last.
 */
char *command_usage_part(const struct group *g, const struct command *c, size_t *i, struct arena *a);
/* How an argument is written in usage: "PROG", "[file PATH]", "[-o|--columns COL]"; the word that names its value:
 * "PATH". */
char *arg_usage(const struct arg *arg, const struct kind *kind, struct arena *a);
char *arg_metavar(const struct arg *arg, const struct kind *kind, struct arena *a);
/* Its help, for objects with the ways to name one: "what to pin: id N, name NAME or pinned PATH". */
const char *arg_help(const struct arg *arg, const struct kind *kind, struct arena *a);

#endif
