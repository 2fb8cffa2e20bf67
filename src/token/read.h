/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TOKEN_READ_H
#define TOKEN_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
/* Inside the folder: what is delegated. */
enum { ALLOWED_CMDS, ALLOWED_MAPS, ALLOWED_PROGS, ALLOWED_ATTACHS, ALLOWED };
struct allowed {
	const char *const *word;
	uint32_t n;
};
struct token_rec {
	const char *path;
	uint64_t mnt_ns;
	uint32_t pid; /* in another mount namespace than ours; 0: ours */
	struct allowed allowed[ALLOWED];
};
/* A line of Q_BPFFS, taken apart in place; the words are in the arena. False: nothing is delegated there, or it is no
 * such line. */
bool token_parse(char *line, struct arena *a, struct token_rec *ret);

#endif
