/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GEN_WANTED_H
#define GEN_WANTED_H

#include <stdbool.h>
#include <stdint.h>

struct btf_types;
struct arena;
struct core_found;
struct str;
/* Some of a kernel's types, and of structs some of the members: raw BTF with nothing else. */
struct wanted {
	const struct btf_types *t;
	struct arena *arena;
	uint8_t *state;	   /* by id: enum wanted_state */
	uint8_t **members; /* by id, by number; NULL: none */
};
void wanted_init(struct wanted *w, const struct btf_types *t, struct arena *a);
/* What one relocation needs. */
void wanted_field(struct wanted *w, const struct core_found *f); /* the members on the way to it, and their types */
void wanted_type(struct wanted *w, uint32_t id);		 /* it, and where pointers in it lead; no members */
void wanted_whole(struct wanted *w, uint32_t id); /* with members, theirs, and so on, up to pointers to structs */
/* As raw BTF; @a is scratch. */
void wanted_bytes(const struct wanted *w, struct arena *a, struct str *ret);

#endif
