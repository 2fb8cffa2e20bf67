/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
struct code_index;
struct code_place;
struct samples_head;
/* Writes the samples of a recording for other tools. */

/* The symbol of an address in the kernel: of the program that was there at that time, or of the kernel. */
struct stack_symbol {
	const char *name; /* NULL: unknown */
	uint64_t off;
	const char *module; /* "bpf_prog_TAG_NAME" for a program, as in perf; NULL: the kernel itself */
};
struct stack_names {
	struct env *env;
	const struct code_index *index;
	const char **made; /* names by place of the index; NULL: not made yet */
};
void stack_names_init(struct stack_names *n, struct env *env, const struct code_index *index);
const char *stack_code_name(struct stack_names *n, const struct code_place *p); /* of the index */
struct stack_symbol stack_name(struct stack_names *n, uint64_t addr, uint64_t time);

/*
 * The different stacks of all samples. @stack is "COMM;OUTERMOST;...;INNERMOST", in the caller's env->keep; stacks with
 * the same first frames are neighbours. The caller frees @all. Returns 0, or -errno if not all could be read: what was
 * read is set.
 */
struct stack_count {
	const char *stack;
	uint64_t count;
};
struct stack_counts {
	struct stack_count **all;
	size_t n, cap;
};
int stacks_count(struct stack_names *n, struct stack_counts *ret);
/* "COMM;OUTERMOST;...;INNERMOST COUNT\n", for flame graphs. Result as above. */
int stacks_put_folded(struct stack_names *n);
/* In the format of `perf script`. Result as above. */
int stacks_perf_script(struct stack_names *n, const struct samples_head *how);
