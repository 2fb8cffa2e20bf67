/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in coverage.c, sums.c, fields.c, lcov.c and page.c. */

#include "record/field.h"

struct env;
struct records;
/*
 * Which lines of programs ran, as the counters say that programs have which were built with them
 * (prog/coverage/blocks.h).
 */
struct cover_line {
	const char *file, *src; /* never NULL; src without its indentation */
	uint32_t num;
	bool elsewhere; /* file is not that of the function: the line was inlined */
	uint64_t runs;	/* most of a block that has the line, summed over all copies of the function */
};
/* A function, and all copies of it: loaded again, or in several programs. */
struct cover_rec {
	const char *func, *file; /* never NULL; file "": not known, and then there are no lines */
	uint32_t num;		 /* the line where it begins */
	uint64_t runs;		 /* of its first block */
	uint32_t lines_hit, lines_total, blocks_hit, blocks_total;
	double percent;			/* of lines */
	const struct cover_line *all;	/* lines_total of them, by file, those of its own first, and number */
	const struct cover_line *lines; /* the same, if they are to be printed */
	uint32_t nlines;
	uint8_t has_counters, has_lines; /* enum avail; a function in which no counter fits has none */
};
extern const struct schema coverage_schema, coverage_line_schema;

/* A function of a program, for which copies are one: the file and line where it begins, and its name. */
struct cover_func {
	const char *file, *name;
	uint32_t num;
};
/* A block, or a source line in a block. */
struct cover_item {
	const struct cover_func *of;
	const char *file, *src; /* "": the block itself */
	uint32_t num;
	uint32_t block; /* of the function: bytes from the counter of its first block to that of this one */
	uint64_t copy;	/* of the function: the same if another program has the same counters; 0: it has none */
	uint64_t runs;
};
/* What was read so far; strings are in env->keep. */
struct coverage {
	struct env *env;
	struct hash asked; /* ids of maps that have counters, whatever their names */
	struct hash maps, strings;
	struct cover_item *items;
	size_t n, cap;
	uint64_t counters, unused; /* of the maps; those that no program refers to; by coverage_end() */
	const struct cover_map **each;
	size_t nmaps, maps_cap;
};
void coverage_begin(struct coverage *c, struct env *env);
/*
 * Reads a program and its counters. 1: it has some; 0: it has none, or the map with them is not of a loaded program;
 * else -errno with a sentence.
 */
int coverage_read(struct coverage *c, uint32_t prog, struct err *e);
/* Counts the counters that none of the programs has. */
void coverage_end(struct coverage *c);
/* Adds a record for each function, by file and line. Sorts the items. */
void coverage_sum(struct env *env, struct cover_item *items, size_t n, struct records *ret);

/*
 * Writes what geninfo(1) writes, a tracefile, which lcov(1) and genhtml(1) read. Functions without source lines are
 * left out. @v: from coverage_sum().
 */
void coverage_write_lcov(const struct cover_rec *v, size_t n, struct out *o);
/* Writes a page of HTML with the functions, and their lines with counts. */
void coverage_write_page(struct env *env, const struct cover_rec *v, size_t n, struct out *o);
