/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* Inside the folder: what is delegated. */
enum { ALLOWED_CMDS, ALLOWED_MAPS, ALLOWED_PROGS, ALLOWED_ATTACHS, ALLOWED };
struct allowed {
	const char *const *word;
	uint32_t n;
};
struct token_rec {
	const char *path;
	uint64_t mnt_ns;
	uint32_t pid; /* a process in the mount namespace; 0: it is the caller's */
	struct allowed allowed[ALLOWED];
};
/* Parses a line of Q_BPFFS in place; arrays are in the arena. False: the mount delegates nothing, or the line is not a
 * mount. */
bool token_parse(char *line, struct arena *a, struct token_rec *ret);
