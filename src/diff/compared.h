/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in object_code.c, object_data.c, object_types.c, objects.c and pairs.c. */

#include "diff/objects.h"
#include "object/dump.h"
#include "object/read.h"

/* Inside the folder: two object files that are compared. */
struct objects {
	struct env *env;
	struct object *o[2];
	struct data_names names[2];
	struct hash types[2]; /* functions and variables by their names: const struct btf_type * */
	bool plain;	      /* only one file has BTF: code is compared without source lines */
	object_differs *fn;
	void *ctx;
};

/* The function or variable of that name; NULL: none. */
static inline const struct btf_type *object_type_named(const struct objects *c, unsigned side, const char *name)
{
	return hash_get(&c->types[side], hash_text(HASH_TEXT, name));
}
/* A value of a part as JSON; "null": it does not apply. */
const char *object_value_json(struct objects *c, const struct field *f, const struct value *v);

/* Which part of one file is the same as which of the other: by side and index the other's index, from 1; 0: none. */
struct pairs {
	struct arena *a;
	uint32_t n[2], *other[2];
};
void pairs_init(struct pairs *p, struct arena *a, uint32_t n0, uint32_t n1);
/* Pair those without a partner that have equal keys, in their order. */
void pairs_find(struct pairs *p, const uint64_t *const key[2]);

/* Compare the instructions of all functions; functions that are no programs also appear, disappear and become static.
 */
void object_code_compare(struct objects *c);
/*
 * Compare the types that the files keep data in or pass to functions. What is taken from the kernel's types is a need:
 * the types that CO-RE relocates are not compared, nor what only they consist of.
 */
void object_types_compare(struct objects *c);
/* Compare the bytes of data sections that belong to no variable whose value is known. @vars: those of each file. */
void object_data_compare(struct objects *c, const struct object_var *const vars[2], const uint32_t n[2]);
