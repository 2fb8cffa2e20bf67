/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
struct code;
/*
 * Finds the program whose machine code was at an address at a given time, or other code in a recording. The kernel
 * reuses the addresses of unloaded programs, so a recording has several at one address. Lives as long as the command.
 */
struct code_place {
	uint64_t addr; /* start of the function */
	uint32_t len;
	uint32_t prog;		 /* id; 0: code that is not in a program */
	const struct code *code; /* that code (source/codes.h), or NULL for a program */
	uint32_t func;		 /* index of the function in the program */
	uint32_t known;		 /* index of the program in code_index.id */
	uint64_t from, to;	 /* start of its load, and when it was unloaded; ns since boot; UINT64_MAX: unknown */
};
struct code_page {
	uint64_t page; /* number */
	const struct code_place *place;
};
struct code_index {
	const uint32_t *id; /* of all programs, ascending */
	uint64_t *run_cnt;  /* of each; 0 if its info could not be read */
	size_t n;
	bool hidden;		  /* the addresses of some programs are unknown */
	struct code_place *place; /* those of a program are neighbours */
	size_t nplaces, cap;
	struct code_page *page; /* the functions in each page of 4 KiB, by page and the time of unloading */
	size_t npages;
};
bool code_index_has(const struct code_index *x, uint32_t prog); /* any code of it */
/* The function of a program that begins at @addr, or NULL. */
const struct code_place *code_index_func(const struct code_index *x, uint32_t prog, uint64_t addr);
int code_index_new(struct env *env, struct code_index **ret, struct err *e);
/* The function that was at @ip at @time. NULL: none is known. */
const struct code_place *code_at(const struct code_index *x, uint64_t ip, uint64_t time);
/*
 * When only this function of a program was at its address: from its load, or the end of the one that was there then.
 * @gone: it was unloaded, at an unknown time if @p has none: until the load of the next one there. *to UINT64_MAX: not
 * unloaded, or unknown.
 */
void code_place_times(const struct code_index *x, const struct code_place *p, bool gone, uint64_t *from, uint64_t *to);
