/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "host/elf/symbols.h"
#include "code/info.h"

struct machine;
/*
 * "bpf_prog_TAG_NAME", the kernel's name of function @i of a program (bpf_get_prog_name()). @tag: of the function;
 * NULL: that of the program. Without BTF all functions except the first are named F.
 */
const char *code_name_make(struct arena *a, const unsigned char *tag, const struct abi_prog_info *info,
			   const struct code_info *s, size_t i);

bool code_name_is(const char *symbol); /* is it such a name, not one of the kernel's own functions? */
/* For people, who look for the name: "NAME" of "bpf_prog_TAG_NAME", else the whole symbol. */
const char *code_name_short(const char *symbol);

/*
 * Symbols for the code of one program. If the program was unloaded, or may have been, as in a recording, the kernel's
 * table has no symbols of it, or those of a program that was loaded at its address later. Then the names of its own
 * functions are made as the kernel makes them, and those of other programs are unknown.
 */
struct code_names {
	struct machine *machine; /* NULL: no symbols are used */
	bool gone;
	const struct symbol *own;
	const uint32_t *lens; /* size of each in bytes */
	size_t n;
};
/* Result lives in env->arena. */
void code_names_read(struct env *env, uint32_t id, const struct abi_prog_info *info, const struct code_info *s,
		     struct code_names *ret);
/* The symbol at or before an address, if it is near enough to belong to it; NULL: unknown. */
const struct symbol *code_names_at(const struct code_names *names, uint64_t addr);
