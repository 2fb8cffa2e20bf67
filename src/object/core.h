/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OBJECT_CORE_H
#define OBJECT_CORE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/hash.h"

struct btf_types;
struct arena;
struct object;
struct ext_part;
/*
 * CO-RE relocations: what an object asks the kernel's types for (struct bpf_core_relo, enum bpf_core_relo_kind in
 * include/uapi/linux/bpf.h), and where those have it. The rules are libbpf's: types are the same if their names are,
 * without what is behind "___", and their kinds; members if their names are and one can be read as the other.
 */
enum core_kind {
	CORE_BYTE_OFF,
	CORE_BYTE_SIZE,
	CORE_FIELD_EXISTS,
	CORE_SIGNED,
	CORE_LSHIFT,
	CORE_RSHIFT,
	CORE_TYPE_ID_LOCAL,
	CORE_TYPE_ID_TARGET,
	CORE_TYPE_EXISTS,
	CORE_TYPE_SIZE,
	CORE_ENUMVAL_EXISTS,
	CORE_ENUMVAL_VALUE,
	CORE_TYPE_MATCHES,
	CORE_KINDS
};
struct core_reloc {
	uint32_t kind, type; /* kind: any number; type: id in the object's BTF */
	const char *access;  /* "0:1:2" */
};
struct core_reloc core_reloc(const struct object *o, const struct ext_part *part, uint32_t i);

#define CORE_STEPS_MAX 64u /* as many as libbpf takes */
/* Numbers of an access string. Returns how many, 0: that is no access string. */
unsigned core_access(const char *s, uint32_t ret[CORE_STEPS_MAX]);

/* Types of a kernel that relocations of one object are looked up in. */
struct core_target {
	const struct btf_types *types, *local;
	struct arena *arena;
	struct hash candidates; /* by local type */
};
void core_target_init(struct core_target *t, const struct btf_types *types, const struct btf_types *local,
		      struct arena *a);
/* Where it leads there: a type that has it, and the members on the way to it. */
struct core_found {
	uint32_t type;
	struct core_step {
		uint32_t type, member;
	} steps[CORE_STEPS_MAX]; /* type: a struct or union */
	unsigned n;
	/* What the relocation becomes: where several types give different ones, libbpf refuses to choose. */
	uint64_t bits, value;
	/* The last step that was tried: from which type here and there, by which number of the access string. */
	uint32_t from_local, from, index;
};
/*
 * The first type behind type @after (0: of all) that has it. Of CORE_TYPE_MATCHES, only that the type is there;
 * CORE_TYPE_ID_LOCAL leads nowhere.
 */
bool core_find(struct core_target *t, const struct core_reloc *r, uint32_t after, struct core_found *ret);
/* Do several types have it, and give different answers? libbpf does not load that. */
bool core_is_ambiguous(struct core_target *t, const struct core_reloc *r);
/*
 * Why it leads nowhere, and what is there instead: "struct task_struct has no member `state`; it has `__state`". In the
 * arena of @t. Of a relocation that leads somewhere only that its types differ.
 */
const char *core_missing(struct core_target *t, const struct core_reloc *r);
/* core_find.c's half: the types of that name there, in their order; where @r leads in one of them, or how far. */
const uint32_t *core_candidates(struct core_target *t, uint32_t local, size_t *ret_n);
bool core_leads(struct core_target *t, const struct core_reloc *r, uint32_t id, struct core_found *ret);
/* The enumerator that it means, in the object's types; NULL: none. */
const char *core_enumerator(const struct btf_types *local, const struct core_reloc *r);
/* Its name without what is behind "___": how many letters. */
size_t core_essential(const char *name);

#endif
