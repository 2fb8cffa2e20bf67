/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct machine;
struct blob;
/*
 * Machine code in a recording that belongs to no program in it: trampolines, dispatchers, pages of probes, classic
 * filters, functions of programs that were unloaded before they were copied. The answer to sys/code; the code itself is
 * code/#.
 */
struct code {
	uint64_t addr;
	uint32_t len;	  /* bytes */
	uint64_t from;	  /* ns since boot; 0: before the recording began */
	bool gone;	  /* before the recording ended */
	uint64_t gone_at; /* ns since boot; 0: unknown, or not gone */
	uint32_t prog;	  /* id of its program; 0: none */
	uint32_t pid;	  /* of the process that made it, in the recorder's process namespace; 0: unknown */
	bool has_text;	  /* the machine code is in the file: */
	uint32_t text;	  /* code/TEXT */
	const char *comm; /* of that process; NULL: unknown */
	const char *name; /* the kernel's symbol; for a classic filter, which has none, "classic:socket" and similar */
};
struct codes {
	struct code *code; /* in the order recorded */
	size_t n;
};
/* Appends a line. codes_parse() reads the lines, into the arena: 0, or -EBADMSG for a line that cannot be parsed. */
void codes_put(struct str *ret, const struct code *c);
int codes_parse(struct codes *ret, const struct blob *b, struct arena *a);

/* Empty unless the machine is a recording. Lives as long as the machine. */
const struct codes *facts_codes(struct machine *m);
