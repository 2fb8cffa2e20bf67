/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in core_missing.c. */

#include "base/base.h"

struct btf_types;
struct object;
struct ext_part;
/*
 * CO-RE relocations: what an object takes from the kernel's types (struct bpf_core_relo, enum bpf_core_relo_kind in
 * include/uapi/linux/bpf.h), and where it is found there. The rules are libbpf's. Types match if they have the same
 * kind and the same name up to "___"; members match if they have the same name and compatible types.
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

#define CORE_STEPS_MAX 64u /* libbpf's limit */
/* Most members that are compared to find one: malicious types have unnamed structs that contain each other many times.
 */
#define CORE_MEMBERS_MAX (1u << 20)
/* Read the numbers of an access string. Returns how many; 0: not an access string. */
unsigned core_access(const char *s, uint32_t ret[CORE_STEPS_MAX]);

/* The types of a kernel, to look up the relocations of one object. */
struct core_target {
	const struct btf_types *types, *local;
	struct arena *arena;
	struct hash candidates; /* by id of the local type */
};
void core_target_init(struct core_target *t, const struct btf_types *types, const struct btf_types *local,
		      struct arena *a);
/* The target of a relocation: the type that has it, and the members on the path to it. */
struct core_found {
	uint32_t type;
	struct core_step {
		uint32_t type, member;
	} steps[CORE_STEPS_MAX]; /* type: a struct or union */
	unsigned n;
	/* The result of the relocation. If several types have different results, libbpf refuses to load the object. */
	uint64_t bits, value;
	/* The last step that was tried: from which local and target type, by which number of the access string. */
	uint32_t from_local, from, index;
};
/*
 * Find the first type after type @after (0: of all types) that has it. CORE_TYPE_MATCHES: only find the type;
 * CORE_TYPE_ID_LOCAL: false.
 */
bool core_find(struct core_target *t, const struct core_reloc *r, uint32_t after, struct core_found *ret);
/* Do several types have it, with different results? libbpf does not load such an object. */
bool core_is_ambiguous(struct core_target *t, const struct core_reloc *r);
/*
 * Why it has no target, and what the kernel has instead: "struct task_struct has no member `state`; it has `__state`".
 * In the arena of @t. If it has a target: that its types differ.
 */
const char *core_missing(struct core_target *t, const struct core_reloc *r);
/* In core_find.c: the target's types of that name, in order; the target of @r in one of them, or how far it leads. */
const uint32_t *core_candidates(struct core_target *t, uint32_t local, size_t *ret_n);
bool core_leads(struct core_target *t, const struct core_reloc *r, uint32_t id, struct core_found *ret);
/* The name of its enumerator, in the object's types; NULL: none. */
const char *core_enumerator(const struct btf_types *local, const struct core_reloc *r);
/* The length of the name up to "___". */
size_t core_essential(const char *name);
