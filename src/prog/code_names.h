/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_CODE_NAMES_H
#define PROG_CODE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/symbols.h"
#include "prog/code_info.h"

struct machine;
struct arena;
/*
 * "bpf_prog_TAG_NAME", as the kernel names function @i of a program, bpf_get_prog_name(). @tag: the function's, NULL:
 * the program's own. Without types all functions but the first are called F.
 */
const char *code_name_make(struct arena *a, const unsigned char *tag, const struct abi_prog_info *info,
			   const struct code_info *s, size_t i);

/*
 * Symbols for the code of one program. Of one that is gone (a recording has such), or may be, the kernel's table tells
 * nothing, or of another that was put in its place: then the names of its functions are made as the kernel makes them,
 * and those of other programs are not known.
 */
struct code_names {
	struct machine *machine; /* NULL: no symbols at all */
	bool gone;
	const struct symbol *own;
	const uint32_t *lens; /* bytes of each */
	size_t n;
};
/* In env->arena. */
void code_names_read(struct env *env, uint32_t id, const struct abi_prog_info *info, const struct code_info *s,
		     struct code_names *ret);
/* The symbol that is at or before an address, if it is near enough to be its own; NULL: unknown. */
const struct symbol *code_names_at(const struct code_names *names, uint64_t addr);

#endif
