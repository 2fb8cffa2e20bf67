/* SPDX-License-Identifier: BSD-2-Clause */
#include "btf/diff.h"
#include "cli/env.h"
#include "diff/compared.h"
#include "object/core.h"
#include "object/file.h"
#include "render/jsonw.h"
#include "types/btf.h"

#define NAMELESS_DEPTH 32u

/* Which types of one file are reached, and from where. */
enum { FROM_DATA = 1, FROM_CODE = 2, OF_KERNEL = 4 };
struct reached {
	const struct btf_types *t;
	unsigned char *how;
	uint32_t *list, n; /* to be followed */
};

static void reach(struct reached *r, uint32_t id, unsigned how)
{
	if (!id || id >= btf_count(r->t) || r->how[id] & (how | OF_KERNEL))
		return;
	r->how[id] |= how;
	r->list[r->n++] = id;
}

static void reach_from(struct reached *r, uint32_t id, unsigned how)
{
	const struct btf_type *type = btf_type(r->t, id);
	const unsigned n = btf_vlen_of(type);

	switch (btf_kind_of(type)) {
	case BTF_KIND_ARRAY:
		return reach(r, btf_array_of(type)->type, how);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (unsigned i = 0; i < n; i++)
			reach(r, btf_members_of(type)[i].type, how);
		return;
	case BTF_KIND_FUNC_PROTO:
		for (unsigned i = 0; i < n; i++)
			reach(r, btf_params_of(type)[i].type, how);
		return reach(r, type->type, how);
	case BTF_KIND_DATASEC:
		for (unsigned i = 0; i < n; i++)
			reach(r, btf_vars_of(type)[i].type, how);
		return;
	case BTF_KIND_PTR:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VAR:
	case BTF_KIND_FUNC:
		return reach(r, type->type, how);
	default:
		return;
	}
}

static void kernel_types_mark(struct reached *r, const struct object *o)
{
	for (uint32_t s = 1; o->ext[EXT_CORE] && s < o->elf.nsects; s++)
		for (uint32_t i = 0; i < o->ext[EXT_CORE][s].n; i++) {
			const struct core_reloc c = core_reloc(o, &o->ext[EXT_CORE][s], i);

			if (c.kind != CORE_TYPE_ID_LOCAL && c.type < btf_count(r->t))
				r->how[btf_resolve(r->t, c.type)] = OF_KERNEL;
		}
}

/* Variables and maps, or functions; but not those of the kernel. */
static bool is_root(const struct btf_types *t, uint32_t id, unsigned how)
{
	const struct btf_type *type = btf_type(t, id);

	if (how == FROM_DATA)
		return btf_kind_of(type) == BTF_KIND_DATASEC && strcmp(btf_name(t, id), ".ksyms") != 0;
	return btf_kind_of(type) == BTF_KIND_FUNC && btf_vlen_of(type) != BTF_FUNC_EXTERN;
}

static void types_reach(struct reached *r, const struct object *o, struct arena *a)
{
	static const unsigned from[] = { FROM_DATA, FROM_CODE };

	*r = (struct reached){ .t = o->btf };
	r->how = arena_array(a, btf_count(r->t), sizeof(*r->how));
	r->list = arena_array(a, btf_count(r->t), sizeof(*r->list));
	kernel_types_mark(r, o);
	for (unsigned pass = 0; pass < ARRAY_SIZE(from); pass++) {
		for (uint32_t id = 1; id < btf_count(r->t); id++)
			if (is_root(r->t, id, from[pass]))
				reach(r, id, from[pass]);
		while (r->n)
			reach_from(r, r->list[--r->n], from[pass]);
	}
}

static const char *member_json(struct objects *c, const struct diff_side *s, bool there, bool bits)
{
	struct arena *a = c->env->keep;

	if (!there)
		return "null";
	return jsonw_text_str(
		s->is_value ? s->text :
		bits	    ? arena_fmt(a, "%s of %llu bits at byte %llu", s->text, llu(s->bits), llu(s->offset / 8)) :
			      arena_fmt(a, "%s at byte %llu", s->text, llu(s->offset / 8)),
		a);
}

static const char *type_json(struct objects *c, const char *text, uint64_t size)
{
	return text ? jsonw_text_str(text, c->env->keep) : arena_fmt(c->env->keep, "%llu", llu(size));
}

/* @before: of the names of members. */
static void member_differences_put(struct objects *c, struct object_difference d, const struct diff_type *t,
				   const char *before)
{
	for (uint32_t i = 0; i < t->nparts; i++) {
		const struct diff_part *p = &t->parts[i];
		const bool bits =
			p->has_old && p->has_new && !strcmp(p->old.text, p->new.text) && p->old.bits != p->new.bits;

		d.field = arena_fmt(c->env->keep, "%s%s", before, p->name);
		d.before = member_json(c, &p->old, p->has_old, bits);
		d.after = member_json(c, &p->new, p->has_new, bits);
		c->fn(c->ctx, &d);
	}
	if (t->change == DIFF_CHANGED && !t->nparts) {
		d.field = t->old_text ? "type" : "size";
		d.before = type_json(c, t->old_text, t->old_size);
		d.after = type_json(c, t->new_text, t->new_size);
		c->fn(c->ctx, &d);
	}
}

