/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_CODE_AT_H
#define PROG_CODE_AT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct env;
struct err;
struct code;
/*
 * Which program's machine code was at an address at a time, or which other code that a recording tells of. The kernel
 * gives the place of a program that is gone to the next one, so a recording has many at the same address. Lives as long
 * as the command.
 */
struct code_place {
	uint64_t addr; /* where the function begins */
	uint32_t len;
	uint32_t prog;		 /* id; 0: of none, */
	const struct code *code; /* but this (source/codes.h); else NULL */
	uint32_t func;		 /* which of its functions */
	uint32_t known;		 /* which of the programs; code_index.id */
	uint64_t from, to;	 /* when its load began, when it was gone, UINT64_MAX: not known: ns since boot */
};
struct code_page;
struct code_index {
	const uint32_t *id; /* of all programs, ascending */
	uint64_t *run_cnt;  /* of each; 0 where its info could not be read */
	size_t n;
	bool hidden; /* of some it is not known where they lie */
	struct code_place *place;
	size_t nplaces, cap;
	struct code_page *page; /* of each 4 KiB what lies in it, by its end */
	size_t npages;
};
int code_index_new(struct env *env, struct code_index **ret, struct err *e);
/* NULL: none that is known. */
const struct code_place *code_at(const struct code_index *x, uint64_t ip, uint64_t time);

#endif
