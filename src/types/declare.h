/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct btf_type;
struct btf_types;
/*
 * A declaration in C: stars, brackets and parameters are around the name, and the base type is at the left of them all.
 * The base type, "struct sock" or a whole definition in braces, is written by the caller: base() writes void and every
 * type that is not a pointer, array, prototype, qualifier or type tag.
 *
 * Types may be hostile: text is truncated ("..."); without text, nesting_check() must have succeeded before.
 */
struct declare {
	const struct btf_types *t;
	struct out *out;
	void (*base)(struct declare *d, uint32_t id);
	bool text;	 /* text for users, in memory: no type tags, truncated; else complete C */
	bool raw;	 /* names are written unchanged, else with out_text() */
	bool valid;	 /* characters that C does not allow in a name become _ */
	bool plain;	 /* no qualifiers and no tags: a type whose values can be changed */
	unsigned depth;	 /* must be zero at the beginning, like base_end */
	size_t base_end; /* text: out->n after the base type */
};

/* @name may be "". */
void declare(struct declare *d, uint32_t id, const char *name);
void declare_name(struct declare *d, const char *name);
/* "struct ", "union ", "enum "; "" for other kinds. */
const char *declare_word(const struct btf_type *type);

/*
 * A C declaration in two parts: "struct sock *" and "sk", "int" and "(*fn)(int)", "char" and "cb[48]" as "BASE" and
 * "DECLARATOR" (stars belong to the declarator). Anonymous types are "struct {...}". Truncated if hostile types make it
 * too long.
 */
void btf_declare(const struct btf_types *t, uint32_t id, const char *name, struct str *base, struct str *declarator);
/* Only the type, in the arena: "struct sock *", "char [48]". */
const char *btf_type_text(const struct btf_types *t, uint32_t id, struct arena *a);
