/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in complete_object.c. */

#include "cli/command.h"

/* Shared by the files of completion: one word of one command line. */
struct completion {
	struct env *env;	/* for the command line */
	const char *typed;	/* the word to complete, or the part after its "--name=" */
	const char *head;	/* "--name=", which is repeated before candidates, or "" */
	struct arg_list before; /* the command's words before it */
	const struct group *group;
	size_t offered;		     /* candidates offered by the argument's own function */
	const struct schema *schema; /* schema and parts of the records of the argument's own function */
	const struct schema *const *parts;
};

/* Print a candidate if it begins with what was typed and can be shown; false: it was not printed. @help may be NULL. */
bool completion_offer(const struct completion *c, const char *word, const char *help);
/* Have the shell complete file names. */
void completion_files(const struct completion *c);
/* Offer what selects an object of the kind, or the text after the selector @by; 0: no selector was given. */
void completion_ref(const struct completion *c, const struct kind *k, enum selector by);
