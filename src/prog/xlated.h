/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_XLATED_H
#define PROG_XLATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"
#include "prog/code_names.h"
#include "prog/insn.h"
#include "prog/code_info.h"
#include "source/source.h"

struct abi_prog_info;
struct env;
struct err;
struct doc;
struct machine;
struct labels;
struct arena;

/*
 * A program's instructions as the verifier left them, and what explains them. Nothing in it is trusted: records are
 * only what was really received, whatever the info says.
 */
struct xlated {
	struct blob image; /* whole instructions only */
	size_t insns;	   /* slots in it */
	struct code_info src;
	const unsigned char *ksyms; /* uint64_t addresses of the program's functions */
	size_t nksyms;
	struct code_names names; /* of what is called */
	/* Of code that is not loaded yet: what each instruction will refer to, NULL where it is nothing. NULL: it is
	 * loaded. */
	const char *const *targets;
	const char *const *relocations; /* and how it will be adapted to the kernel's types, likewise */
	const char *const *refers;	/* xlated_refer(); NULL: not asked */
};

/*
 * Read and check. -ENODATA (with a hint why) if the kernel does not show the instructions. Missing type information is
 * no failure: it is counted in env->report->unread. Lives in env->arena and as long as env->machine and the BTF cache.
 */
int xlated_read(struct env *env, uint32_t id, const struct abi_prog_info *info, struct xlated *ret, struct err *e);

/*
 * Find the names of what instructions load: "flows" of a map, "demo.bss total+4" of its value, "each" of a function, by
 * instruction, NULL where there is none. A map that cannot be read is "?" and counted in env->report->unread.
 */
void xlated_refer(struct env *env, struct xlated *x);

struct xlated_style {
	bool opcodes, linum;
	const struct labels
		*labels; /* names instead of distances in jumps, and arrows in plain text; NULL: as bpftool */
};
/* The places that its jumps lead to. Lives in the arena. */
void xlated_labels(const struct xlated *x, struct arena *a, struct labels *ret);

/* A list of instructions (prog/code_rec.h), bpftool's text and keys. */
void xlated_write(const struct xlated *x, const struct xlated_style *style, struct doc *d, const char *name);

/* The walk through the instructions, and through the records that belong to them. Set x and labels, the rest is zero.
 */
struct xlated_walk {
	const struct xlated *x;
	const struct labels *labels;
	size_t i; /* number of the instruction */
	struct insn insn;
	char text[INSN_TEXT_MAX];
	struct str signature;	   /* n 0: no function begins here */
	struct source_line source; /* text NULL: no line begins here */
	size_t func, line;	   /* next records */
};
bool xlated_next(struct xlated_walk *k);	   /* stand on the next instruction; false at the end */
bool xlated_seek(struct xlated_walk *k, size_t i); /* stand on this one */
/* The line that the instruction is of, whether it begins there or before it in its function; text NULL: not known. */
struct source_line xlated_source(const struct xlated_walk *k);
void xlated_walk_end(struct xlated_walk *k);
#define XLATED_WALK __attribute__((cleanup(xlated_walk_end))) struct xlated_walk

#endif