static void type_put(struct objects *c, const struct diff_type *t)
{
	const struct object_difference d = { "btf", t->kind, t->name, t->change != DIFF_ADDED,
					     t->change != DIFF_REMOVED };

	if (t->change != DIFF_CHANGED)
		c->fn(c->ctx, &d);
	member_differences_put(c, d, t, "");
}

/* The struct, union or enum without a name that a value is, or that it consists of or points to; 0: it has a name. */
static uint32_t nameless(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type;

	for (unsigned depth = 0; depth < NAMELESS_DEPTH && (type = btf_type(t, id)); depth++) {
		switch (btf_kind_of(type)) {
		case BTF_KIND_ARRAY:
			id = btf_array_of(type)->type;
			continue;
		case BTF_KIND_PTR:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
		case BTF_KIND_VAR:
			id = type->type;
			continue;
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
			return *btf_name(t, id) ? 0 : id;
		}
		break;
	}
	return 0;
}

/* The type of a member of a map's definition, "key" or "value"; 0: none. */
static uint32_t part_of_map(const struct btf_types *t, uint32_t def, const char *part)
{
	const struct btf_type *type = btf_resolved(t, def);

	for (unsigned i = 0; type && btf_kind_of(type) == BTF_KIND_STRUCT && i < btf_vlen_of(type); i++)
		if (!strcmp(btf_str(t, btf_members_of(type)[i].name_off), part))
			return btf_members_of(type)[i].type;
	return 0;
}

static void pair_put(struct objects *c, struct diff *diff, const char *kind, const char *name, const uint32_t id[2],
		     const char *before)
{
	const struct object_difference d = { kind, NULL, name, true, true };
	struct diff_type t;

	if (id[0] && id[1] && diff_pair(diff, id[0], id[1], &t))
		member_differences_put(c, d, &t, before);
}

/* Types without a name, which the texts of the types of maps and variables do not show. */
static void nameless_compare(struct objects *c, struct diff *diff, const struct btf_type *sec)
{
	const struct btf_types *const t[2] = { c->o[0]->btf, c->o[1]->btf };
	const bool maps = !strcmp(btf_str(t[0], sec->name_off), ".maps");

	for (unsigned i = 0; i < btf_vlen_of(sec); i++) {
		const struct btf_type *one = btf_type(t[0], btf_vars_of(sec)[i].type);
		const char *name = one ? btf_str(t[0], one->name_off) : "";
		const struct btf_type *other = object_type_named(c, 1, name);
		const uint32_t def[2] = { one ? one->type : 0, other ? other->type : 0 };

		if (!maps)
			pair_put(c, diff, "variable", name,
				 (uint32_t[]){ nameless(t[0], def[0]), nameless(t[1], def[1]) }, "type.");
		for (unsigned part = 0; maps && part < 2; part++) {
			const char *word = part ? "value" : "key";

			pair_put(c, diff, "map", name,
				 (uint32_t[]){ nameless(t[0], part_of_map(t[0], def[0], word)),
					       nameless(t[1], part_of_map(t[1], def[1], word)) },
				 part ? "value." : "key.");
		}
	}
}

/*
 * A type that only one file has is used by something else that differs. It is of interest if data are kept in it, and
 * it is no other name of a type.
 */
static bool is_reported(const struct reached r[2], const struct diff_type *t)
{
	const unsigned how = (t->change != DIFF_ADDED ? r[0].how[t->old_id] : 0) |
			     (t->change != DIFF_REMOVED ? r[1].how[t->new_id] : 0);
	const uint32_t id = t->change == DIFF_ADDED ? t->new_id : t->old_id;
	const unsigned kind = btf_kind_of(btf_type(r[t->change == DIFF_ADDED].t, id));

	if (kind == BTF_KIND_FUNC || how & OF_KERNEL)
		return false;
	if (t->change == DIFF_CHANGED)
		return how;
	return how & FROM_DATA &&
	       (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION || kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64);
}

void object_types_compare(struct objects *c)
{
	struct reached r[2];
	struct diff *diff;
	struct diff_type t;

	if (c->plain)
		c->fn(c->ctx,
		      &(struct object_difference){ "btf", NULL, "types", c->o[0]->btf != NULL, c->o[1]->btf != NULL });
	if (!c->o[0]->btf || !c->o[1]->btf)
		return;
	for (unsigned side = 0; side < 2; side++)
		types_reach(&r[side], c->o[side], c->env->keep);
	diff = diff_begin(c->o[0]->btf, c->o[1]->btf, c->env->keep);
	while (diff_next(diff, &t))
		if (is_reported(r, &t))
			type_put(c, &t);
	for (uint32_t id = 1; id < btf_count(c->o[0]->btf); id++)
		if (is_root(c->o[0]->btf, id, FROM_DATA))
			nameless_compare(c, diff, btf_type(c->o[0]->btf, id));
}
