/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/questions.h"

struct abi_prog_info;
struct env;
struct btf_types;

/* First members of the records in func_info and line_info; a record may be longer (func_info_rec_size). */
struct func_record {
	uint32_t insn_off, type_id;
};
struct line_record {
	uint32_t insn_off, file_off, line_off, line_col; /* line_col: line << 10 | column */
};

/*
 * Array of @n records of @size bytes. Its contents are not checked; @n is the number received, whatever the info says.
 */
struct info_array {
	const unsigned char *p;
	size_t n, size;
};
/*
 * Reads the array prog/ID/NAME. It is empty if the info counts none, or if records are shorter than @least bytes. Lives
 * in env->arena.
 */
struct info_array info_array_read(struct env *env, uint32_t id, enum question q, uint32_t count, uint32_t size,
				  size_t least);

/* BTF, functions and source lines of a program. */
struct code_info {
	const struct btf_types *btf;	/* NULL: none, and then there are no records either */
	struct info_array funcs, lines; /* struct func_record and line_record, maybe longer; ascending by insn_off */
	bool folded;			/* code_info_fold() */
};
/* Missing BTF is not an error: it is counted in env->report->unread. */
void code_info_read(struct env *env, uint32_t id, const struct abi_prog_info *info, struct code_info *ret);

struct func_record code_info_func(const struct code_info *s, size_t i); /* i < s->funcs.n */
struct line_record code_info_line(const struct code_info *s, size_t i); /* i < s->lines.n */

/*
 * True if the lines are valid for machine code only: when the kernel blinds constants, it may also move the lines,
 * together with instructions that it does not show. The verifier requires a line at the start of each function; if one
 * has none, lines were moved.
 */
bool code_info_has_moved(const struct code_info *s);

/*
 * Removes lines without text and lines equal to the line before (with @columns: also in the same column). Their
 * instructions then belong to the line before. The first line of a function stays. @places: addresses of the lines in
 * the machine code, removed with them; NULL: none. Nothing is removed if lines were moved. Scratch memory and result
 * are in @a.
 */
void code_info_fold(struct code_info *s, struct info_array *places, bool columns, struct arena *a);

/* A source line; text is without its indentation. NULL text: no line. Lives as long as the BTF. */
struct source_line {
	const char *text, *file;
	uint32_t num, col;
};
/* In a folded code_info, a line without text is returned as no line. */
struct source_line source_line_of(const struct code_info *s, const struct line_record *l);
