/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LOAD_REJECTION_H
#define LOAD_REJECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct schema;
/*
 * Why the verifier did not take a program, read from its log (level 1; kernel/bpf/verifier.c, log.c). The log has no
 * format that the kernel promises: what is not recognized is left out, and the verifier's own last words are always
 * there.
 */
struct reject_branch {		 /* of the way to the instruction that was refused: a conditional jump */
	uint32_t insn, to;	 /* from and to */
	bool taken;		 /* it jumped */
	uint32_t times;		 /* one after the other, in a loop */
	const char *source, *at; /* as below */
};
struct rejection {
	const char *prog, *section;
	const char *cause;	      /* word of reject_cause; NULL: none of those that we know */
	const char *meaning, *remedy; /* sentences about the cause, without a full stop; NULL with cause */
	const char *const *messages;  /* the verifier's last words, a line each */
	uint32_t nmessages;
	uint32_t insn;		      /* the instruction that was refused; */
	const char *code;	      /* its text; NULL: none was looked at */
	const char *source, *at;      /* its line of source, "FILE:LINE" (6.8); NULL: not known */
	const char *const *registers; /* that it reads or the verifier names: "R0=map_value_or_null(id=1,..)" */
	uint32_t nregisters;
	const struct reject_branch *branches;
	uint32_t nbranches;
	uint32_t processed; /* instructions that were looked at, each as often as it was */
	uint8_t has_insn;   /* enum avail */
};
extern const struct schema rejection_schema;

/* All but prog and section; lives in the arena. */
void rejection_read(struct rejection *ret, const char *log, struct arena *a);

/* Common causes, by what the verifier says. */
struct reject_cause {
	const char *word, *meaning, *remedy;
	const char *says[12]; /* parts of its sentence: "* " is any text between. NULL: no more */
	bool library;	      /* libbpf says so, too, before the verifier is asked */
};
/* NULL: none is known. */
const struct reject_cause *reject_cause(const char *const *messages, size_t n);

#endif
