/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in add.c. */

#include "record/field.h"

struct str;
struct arena;
struct arg_list;
struct report;
/*
 * Counters in the code of an object file, so that any loader loads a program that counts how often each basic block
 * began: unsigned long long coverage[N] in a section, by default .data.coverage, which loaders make an array map with
 * one element. Number i, at 8 * i, is of block i of the file, by section and offset.
 *
 * A function in which no counter fits is left as it was.
 */
#define COVERAGE_SECTION ".data.coverage"

struct covered_func {
	const char *name, *section;
	uint32_t first, blocks; /* number of its first counter; how many it has */
	uint32_t added;		/* slots */
	const char *why;	/* as a clause; NULL: it is counted */
	uint8_t has_counters;	/* enum avail, of first, blocks and added */
};
extern const struct schema covered_func_schema;
struct covered {
	const struct covered_func *funcs;
	uint32_t nfuncs;
};
struct coverage_ask {
	const char *path;    /* for messages */
	const char *section; /* of the counters: .data or .data.NAME; NULL: COVERAGE_SECTION */
	/* Programs to leave as they are, with the functions that they call, because the verifier refuses them with
	 * counters; NULL: none. */
	const struct arg_list *refused;
};
/*
 * Append the bytes of the object with counters. The result is in the arena. 0, or -errno with @e set: damaged, of the
 * other byte order, linked, counted already, or without a function that could be counted.
 */
int coverage_add(struct str *ret, struct covered *ret_covered, const struct coverage_ask *ask, const struct str *bytes,
		 struct arena *a, struct err *e);
/* Note each function that was left as it was. */
void coverage_note(const struct covered *c, const char *path, struct report *r);
