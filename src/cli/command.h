/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/env.h"
#include "cli/kind.h"

struct records;
struct names;
/*
 * A command is one const struct: its words, arguments and help. Parser, usage, completion and manual read it.
 *
 * Arguments are matched in order: first positional ones (ARG_POSITIONAL); then keywords (`opcodes`, `file PATH`) in any
 * order, abbreviated to any prefix (the first in table order wins, as in bpftool). Names that begin with "-" are
 * options (`--sort COL`, `--sort=COL`, and the one-letter alias `-o COL`), which may be anywhere.
 *
 * Successive rows with ARG_CHOICE are alternatives: one of them must come before the other keywords (`dump {BTF | prog
 * PROG | file PATH...}`). A word with ARG_FOLLOWS comes directly after the value of the row before it.
 */
enum arg_type {
	ARG_FLAG, /* bool: the keyword or option has no value */
	ARG_WORD, /* int: index in words; 0 also if not given */
	ARG_U32,
	ARG_U64, /* uint32_t (with ARG_REPEAT struct arg_numbers), uint64_t */
	ARG_STR,
	ARG_PATH,    /* const char *, with ARG_REPEAT struct arg_list; ARG_PATH completes to files */
	ARG_COLUMNS, /* const char *: names of the command's or the kind's fields, separated by commas; completes to
			them */
	/*
	 * struct object_ref (with ARG_REPEAT struct object_refs): `id N`, `name S`, `tag T`, `pinned PATH`. Without the
	 * first word, digits are an id, a text with a slash is a pin, anything else is a name, unless it is a keyword
	 * of the command.
	 */
	ARG_OBJECT,
	/*
	 * struct types_ref, a source of types: `id N`, `name NAME`, `prog PROG`, `map MAP`, `file PATH`. Without the
	 * first word, digits are an id, a text with a dot or slash is a file, anything else is a name.
	 */
	ARG_TYPES,
	ARG_REUSE, /* struct arg_reuses, with ARG_REPEAT: `idx N OBJECT` or `name NAME OBJECT` */
	/* struct arg_list: all remaining words (one or more). A name with blanks is the grammar of these words. */
	ARG_REST,
};
/*
 * Call offer() for each candidate for a value; candidates that do not begin with @typed may be left out. @before: the
 * command's words before the value. env->machine is open.
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
	ARG_CHOICE = 1 << 3,   /* positional or a keyword; never with ARG_REQUIRED */
	ARG_FOLLOWS = 1 << 4,  /* ARG_WORD, ARG_STR */
	ARG_NONZERO = 1 << 7,  /* ARG_U32, ARG_U64: 0, which stands for "not given", is an error */
	ARG_EARLY = 1 << 6,    /* an option that bpftool only knows before the command's name: also completed there */
	ARG_LITERAL = 1 << 8,  /* ARG_REST: only after "--" */
	ARG_OPTIONAL = 1 << 9, /* an ARG_STR option whose value, a number, may be left out: then "" */
	ARG_ASSIGN = 1 << 5,   /* ARG_STR with ARG_REPEAT: NAME=VALUE; more of them may follow the first directly */
};
struct arg {
	/* "opcodes", "--sort"; for positional arguments the metavar in usage: "PATH". NULL: the kind's name in
	 * capitals. */
	const char *name;
	const char *alias; /* "-o", or NULL */
	const char *metavar, *help;
	enum arg_type type;
	unsigned flags;
	uint16_t off;		   /* member of the command's options struct */
	const struct names *words; /* ARG_WORD: the choices, also for completion; matched by prefix */
	const struct kind *kind;   /* ARG_OBJECT; NULL: env->kind */
	arg_offers *offers;	   /* completes ARG_STR, ARG_PATH, ARG_REST; NULL: nothing, files, nothing */
	bool output;		   /* ARG_PATH: a file that is replaced; no input may be the same (cli/output.h) */
	const char *rejects;	   /* names of arguments that it excludes, with blanks between; NULL: none */
};
/* A row: the argument is member @m of @T, the struct of the command's options. Other members of struct arg may follow.
 */
#define ARG(name_, type_, T, m, help_, ...) \
	{ \
		.name = name_, .type = type_, .off = offsetof(T, m), .help = help_, ##__VA_ARGS__ \
	}
