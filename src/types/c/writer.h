/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in names.c. */

#include "types/btf.h"
#include "types/declare.h"

/* How often a name was used, counted separately for names after struct, union, enum (tags in C) and for all others. */
struct c_names {
	struct arena *arena;
	struct c_name {
		const char *name;
		uint32_t hash, times;
	} * slots;
	size_t n, cap;
};
enum c_space { C_TAGS, C_OTHERS };
/*
 * A name as C can have it (base/ident.h): those of Rust and C++ may have other characters, or be keywords. Two names
 * that become equal so are numbered like other equal names.
 */
const char *c_name(struct c_names *names, const char *name);
void c_names_init(struct c_names *names, struct arena *a, size_t expected);
uint32_t c_names_take(struct c_names *names, enum c_space space, const char *name); /* 1 for the first */

/*
 * What is declared before what. Invariant: all that was printed so far is valid C. Therefore
 *
 *   is printed                       after
 *   a definition "struct a {...};"   each type that a member has by value, complete; each that it points to, declared
 *   "typedef T b;"                   the same for T
 *   "struct a *" within these        "struct a;", unless a is complete or is being defined
 *
 * Two functions see to that, each with a step of struct c_type:
 *
 *   prepare()       C_NOT -> C_DONE in prepared: defines what must be complete before a type can be used, depth first,
 * and the type itself. It stops at a pointer to a named struct: so it ends, because a type cannot contain itself
 * (nesting_check()). type_declare()  C_NOT -> C_NOW -> C_DONE in written: just before a definition, prints "struct a;"
 * and the typedefs of what is only pointed to. A circle through typedefs returns to one that is C_NOW: it is printed at
 *                   once, for what it has by value is complete.
 */
enum c_step { C_NOT, C_NOW, C_DONE };
struct c_type {
	uint8_t prepared : 2, written : 2; /* enum c_step */
	uint8_t declared : 1;		   /* a forward declaration, or an early typedef */
	uint8_t used : 1;		   /* another type refers to it */
	uint8_t defined : 1;		   /* a number that C does not know has its typedef */
	uint8_t align;			   /* alignment of a struct or union; 0: not computed yet */
	uint32_t number;		   /* its name is the Nth of its kind; 0: not counted yet */
};

/*
 * Writes types as C, each once, after its dependencies. nesting_check() must have succeeded before, so the recursion is
 * at most NESTING_DEPTH deep.
 */
struct c_writer {
	struct declare d;
	struct c_type *type; /* by id */
	struct c_names names;
	unsigned indent;
};

void c_writer_init(struct c_writer *w, const struct btf_types *t, struct arena *a,
		   struct out *o);	       /* memory is in the arena */
void c_write(struct c_writer *w, uint32_t id); /* its dependencies and itself, if C can define it */

/* define.c: definitions without the text after them ("struct a {...}"). */
void c_struct_define(struct c_writer *w, uint32_t id);
void c_enum_define(struct c_writer *w, uint32_t id);
void c_typedef(struct c_writer *w, uint32_t id);
void c_base_put(struct declare *d, uint32_t id); /* for declare.base */
/*
 * number.c: C's own type of an integer or floating-point number; NULL: its name is that of this type already, or C has
 * no such type. @size: of a long, in bytes.
 */
const char *c_number(const struct btf_type *type, const char *name, uint32_t size_of_long);

/* place.c: where text and members begin: lines, alignment, padding. */
void c_line(struct c_writer *w, unsigned deeper); /* begins a line, indented by @deeper more tabs */
bool c_struct_is_packed(struct c_writer *w, uint32_t id);
uint32_t c_align(struct c_writer *w, uint32_t id); /* bytes; never 0 */
/*
 * Writes unnamed bit fields, so that the next member, which has an alignment of @align bytes, begins at bit @to instead
 * of @at.
 */
void c_gap(struct c_writer *w, uint64_t at, uint64_t to, uint32_t align, bool in_bits);
