/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/env.h"

struct names;
/* The options that all commands have: one row each, for parser, help, completion and manual. */
struct option {
	const char *name;	    /* without dashes */
	char letter;		    /* 0: long only */
	const char *metavar, *help; /* metavar NULL: takes no argument */
	uint16_t off;		    /* in struct globals: bool, or const char * if it takes an argument */
	const struct names *words;  /* the allowed arguments; NULL: a path */
	const char *taken;	    /* no abbreviation of it, but an option of commands; or NULL */
};
extern const struct option global_options[]; /* ends with name NULL */

/* The rest of a command line, without global options. */
struct options_rest {
	const char **word; /* set by the caller, with room for all of argv; may be argv itself */
	int n;
	const struct option *wants; /* the line ended before the argument of this option, so parsing failed */
};

/*
 * Parse global options, which may be anywhere. Letters may be joined ("-jp", "-BFILE"), long names abbreviated and
 * given as --name=VALUE; "--" ends the options and is passed on. Other words with a dash are passed on, because they
 * may be options of the command. Words after a raw group (command.h) are passed on unchanged. 0 or -errno.
 */
int options_parse(struct globals *g, int argc, const char *const *argv, struct options_rest *ret, struct err *e);
/* The global option that this word is, or NULL. */
const struct option *options_find(const char *word);