/* One that must be given, at its place. */
#define OPERAND(name_, type_, T, m, help_, ...) \
	ARG(name_, type_, T, m, help_, .flags = ARG_POSITIONAL | ARG_REQUIRED, ##__VA_ARGS__)

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

/* An existing object to use for an object of a file, which is given by its number in the file, from 0, or its name. */
struct arg_reuse {
	const char *name; /* NULL: idx */
	uint32_t idx;
	struct object_ref with;
};
struct arg_reuses {
	const struct arg_reuse *v;
	size_t n;
};

enum types_by { TYPES_NONE, TYPES_ID, TYPES_PROG, TYPES_MAP, TYPES_FILE, TYPES_NAME };
struct types_ref {
	enum types_by by;	  /* TYPES_NONE: not given */
	struct object_ref object; /* TYPES_ID and TYPES_NAME (of a BTF object), TYPES_PROG, TYPES_MAP */
	const char *path;	  /* TYPES_FILE */
};

enum command_flags {
	CMD_READ = 1 << 0,     /* works with --from */
	CMD_WRITE = 1 << 1,    /* needs the running kernel: live only, checked by the dispatcher */
	CMD_DESTROY = 1 << 2,  /* removes something: has --dry-run */
	CMD_TEXT = 1 << 3,     /* writes its own document to env->report->out, also in JSON mode */
	CMD_NOSOURCE = 1 << 4, /* does not ask any machine (version, help) */
	CMD_STREAM = 1 << 7,   /* prints while it reads: never with a pager */
	CMD_DIFF = 1 << 6,     /* exit status as diff(1): 0 same, 1 different (env->report->differs), 2 failure */
	CMD_MANY = 1 << 8,     /* reads many machines (cli/fleet.h), and opens them itself */
	CMD_WATCH = 1 << 9,    /* lists records once, or with --watch again and again: RECORDS_WATCH_ARGS, .records */
	CMD_OURS = 1 << 5,     /* not bpftool's: a word of bpftool's with the same abbreviation wins */
};
/* A document of records with lists of records: the schemas, and the keys of the lists, each NULL-terminated. */
struct nested {
	const struct schema *const *records;
	const char *const *lists;
};
/* Add the records of a command. */
typedef int records_collect(struct env *env, const void *opts, struct records *ret, struct err *e);
struct command {
	const char *name, *summary;
	const char *help; /* paragraphs for the manual, in plain sentences; may be NULL */
	/* A command line without the program's name; KIND stands for the name of the kind. Tests run it on the sample
	 * archive. May be NULL. */
	const char *example;
	const struct schema *schema; /* the records it lists, if they differ from its kind's or group's; or NULL */
	const struct schema *const *parts; /* the other records of its document, NULL-terminated; or NULL */
	/* For its manual page, as kind.types: what it prints that is no record. NULL: nothing. */
	bool (*rows)(unsigned row, struct arena *a, const char **ret_name, const char **ret_help);
	const struct nested *nested; /* how its document nests records; NULL: it is a record or a list of records */
	const struct arg *args;
	size_t nargs;
	size_t opts_size; /* zeroed before parsing */
	unsigned flags;
	int (*run)(struct env *env, const void *opts, struct err *e);
	/* The keyword, or the choice of a word, that another name means, "tcx/ingress"; NULL: none. Or NULL. */
	const char *(*word_named)(const char *name);
	/* In place of run(), for records_run(); and where the options have their struct records_opts. See COLLECT(). */
	records_collect *collect;
	size_t records;
};
/* Its table of arguments, whose values are the members of @T. */
#define ARGS(arr, T) .args = (arr), .nargs = ARRAY_SIZE(arr), .opts_size = sizeof(T)

/* What a first word is for, as `help` lists them. Words with a topic have their own manual page. */
enum topic { TOPIC_NONE, TOPIC_SEE, TOPIC_CHANGE, TOPIC_MEASURE, TOPIC_FILES, TOPIC_TYPES, TOPICS };
/* A first word of the command line: a kind or another group with its verbs, or a single command (batch, version). */
struct group {
	const char *name, *help;
	enum topic topic;
	const struct kind *kind;	       /* or NULL */
	const struct command *const *commands; /* NULL-terminated, in bpftool's order; the first is the default */
	const struct command *alone;	       /* the group is only this command; commands is NULL */
	const struct command *listing;	       /* beside alone: its name is the option that comes next; or NULL */
	bool ours;			       /* not a word of bpftool's, see CMD_OURS */
	/* For scripts: hidden; its words are not parsed, and run() gets all of them in a struct arg_list. */
	bool raw;
	const struct schema *schema; /* the records it lists, if it is not a kind; or NULL */
	bool files; /* a word with a dot or slash is a file for the first verb, or for a verb given as an option */
};
extern const struct group groups[]; /* kinds.c, in bpftool's order, then ours; ends with name NULL */

/* Verbs that every kind has, in all/. Groups that are not a kind have help after their own verbs, with a struct
 * arg_list as its options. */
extern const struct command command_show, command_list, command_help;
/* Verb @i of a group, in the order of the search; NULL after the last. */
const struct command *group_verb(const struct group *g, size_t i);
/* Command @i of a group: its verbs, or what it has instead. NULL after the last. */
const struct command *group_command(const struct group *g, size_t i);

/*
 * Find, parse and run one command. @argv is without the program's name and global options. Handles `help`, a missing
 * verb, --from with a writing command, JSON null for a silent command, and the partial status. Does not print errors.
 */
int command_main(struct env *env, int argc, const char *const *argv, struct err *e);

/* Find the command that the first *ret_used words of argv name. NULL with @e set if there is none, or several. */
const struct command *command_find(int argc, const char *const *argv, const struct group **ret_group, int *ret_used,
				   struct err *e);
/*
 * Options of a command may also come before its name, as some of bpftool's do ("-L prog load"). Returns the number of
 * words of these options and their values; -EINVAL for an option that no command has.
 */
int command_options(int argc, const char *const *argv, struct err *e);
