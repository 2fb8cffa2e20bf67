/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_CODE_INFO_H
#define PROG_CODE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "source/questions.h"

struct abi_prog_info;
struct env;
struct err;
struct out;
struct jsonw;
struct btf_types;
struct str;
struct arena;

/* Heads of the kernel's records behind func_info and line_info; a record may be longer (func_info_rec_size). */
struct func_record {
	uint32_t insn_off, type_id;
};
struct line_record {
	uint32_t insn_off, file_off, line_off, line_col;
}; /* line << 10 | column */

/* n records of size bytes. Nothing in them is trusted, and n is what was really received, whatever the info says. */
struct info_array {
	const unsigned char *p;
	size_t n, size;
};
/* The array prog/ID/NAME; empty unless the info counts some and each has at least @least bytes. In env->arena. */
struct info_array info_array_read(struct env *env, uint32_t id, enum question q, uint32_t count, uint32_t size,
				  size_t least);

/* What explains a program's code. */
struct code_info {
	const struct btf_types *btf;	/* NULL: none, and then no records either */
	struct info_array funcs, lines; /* struct func_record, line_record, and more; by ascending insn_off */
	bool folded;			/* code_info_fold() */
};
/* Missing type information is no failure: it is counted in env->report->unread. */
void code_info_read(struct env *env, uint32_t id, const struct abi_prog_info *info, struct code_info *ret);

/* The hint for code that the kernel keeps back: who may see addresses, by kernel.kptr_restrict (kallsyms_show_value()).
 * Returns e->code. */
int code_info_hidden(struct env *env, struct err *e);

struct func_record code_info_func(const struct code_info *s, size_t i); /* i < s->funcs.n */
struct line_record code_info_line(const struct code_info *s, size_t i); /* i < s->lines.n */

/*
 * Where constants are blinded, the kernel may have moved the lines along with instructions that nobody is shown: they
 * are then true for machine code alone. The verifier wants a line where each function begins; one that has none was
 * moved.
 */
bool code_info_moved(const struct code_info *s);

/*
 * Leave out the lines that say nothing: without text, and the same as the line before (with @columns: in the same
 * column, too), which their instructions then belong to. What begins a function stays. @places: of the lines in machine
 * code, left out with them; NULL: none. Nothing is left out where lines were moved. Scratch and result in @a.
 */
void code_info_fold(struct code_info *s, struct info_array *places, bool columns, struct arena *a);

/* One line of source; text is without its indentation. NULL text: no line. Lives as long as the BTF. */
struct source_line {
	const char *text, *file;
	uint32_t num, col;
};
/* Folded: a line without text is none. */
struct source_line source_line_of(const struct code_info *s, const struct line_record *l);

#endif
