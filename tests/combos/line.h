/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/command.h"

/*
 * Random command lines from the tables of commands. Values are what completion offers for the argument at this place:
 * ids, names, paths, columns and members of the machine that is read; else numbers, texts and files that fit the type.
 */
#define LINE_WORDS 48

struct line {
	const struct group *group;
	const struct command *command;
	bool json, ndjson, bpftool, color;
	unsigned columns; /* of the terminal */
	char *argv[LINE_WORDS + 1];
	int argc;
};

struct supply {
	struct arena *arena; /* for the words */
	uint64_t random;     /* the state; never 0 */
	bool live;	     /* read the running kernel, only with commands that change nothing and end */
	const char *const *archives, *const *files; /* archives: better ones last */
	size_t narchives, nfiles;
	/* What the program completes after these words; NULL-terminated, with ":files" for a file. It may be changed by
	 * the next call. */
	const char *const *(*complete)(char **argv);
};

void line_make(struct supply *s, struct line *ret);
