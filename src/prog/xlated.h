/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_XLATED_H
#define PROG_XLATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "source/source.h"

struct abi_prog_info; struct env; struct err; struct out; struct jsonw; struct symbols; struct btf_types;

/* Heads of the kernel's records behind func_info and line_info; a record may be longer (func_info_rec_size). */
struct func_record { uint32_t insn_off, type_id; };
struct line_record { uint32_t insn_off, file_off, line_off, line_col; };	/* line << 10 | column */

/*
 * A program's instructions as the verifier left them, and what explains them. Nothing in it is trusted: records are only
 * what was really received, whatever the info says.
 */
struct records { const unsigned char *p; size_t n, size; };	/* n records of size bytes */
struct xlated {
	struct blob image;		/* whole instructions only */
	size_t insns;			/* slots in it */
	const struct btf_types *btf;	/* NULL: none, and then no records either */
	struct records funcs, lines;	/* struct func_record, line_record, and more; by ascending insn_off */
	const unsigned char *ksyms;	/* uint64_t addresses of the program's functions */
	size_t nksyms;
	const struct symbols *symbols;	/* NULL: no instruction needs one */
	uint64_t call_base;		/* address that calls count from; 0: unknown */
};

/*
 * Read and check. -ENODATA (with a hint why) if the kernel does not show the instructions. Missing type information is no
 * failure: it is counted in env->unread. Lives in env->arena and as long as env->facts and the BTF cache.
 */
int xlated_read(struct env *env, uint32_t id, const struct abi_prog_info *info, struct xlated *ret, struct err *e);

struct xlated_style {
	bool opcodes, linum;
};
/* bpftool's text. */
void xlated_plain(const struct xlated *x, const struct xlated_style *style, struct out *o);
/* One array of instructions, bpftool's keys. */
void xlated_json(const struct xlated *x, const struct xlated_style *style, struct jsonw *w);

#endif
