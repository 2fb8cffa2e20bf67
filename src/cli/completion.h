/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "cli/command.h"

/* The files of completion: one word of one line. */
struct completion {
	struct env *env;	/* of the line that is typed */
	const char *typed;	/* the word to complete, or what stands behind its "--name=" */
	const char *head;	/* "--name=", which candidates repeat, or "" */
	struct arg_list before; /* the command's words before it */
	const struct group *group;
	size_t offered; /* by the argument's own function */
	const struct schema
		*schema; /* of the records that the argument's own function is about, and their other parts */
	const struct schema *const *parts;
};

/* Prints a candidate, if it begins with what is typed and can be shown; false: it was not. @help NULL: none. */
bool completion_offer(const struct completion *c, const char *word, const char *help);
/* The shell's own: names of files. */
void completion_files(const struct completion *c);
/* What names an object of the kind, or the text that is due behind the selector @by; 0: none was there. */
void completion_ref(const struct completion *c, const struct kind *k, enum selector by);

#endif
