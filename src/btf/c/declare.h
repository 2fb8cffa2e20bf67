/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_C_DECLARE_H
#define BTF_C_DECLARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf_type;
struct btf_types;
struct out;
/*
 * A declaration as C writes it: stars, brackets and parameters stand around the name, what the type is made of in the
 * end stands at the left of them all. That last part, "struct sock" or a whole definition in braces, is the caller's:
 * base() writes it for void and every type that is neither pointer, array, prototype, qualifier nor type tag.
 *
 * Types may be hostile: as text they are cut ("..."); without, nesting_check() must have said that they end.
 */
struct declare {
	const struct btf_types *t;
	struct out *out;
	void (*base)(struct declare *d, uint32_t id);
	bool text;	 /* for people, into memory: no type tags, bounded; else all of it, as C */
	bool raw;	 /* names are written as they are, else with out_text() */
	bool valid;	 /* what C does not take in a name becomes _ */
	bool plain;	 /* no qualifiers and no tags: a type for whoever may change what it is of */
	unsigned depth;	 /* zero at the beginning, like base_end */
	size_t base_end; /* as text: out->n behind the last part */
};

/* @name may be "". */
void declare(struct declare *d, uint32_t id, const char *name);
void declare_name(struct declare *d, const char *name);
/* "struct ", "union ", "enum "; "" for other kinds. */
const char *declare_word(const struct btf_type *type);

#endif
