/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_STACKS_H
#define PROG_STACKS_H

#include <stddef.h>
#include <stdint.h>

struct env;
struct err;
struct code_index;
struct samples_head;
/* The samples of a recording for other programs. */

/* What an address of the kernel is in: the symbol of a program that was there at that time, or of the kernel. */
struct stack_symbol {
	const char *name; /* NULL: not known */
	uint64_t off;
	const char *module; /* "bpf_prog_TAG_NAME" for a program, as perf has it; NULL: the kernel itself */
};
struct stack_names {
	struct env *env;
	const struct code_index *index;
	const char **made; /* for each place of the index, NULL: not yet */
};
void stack_names_init(struct stack_names *n, struct env *env, const struct code_index *index);
struct stack_symbol stack_name(struct stack_names *n, uint64_t addr, uint64_t time);

/* "COMM;OUTERMOST;...;INNERMOST COUNT\n", for flame graphs. 0 or -errno: not all could be read. */
int stacks_folded(struct stack_names *n);
/* As `perf script` prints samples. */
int stacks_perf_script(struct stack_names *n, const struct samples_head *how);

#endif
