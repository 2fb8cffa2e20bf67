/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_CODES_H
#define SOURCE_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;
struct arena;
struct blob;
struct str;
/*
 * Machine code of a recording that no program in it has: trampolines, dispatchers, pages of probes, classic filters,
 * functions of programs that were gone before they were copied. The answer to sys/code; the code itself is code/#.
 */
struct code {
	uint64_t addr;
	uint32_t len;	  /* bytes */
	uint64_t from;	  /* ns since boot; 0: it was there when the recording began */
	bool gone;	  /* before the recording ended */
	uint64_t gone_at; /* ns since boot; 0: not known, or not gone */
	uint32_t prog;	  /* id of the program that it is of; 0: of none */
	uint32_t pid;	  /* of the process that made it, as the first namespaces have it; 0: not known */
	bool has_text;	  /* the machine code is in the file: */
	uint32_t text;	  /* code/TEXT */
	const char *comm; /* of that process; NULL: not known */
	const char *name; /* the kernel's symbol; of a classic filter, which has none, "classic:socket" and the like */
};
struct codes {
	struct code *code; /* as they came */
	size_t n;
};
/* A line; codes_parse() reads them again: 0, or -EBADMSG: one that cannot be understood. In the arena. */
void codes_put(struct str *ret, const struct code *c);
int codes_parse(struct codes *ret, const struct blob *b, struct arena *a);

/* Of a machine that is a recording, or empty. Lives as long as the machine. */
const struct codes *facts_codes(struct machine *m);

#endif
