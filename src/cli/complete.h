/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

/*
 * `__complete WORDS…`, for the shells' completion scripts: the words of the command line without the program's name;
 * the last one is to be completed and may be empty. Prints a line for each candidate: CANDIDATE, or CANDIDATE, a tab
 * and a description. Words with control characters or bytes that are not UTF-8 are left out: no terminal could show
 * them. The line ":files" asks the shell to complete names of files. Fails silently: then there are no candidates.
 */
#include "cli/command.h"

/* For an argument's table: pins of env->kind, but those that stand before it; files if there are none. */
arg_offers complete_pins;
arg_offers complete_files; /* names of files, for ARG_REST */
/* For an arg_offers, with its @ctx: what may follow @words, which are all that is there of an object. */
void complete_object(const struct kind *k, const struct arg_list *words, void *ctx);
/* Columns of the command's records, in an expression. */
arg_offers complete_filter;

/* A name in a filter expression, and what it can be compared with. */
struct term {
	const char *name, *help;
	const char *brief; /* for the caller */
	enum { TERM_NUMBER, TERM_TEXT, TERM_FLAG } is;
};
/* Those that may stand at the end of the expression; of the only one that fits, the comparisons that it may begin. */
void complete_terms(struct env *env, const char *typed, const struct term *terms, size_t n, arg_offer *offer,
		    void *ctx);
/* The name at its end, or what there is of it. */
const char *complete_name(const char *typed);

extern const struct command command_complete;

#endif
