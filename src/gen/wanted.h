/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in wanted_bytes.c. */

#include "base/base.h"

struct btf_types;
struct core_found;
/* A part of a kernel's types, and only some members of their structs, to be written as raw BTF. */
struct wanted {
	const struct btf_types *t;
	struct arena *arena;
	uint8_t *state;	   /* by id: enum wanted_state */
	uint8_t **members; /* by id, by index of the member: is it wanted? NULL: none */
};
void wanted_init(struct wanted *w, const struct btf_types *t, struct arena *a);
/* Add what one relocation needs. */
void wanted_field(struct wanted *w, const struct core_found *f); /* the members on the path to it, and their types */
void wanted_type(struct wanted *w, uint32_t id);		 /* the type, and the types it points to; no members */
void wanted_whole(struct wanted *w,
		  uint32_t id); /* the type with members, their members and so on, up to pointers to structs */
/* Write as raw BTF; @a is scratch memory. */
void wanted_bytes(const struct wanted *w, struct arena *a, struct str *ret);
