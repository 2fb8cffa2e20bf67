/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in causes.c. */

#include "base/base.h"

struct schema;
/*
 * Why the verifier rejected a program, read from its log (level 1; kernel/bpf/verifier.c, log.c). The format of the log
 * is not stable: unrecognized lines are left out, and the verifier's last messages are always kept.
 */
struct reject_branch {		 /* a conditional jump on the path to the rejected instruction */
	uint32_t insn, to;	 /* from, to */
	bool taken;		 /* it jumped */
	uint32_t times;		 /* how often; the turns of a loop are folded into one */
	const char *source, *at; /* as below */
};
struct rejection {
	const char *prog, *section;
	const char *cause;	      /* word of reject_cause; NULL: not a known cause */
	const char *meaning, *remedy; /* sentences about the cause, without a full stop; NULL if cause is */
	const char *const *messages;  /* the verifier's last messages, a line each */
	uint32_t nmessages;
	uint32_t insn;		      /* the rejected instruction, if has_insn */
	const char *code;	      /* its text; NULL: no instruction was processed */
	const char *source, *at;      /* its line of source, and "FILE:LINE" (since 6.8); NULL: unknown */
	const char *const *registers; /* read by it or named by the verifier: "R0=map_value_or_null(id=1,..)" */
	uint32_t nregisters;
	const struct reject_branch *branches;
	uint32_t nbranches;
	uint32_t processed; /* instructions processed, repetitions included */
	uint8_t has_insn;   /* enum avail */
};
extern const struct schema rejection_schema;

/* Fill in all but prog and section from @log. The strings are in @a. */
void rejection_read(struct rejection *ret, const char *log, struct arena *a);

/* Split a line of source in the log, "text @ file.c:12". NULL for a part that it does not have (before 6.8 the place).
 */
void source_split(struct arena *a, const char *line, const char **ret_source, const char **ret_at);

/* Common causes, by the verifier's messages. */
struct reject_cause {
	const char *word, *meaning, *remedy;
	const char *says[12]; /* parts of its messages, in which "*" stands for any text. NULL: the end */
	bool library;	      /* libbpf may also report it, before the verifier runs */
};
/* The cause that @messages name. NULL: not a known one. */
const struct reject_cause *reject_cause(const char *const *messages, size_t n);
