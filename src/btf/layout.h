/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_LAYOUT_H
#define BTF_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct btf_types;
struct arena;
struct str;
/*
 * Where the members of a struct or union stand, as pahole(1) counts. Bytes, unless a name says bits.
 *
 * A bit field belongs to a unit: the integer of its declared type, aligned to its size, that it begins in. Bits between
 * two members that lie in the unit of a bit field are a bit hole, all other room between them is a hole, what is behind
 * the last one is padding. Unions have neither holes nor padding. Members that overlap or lie outside make no holes.
 */
#define CACHELINE 64u
#define LAYOUT_MEMBERS 65536u /* no more are listed: anonymous types stay closed then */
#define LAYOUT_ALL (1u << 22) /* and in all layouts of a source together; a kernel's need a fraction */
#define LAYOUT_DEPTH 32u      /* so do anonymous types that lie deeper */

struct layout_member {
	const char *name;	 /* "": anonymous */
	const char *type, *path; /* NULL until layout_words() */
	uint32_t type_id;
	uint32_t parent; /* index of the member whose anonymous type it stands in; LAYOUT_TOP: none */
	uint32_t depth;	 /* 0: of the type itself */
	uint64_t offset,
		size; /* from the beginning of the outermost type; of a bit field: of its unit. Size 0: unknown, too */
	uint32_t bit_offset, bits; /* from the unit's lowest bit; bits 0: no bit field */
	uint64_t hole;		   /* before it */
	uint32_t bit_hole;	   /* before it */
	uint64_t padding;	   /* at the end of its type, if that is a struct */
	bool open;		   /* its anonymous type's members follow */
};
#define LAYOUT_TOP UINT32_MAX

struct layout {
	uint32_t id;
	const char *kind, *name; /* "struct" or "union"; "" if anonymous */
	uint64_t size;
	uint32_t nmembers, holes, bit_holes, paddings, cachelines;
	uint64_t sum_members, sum_holes, padding, sum_paddings;
	uint64_t sum_bits, sum_bit_holes, bit_padding;
	struct layout_member *members; /* all, depth first; NULL after layout_sum() */
	uint32_t listed;
};

/* The types of one source, and what is known about them so far; in @a, which must not be rewound behind it. */
struct layouts {
	const struct btf_types *t;
	struct hash paddings; /* struct id -> its padding + 1 */
	uint32_t left;	      /* members of anonymous types that may still be listed, all layouts together */
};
void layouts_init(struct layouts *ls, const struct btf_types *t, struct arena *a);

/* -EINVAL: @id is no struct or union (typedefs and qualifiers are looked through; ret->id is what is behind them). */
int layout_sum(struct layouts *ls, uint32_t id, struct layout *ret);
/* With its members, in @a, which is not layouts_init()'s if it is rewound. */
int layout_read(struct layouts *ls, uint32_t id, struct arena *a, struct layout *ret);
/* A member's path, in the arena: "headers.len"; anonymous ones are left out. */
const char *layout_path(const struct layout *l, uint32_t member, struct arena *a);
/* Fill in the members' types ("struct sock *") and paths, in the arena. */
void layout_words(const struct btf_types *t, struct layout *l, struct arena *a);
/* A struct, union, or anonymous one through its typedef that this type is; 0: none of them. For walks over all types.
 */
uint32_t layout_named(const struct btf_types *t, uint32_t id);

/*
 * A C declaration in two parts: "struct sock *" and "sk", "int" and "(*fn)(int)", "char" and "cb[48]" as "BASE" and
 * "DECLARATOR" (stars belong to the declarator). Anonymous types are "struct {...}". Cut where hostile types grow too
 * long.
 */
void btf_declare(const struct btf_types *t, uint32_t id, const char *name, struct str *base, struct str *declarator);
/* The type alone, in the arena: "struct sock *", "char [48]". */
const char *btf_type_text(const struct btf_types *t, uint32_t id, struct arena *a);

#endif
