/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct btf_types;
/*
 * Offsets of the members of a struct or union, by the rules of pahole(1). In bytes, unless a name contains "bit".
 *
 * A bit field belongs to a unit: the integer of its declared type, aligned to its size, in which it begins. Unused bits
 * between two members inside the unit of a bit field are a bit hole; other unused space between them is a hole; unused
 * space after the last member is padding. Unions have no holes and no padding. Members that overlap or exceed the type
 * make no holes; no compiler makes them.
 */
#define CACHELINE 64u
#define LAYOUT_MEMBERS 65536u /* maximum listed; more anonymous types are not expanded then */
#define LAYOUT_ALL (1u << 22) /* the same for all layouts of a source; a kernel needs a fraction */
#define LAYOUT_DEPTH 32u      /* deeper anonymous types are not expanded */

struct layout_member {
	const char *name;	 /* "": anonymous */
	const char *type, *path; /* NULL until layout_words() */
	uint32_t type_id;
	uint32_t parent;       /* index of the member whose anonymous type contains it; LAYOUT_TOP: none */
	uint32_t depth;	       /* 0: a member of the type itself */
	uint64_t offset, size; /* offset in the outermost type; of a bit field: of its unit. Size 0: maybe unknown */
	uint32_t bit_offset, bits; /* from the lowest bit of the unit; bits 0: not a bit field */
	uint64_t hole;		   /* before it */
	uint64_t overlap;	   /* bytes of a struct that it shares with members before it, begun ones included */
	uint32_t bit_hole;	   /* before it */
	uint64_t padding;	   /* at the end of its type, if that is a struct */
	bool open;		   /* the members of its anonymous type follow */
};
#define LAYOUT_TOP UINT32_MAX

struct layout {
	uint32_t id;
	const char *kind, *name; /* "struct" or "union"; "" if anonymous */
	uint64_t size;
	uint32_t nmembers, holes, bit_holes, paddings, cachelines;
	uint64_t sum_members, sum_holes, padding, sum_paddings;
	uint64_t sum_bits, sum_bit_holes, bit_padding;
	uint64_t excess;	       /* bytes by which members exceed it */
	struct layout_member *members; /* all, depth first; NULL after layout_sum() */
	uint32_t listed;
};

/*
 * The types of one source, and results kept for them, in @a: not an arena that has a scope while layouts are read.
 */
struct layouts {
	const struct btf_types *t;
	struct hash paddings; /* struct id -> its padding, plus 1 */
	uint32_t left;	      /* members of anonymous types that may still be listed in all layouts */
};
void layouts_init(struct layouts *ls, const struct btf_types *t, struct arena *a);

/*
 * Reads a layout without members. Typedefs and qualifiers are skipped, and ret->id is the type after them. -EINVAL: @id
 * is not a struct or union.
 */
int layout_sum(struct layouts *ls, uint32_t id, struct layout *ret);
/* Reads a layout with its members, in @a. */
int layout_read(struct layouts *ls, uint32_t id, struct arena *a, struct layout *ret);
/* The path of a member, in the arena: "headers.len"; anonymous members are omitted. */
const char *layout_path(const struct layout *l, uint32_t member, struct arena *a);
/* Sets the types ("struct sock *") and paths of the members, in the arena. */
void layout_words(const struct btf_types *t, struct layout *l, struct arena *a);
/*
 * The struct or union if this type is a named one, or a typedef of an anonymous one; 0: neither. For walks over all
 * types.
 */
uint32_t layout_struct(const struct btf_types *t, uint32_t id);
