/* SPDX-License-Identifier: BSD-2-Clause */
#include "gen/wanted.h"

#include <linux/btf.h>

#include "types/btf.h"
#include "object/core.h"

enum wanted_state {
	WANTED = 1 << 0,
	FOLLOWED = 1 << 1,	/* also the types that pointers point to */
	WHOLE = 1 << 2,		/* also all members */
	WHOLE_POINTED = 1 << 3, /* the same after a pointer, without the members of structs */
};

void wanted_init(struct wanted *w, const struct btf_types *t, struct arena *a)
{
	*w = (struct wanted){
		.t = t,
		.arena = a,
		.state = arena_array(a, btf_count(t), sizeof(*w->state)),
		.members = arena_array(a, btf_count(t), sizeof(*w->members)),
	};
}

/* Mark a type. False: there is no such type, or it has this mark already. */
static bool mark(struct wanted *w, uint32_t id, unsigned state)
{
	if (!btf_type(w->t, id) || (w->state[id] & state) == state)
		return false;
	w->state[id] |= (uint8_t)(state | WANTED);
	return true;
}

static void member_want(struct wanted *w, uint32_t id, uint32_t i)
{
	if (!w->members[id])
		w->members[id] = arena_alloc(w->arena, btf_vlen_of(btf_type(w->t, id)));
	w->members[id][i] = true;
}

typedef void want(struct wanted *w, uint32_t id);

static void own(struct wanted *w, uint32_t id);

/* The types that a type consists of, except those of pointers and members. */
static void parts(struct wanted *w, const struct btf_type *type, want *part)
{
	switch (btf_kind_of(type)) {
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		part(w, type->type);
		break;
	case BTF_KIND_ARRAY:
		part(w, btf_array_of(type)->type);
		own(w, btf_array_of(type)->index_type);
		break;
	case BTF_KIND_FUNC_PROTO:
		part(w, type->type);
		for (unsigned i = 0; i < btf_vlen_of(type); i++)
			part(w, btf_params_of(type)[i].type);
		break;
	}
}

/* A type and the types it consists of, except those of pointers and members. */
static void own(struct wanted *w, uint32_t id)
{
	if (mark(w, id, WANTED))
		parts(w, btf_type(w->t, id), own);
}

void wanted_field(struct wanted *w, const struct core_found *f)
{
	own(w, f->type);
	for (unsigned i = 0; i < f->n; i++) {
		const struct core_step *s = &f->steps[i];

		own(w, s->type);
		member_want(w, s->type, s->member);
		own(w, btf_members_of(btf_type(w->t, s->type))[s->member].type);
	}
}

void wanted_type(struct wanted *w, uint32_t id)
{
	const struct btf_type *type = btf_type(w->t, id);

	if (!mark(w, id, FOLLOWED))
		return;
	if (btf_kind_of(type) == BTF_KIND_PTR)
		wanted_type(w, type->type);
	else
		parts(w, type, wanted_type);
}

static void pointed_want(struct wanted *w, uint32_t id);

static void type_want(struct wanted *w, uint32_t id, unsigned state, want *part)
{
	const struct btf_type *type = btf_type(w->t, id);

	if (!mark(w, id, state))
		return;
	switch (btf_kind_of(type)) {
	case BTF_KIND_PTR:
		pointed_want(w, type->type);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (unsigned i = 0; part == wanted_whole && i < btf_vlen_of(type); i++) {
			member_want(w, id, i);
			part(w, btf_members_of(type)[i].type);
		}
		break;
	default:
		parts(w, type, part);
	}
}

static void pointed_want(struct wanted *w, uint32_t id)
{
	type_want(w, id, WHOLE_POINTED, pointed_want);
}

void wanted_whole(struct wanted *w, uint32_t id)
{
	type_want(w, id, WHOLE, wanted_whole);
}
