/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in complete_object.c and complete_terms.c. */

/*
 * `__complete WORDS…`, for the shells' completion scripts: the words of the command line without the program's name.
 * The last word is completed, and may be empty. Prints a line for each candidate: CANDIDATE, or CANDIDATE, a tab and a
 * description. Words with control characters or bytes that are not UTF-8 are left out, because terminals cannot show
 * them. The line ":files" asks the shell to complete file names. Errors are not reported: there are no candidates then.
 */
#include "cli/command.h"

/* For an argument's table: pins of env->kind, except those given before; file names if there are none. */
arg_offers complete_pins;
arg_offers complete_files; /* file names, for ARG_REST */
/* For an arg_offers, with its @ctx: offer what may follow @words, the words of an object so far. */
void complete_object(const struct kind *k, const struct arg_list *words, void *ctx);
/* The columns of the command's records, in an expression. */
arg_offers complete_filter;

struct field;
/* A name in a filter expression, and the type of what it is compared with. */
struct term {
	const char *name, *help;
	const char *brief; /* for the caller's use */
	enum { TERM_NUMBER, TERM_TEXT, TERM_FLAG } is;
	const struct field *field; /* its words are offered; NULL: it has none */
};
/* Offer the terms that may come at the end of the expression; if only one fits, offer its comparisons; after
 * == and !=, its words. */
void complete_terms(struct env *env, const char *typed, const struct term *terms, size_t n, arg_offer *offer,
		    void *ctx);
/* The name at the end of an expression, or its beginning. */
const char *complete_name(const char *typed);

extern const struct command command_complete;
