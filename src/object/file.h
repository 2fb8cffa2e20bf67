/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in library.c. */

#include "host/elf/elf.h"

struct env;
struct btf_types;
struct btf_type;
struct named;
/*
 * A BPF object file, as compilers write it and libbpf loads it: the parts that all commands need. The file is not
 * trusted. Sections and functions do not overlap, so that work on them is bounded by the size of the file.
 */

/* The records of .BTF.ext for one section, @size bytes each; their offsets are bytes in that section. */
struct ext_part {
	const unsigned char *p;
	uint32_t n, size;
};
enum ext_kind { EXT_FUNCS, EXT_LINES, EXT_CORE, EXT_KINDS };

/* Why libbpf does not accept a function, and what helps. */
struct object_why {
	const char *why, *remedy;
};
struct object_func {
	const char *name;
	uint32_t section;
	uint64_t off, size;		  /* bytes in its section; complete instructions */
	bool program;			  /* a program, not a subprogram */
	bool seen;			  /* scratch, false between uses */
	const struct object_why *refused; /* NULL: it does */
};

struct object {
	const char *path;
	struct elf_object elf;
	const struct btf_types *btf; /* in the arena; NULL: none */
	uint64_t btf_size;
	const struct ext_part *ext[EXT_KINDS]; /* by section; NULL: none */
	struct object_func *funcs;	       /* ascending by section and offset */
	uint32_t nfuncs;
	const uint32_t **relocs;	     /* by section, by instruction: symbol + 1; 0: none; NULL: no relocations */
	const struct named *sects, *globals; /* sections, and symbols that are not local, sorted by name */
	uint32_t nglobals;
	const struct btf_type **datasecs; /* by section: its variables; NULL: none */
	size_t *text_left;   /* remaining bytes for texts of types, because malicious types have long ones */
	const char *ignored; /* what of the file is not used, as a sentence; NULL: nothing */
	struct arena *arena;
};

/* A file: an object, or a file with objects inside, such as a program with libbpf's skeletons. */
struct object_path {
	const char *path;
	uint32_t embedded; /* number of the object inside, from 1; 0: the only one, or the file itself */
};
/* Read a file into env->keep. 0, or -errno with @e set. */
int object_open(struct env *env, const struct object_path *path, struct object **ret, struct err *e);
/* The same for bytes in memory, which must outlive the arena. */
int object_read(struct object *ret, const char *path, const void *p, size_t n, struct arena *a, struct err *e);

/* Append the bytes of an object file. 0 or -errno. */
int object_bytes(struct str *ret, const char *path);
/*
 * Check bytes that a library will read as an object file: the libbpf of a distribution may crash on a damaged one. 0,
 * or -errno and the message of object_read().
 */
int object_check(const char *path, const struct str *bytes, struct err *e);

/* Parts of object_read(): ext.c fills in ext, funcs.c funcs. */
int ext_read(struct object *o, const struct elf_sect *s, struct err *e);
int funcs_read(struct object *o, struct err *e);
void funcs_refuse_outside(struct object *o); /* after relocations are known */
bool object_is_code(const struct elf_sect *s);
/* Note what the file has and object_read() does not use: in object.ignored, and in the report of object_open(). */
void object_ignore(struct object *o, const char *fmt, ...) PRINTF(2, 3);

uint32_t object_section(const struct object *o, const char *name);		  /* 0: none */
const struct elf_symbol *object_symbol(const struct object *o, const char *name); /* a global one; NULL: none */
/* The text of a type in C; "..." after too many long ones. */
const char *object_type_text(const struct object *o, uint32_t id);
/* The function at this offset, or NULL. */
struct object_func *object_func_at(const struct object *o, uint32_t section, uint64_t off);
/* The standard name of a data section that becomes a map: .data, .rodata, .bss, also for .data.NAME. NULL: another
 * section. */
const char *object_data_kind(const char *section);
/* The records of @kind for [off, off + size) of a section. */
struct ext_part object_ext(const struct object *o, enum ext_kind kind, uint32_t section, uint64_t off, uint64_t size);
uint32_t ext_u32(const struct ext_part *part, uint32_t record, unsigned word); /* word < 4 */

/* The reason why the linked libbpf, which older ones share, cannot load the file, as a sentence; NULL: it can. */
const char *object_unloadable(const struct object *o);

/* What an instruction refers to. */
enum code_ref_kind { CODE_REF_NONE, CODE_REF_FUNC, CODE_REF_SYMBOL };
struct code_ref {
	enum code_ref_kind kind;
	struct object_func *func;
	const struct elf_symbol *symbol;
	uint64_t off; /* CODE_REF_SYMBOL: offset in its section, with the number that the instruction adds */
};
struct code_ref object_code_ref(const struct object *o, uint32_t section, uint64_t off);
