/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in refers.c and xlated_text.c. */

#include "code/names.h"
#include "code/insn.h"
#include "code/info.h"
#include "source/source.h"

struct doc;
struct labels;

/*
 * The instructions of a program as translated by the verifier, with their lines and names. Its contents are not
 * checked; records are only those received, whatever the info says.
 */
struct xlated {
	struct blob image; /* whole instructions only */
	size_t insns;	   /* slots in it */
	bool big;	   /* their byte order, as in base/bytes.h */
	struct code_info src;
	const unsigned char *ksyms; /* uint64_t addresses of the program's functions */
	size_t nksyms;
	struct code_names names; /* of called functions */
	/*
	 * For code that is not loaded yet: by instruction what it will refer to, NULL for nothing. NULL: the code is
	 * loaded.
	 */
	const char *const *targets;
	const char *const *relocations; /* in the same way, how it will be adapted to the kernel's types */
	const char *const *refers;	/* from xlated_refer(); NULL: not requested */
};

/*
 * Reads and checks the instructions. -ENODATA, with a hint, if the kernel does not show them. Missing BTF is not an
 * error: it is counted in env->report->unread. Lives in env->arena, and as long as env->machine and the BTF cache.
 */
int xlated_read(struct env *env, uint32_t id, const struct abi_prog_info *info, struct xlated *ret, struct err *e);

/*
 * Finds the names of what instructions load: "flows" for a map, "demo.bss total+4" for its value, "each" for a
 * function; by instruction, NULL for none. A map that cannot be read is "?" and counted in env->report->unread.
 */
void xlated_refer(struct env *env, struct xlated *x);

struct xlated_style {
	bool opcodes, linum;
	const struct labels
		*labels; /* labels instead of distances in jumps, and arrows in plain text; NULL: as bpftool */
};
/* Makes the labels of its jump targets. Lives in the arena. */
void xlated_labels(const struct xlated *x, struct arena *a, struct labels *ret);

/* Writes a list of instructions (code/rec.h): bpftool's text and keys. */
void xlated_write(const struct xlated *x, const struct xlated_style *style, struct doc *d, const char *name);

/* Iterates over the instructions, and their records. Set x and labels, the rest must be zero. */
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
bool xlated_next(struct xlated_walk *k);	   /* advances to the next instruction; false at the end */
bool xlated_seek(struct xlated_walk *k, size_t i); /* advances to instruction @i */
/* The source line of the instruction, which begins at it or before it in its function; text NULL: unknown. */
struct source_line xlated_source(const struct xlated_walk *k);
void xlated_walk_end(struct xlated_walk *k);
#define XLATED_WALK __attribute__((cleanup(xlated_walk_end))) struct xlated_walk
