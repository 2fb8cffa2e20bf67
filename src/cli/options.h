/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include "cli/env.h"

struct err;
struct names;
/* The options of every command: one row each, for parsing, help, completion and the manual. */
struct option {
	const char *name;	    /* without its dashes */
	char letter;		    /* 0: long only */
	const char *metavar, *help; /* metavar NULL: takes no argument */
	uint16_t off;		    /* in struct globals: bool, or const char * if it takes an argument */
	const struct names *words;  /* the arguments that are allowed; NULL: a path */
};
extern const struct option global_options[]; /* name NULL ends it */

/* What is left of a command line. */
struct options_rest {
	const char **word; /* room for all of argv, given by the caller; may be argv itself */
	int n;
	const struct option *wants; /* the line ended where this option's argument is due; then parsing failed */
};

/*
 * Options may stand anywhere, letters may be joined ("-jp", "-BFILE"), long ones abbreviated and given as --name=VALUE;
 * "--" ends them and is passed on. Words with a dash that are none of ours are passed on: they may be the command's.
 * Words behind a raw group (command.h) are passed on untouched.
 */
int options_parse(struct globals *g, int argc, const char *const *argv, struct options_rest *ret, struct err *e);
/* Is this word, by itself, a global option? */
const struct option *options_find(const char *word);

#endif
