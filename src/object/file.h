/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OBJECT_FILE_H
#define OBJECT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/elf.h"

struct env;
struct err;
struct arena;
struct btf_types;
struct btf_type;
struct named;
/*
 * A BPF object file, as compilers write it and libbpf loads it: what all commands on it need. Nothing in it is trusted;
 * sections and functions do not overlap, so that work on each is bounded by the size of the file.
 */

/* Records of .BTF.ext about one section, @size bytes each; offsets in them are bytes in that section. */
struct ext_part {
	const unsigned char *p;
	uint32_t n, size;
};
enum ext_kind { EXT_FUNCS, EXT_LINES, EXT_CORE, EXT_KINDS };

struct object_func {
	const char *name;
	uint32_t section;
	uint64_t off, size; /* bytes in its section; whole instructions */
	bool program;	    /* not only called by programs */
	bool seen;	    /* scratch, false between uses */
};

struct object {
	const char *path;
	struct elf_object elf;
	const struct btf_types *btf; /* NULL: none; lives in the arena */
	uint64_t btf_size;
	const struct ext_part *ext[EXT_KINDS]; /* by section; NULL: none */
	struct object_func *funcs;	       /* ascending by section and offset */
	uint32_t nfuncs;
	const uint32_t *
		*relocs; /* by section, by instruction: symbol + 1, 0: none; NULL: no relocations. In the arena */
	const struct named *sects, *globals; /* sections, and symbols that are not local, in the order of names */
	uint32_t nglobals;
	const struct btf_type **datasecs; /* by section: its variables; NULL: none */
	size_t *text_left;		  /* hostile types have long texts: so much more is made of them */
	struct arena *arena;
};

/* Which file: an object, or one that has objects inside, as programs with libbpf's skeletons do. */
struct object_path {
	const char *path;
	uint32_t embedded; /* the Nth of them, from 1; 0: the only one, or the file itself */
};
/* Read it; lives in env->keep. A sentence for everything that is wrong with it. */
int object_open(struct env *env, const struct object_path *path, struct object **ret, struct err *e);
/* The same for bytes, which must outlive the arena. */
int object_read(struct object *ret, const char *path, const void *p, size_t n, struct arena *a, struct err *e);

/* file.c's half in ext.c: fill in ext. */
int ext_read(struct object *o, const struct elf_sect *s, struct err *e);

uint32_t object_section(const struct object *o, const char *name);		  /* 0: none */
const struct elf_symbol *object_symbol(const struct object *o, const char *name); /* a global one; NULL: none */
/* A type in C, "..." when there were too many long ones. */
const char *object_type_text(const struct object *o, uint32_t id);
/* The function that the byte is in, or NULL. */
struct object_func *object_func_at(const struct object *o, uint32_t section, uint64_t off);
/* Data that becomes a map: .data, .rodata, .bss and their .data.NAME. NULL: another section; else the standard name. */
const char *object_data_kind(const char *section);
/* The records of @kind that are about [off, off + size) of a section. */
struct ext_part object_ext(const struct object *o, enum ext_kind kind, uint32_t section, uint64_t off, uint64_t size);
uint32_t ext_u32(const struct ext_part *part, uint32_t record, unsigned word); /* word < 4 */

/* What the instruction at a byte refers to. */
enum code_ref_kind { CODE_REF_NONE, CODE_REF_FUNC, CODE_REF_SYMBOL };
struct code_ref {
	enum code_ref_kind kind;
	struct object_func *func;
	const struct elf_symbol *symbol;
	uint64_t off; /* CODE_REF_SYMBOL: from the beginning of its section, what the instruction adds counted in */
};
struct code_ref object_code_ref(const struct object *o, uint32_t section, uint64_t off);

#endif
