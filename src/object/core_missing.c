/* SPDX-License-Identifier: BSD-2-Clause */

#include "types/btf.h"
#include "types/declare.h"
#include "object/core.h"

#define DEPTH_MAX 32u
#define NEAR_MAX 3u /* most names that are suggested */
#define FAR 100u

/* Similar names in the kernel, the most similar first, each once. */
struct candidates {
	const char *name[NEAR_MAX];
	unsigned distance[NEAR_MAX];
	unsigned n;
	bool more;
	uint32_t left; /* members that may still be compared */
};

/* The distance of two names: small if one is a part of the other, FAR if more than a third of the letters differ. */
static unsigned distance(const char *wanted, const char *name)
{
	const size_t n = strlen(name), len = strlen(wanted), most = len > n ? len : n;
	unsigned slips;

	if (!n || !len)
		return FAR;
	if (n >= 3 && len >= 3 && (strstr(name, wanted) || strstr(wanted, name)))
		return (unsigned)(most - (len < n ? len : n)) / 4;
	slips = str_distance(wanted, name);
	return slips <= most / 3 ? slips + 4 : FAR;
}

static void near_add(struct candidates *near, const char *name, unsigned d)
{
	unsigned at = near->n;

	for (unsigned i = 0; i < near->n; i++)
		if (!strcmp(near->name[i], name))
			return;
	while (at && near->distance[at - 1] > d)
		at--;
	if (d >= FAR)
		return;
	near->more |= near->n == NEAR_MAX;
	if (at == NEAR_MAX)
		return;
	near->n += near->n < NEAR_MAX;
	for (unsigned i = near->n - 1; i > at; i--) {
		near->name[i] = near->name[i - 1];
		near->distance[i] = near->distance[i - 1];
	}
	near->name[at] = name;
	near->distance[at] = d;
}

static const char *near_text(const struct candidates *near, const char *before, struct arena *a)
{
	STR s = { 0 };

	for (unsigned i = 0; i < near->n; i++)
		str_fmt(&s, "%s`%s`", !i ? before : i + 1 < near->n ? ", " : " and ", near->name[i]);
	return s.n ? arena_str(a, s.p, s.n) : "";
}

/* Add members with similar names, also those of unnamed members. @text: instead, all members of that type. */
static void members_near(struct core_target *t, uint32_t id, const char *wanted, const char *text, unsigned depth,
			 struct candidates *near)
{
	const struct btf_type *type = btf_resolved(t->types, id);
	const unsigned kind = type ? btf_kind_of(type) : BTF_KIND_UNKN;

	if ((kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION) || depth == DEPTH_MAX)
		return;
	for (uint32_t i = 0; i < btf_vlen_of(type) && near->left; i++) {
		const struct btf_member *m = btf_members_of(type) + i;
		const char *name = btf_str(t->types, m->name_off);

		near->left--;
		if (!*name)
			members_near(t, m->type, wanted, text, depth + 1, near);
		else if (!text)
			near_add(near, name, distance(wanted, name));
		else if (!strcmp(btf_type_text(t->types, m->type, t->arena), text))
			near_add(near, name, FAR - 1);
	}
}

static const struct btf_member *member_named(const struct btf_types *t, uint32_t id, const char *name, unsigned depth,
					     uint32_t *left)
{
	const struct btf_type *type = btf_resolved(t, id);
	const unsigned kind = type ? btf_kind_of(type) : BTF_KIND_UNKN;

	if ((kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION) || depth == DEPTH_MAX)
		return NULL;
	for (uint32_t i = 0; i < btf_vlen_of(type) && *left; i++) {
		const struct btf_member *m = btf_members_of(type) + i;
		const char *is = btf_str(t, m->name_off);
		const struct btf_member *found;

		--*left;
		found = *is ? (strcmp(is, name) ? NULL : m) : member_named(t, m->type, name, depth + 1, left);
		if (found)
			return found;
	}
	return NULL;
}

/* The kind and name that are compared: "struct sock", not "struct sock___v2". */
static const char *local_text(const struct core_target *t, uint32_t id)
{
	const struct btf_type *type = btf_type(t->local, id);
	const char *text = btf_type_text(t->local, id, t->arena), *name = type ? btf_str(t->local, type->name_off) : "";
	const size_t n = strlen(text), cut = strlen(name) - core_essential(name);

	return cut && cut < n && !strcmp(text + n - strlen(name), name) ? arena_str(t->arena, text, n - cut) : text;
}

static const char *member_missing(struct core_target *t, const struct core_found *f)
{
	const uint32_t local = btf_resolve(t->local, f->from_local), there = btf_resolve(t->types, f->from);
	const struct btf_type *type = btf_type(t->local, local), *type_there = btf_type(t->types, there);
	const char *what = there ? btf_type_text(t->types, there, t->arena) : "void", *name;
	const struct btf_member *m, *same;
	struct candidates near = { .left = CORE_MEMBERS_MAX };
	uint32_t left = CORE_MEMBERS_MAX;

	if (type && btf_kind_of(type) == BTF_KIND_ARRAY) {
		if (!type_there || btf_kind_of(type_there) != BTF_KIND_ARRAY)
			return arena_fmt(t->arena, "%s is not an array", what);
		return arena_fmt(t->arena, "%s has no element %u", what, f->index);
	}
	if (!type || (btf_kind_of(type) != BTF_KIND_STRUCT && btf_kind_of(type) != BTF_KIND_UNION) ||
	    f->index >= btf_vlen_of(type))
		return "its access string does not fit its own types";
	m = btf_members_of(type) + f->index;
	name = btf_str(t->local, m->name_off);
	same = member_named(t->types, there, name, 0, &left);
	if (same)
		return arena_fmt(t->arena, "`%s` of %s is %s, not %s", name, what,
				 btf_type_text(t->types, same->type, t->arena),
				 btf_type_text(t->local, m->type, t->arena));
	members_near(t, there, name, NULL, 0, &near);
	if (!near.n) {
		members_near(t, there, name, btf_type_text(t->local, m->type, t->arena), 0, &near);
		return arena_fmt(t->arena, "%s has no member `%s`%s%s", what, name,
				 near_text(&near, "; members of that type are ", t->arena),
				 near.more ? ", among others" : "");
	}
	return arena_fmt(t->arena, "%s has no member `%s`%s", what, name, near_text(&near, "; it has ", t->arena));
}

static const char *enumerator_missing(struct core_target *t, const struct core_reloc *r, uint32_t there)
{
	const struct btf_type *type = btf_resolved(t->types, there);
	const char *name = core_enumerator(t->local, r);
	struct candidates near = { .n = 0 };

	if (!name || !type)
		return "its access string does not fit its own types";
	name = arena_str(t->arena, name, core_essential(name));
	for (uint32_t i = 0; i < btf_vlen_of(type); i++) {
		const char *is =
			btf_str(t->types, btf_kind_of(type) == BTF_KIND_ENUM ? btf_enums_of(type)[i].name_off :
									       btf_enums64_of(type)[i].name_off);

		near_add(&near, is, distance(name, is));
	}
	return arena_fmt(t->arena, "%s has no enumerator `%s`%s", local_text(t, r->type), name,
			 near_text(&near, "; it has ", t->arena));
}

/* The kernel's types of the same kind with similar names. */
static const char *type_missing(struct core_target *t, const struct core_reloc *r)
{
	const struct btf_type *type = btf_type(t->local, r->type);
	const char *name = type ? btf_str(t->local, type->name_off) : "";
	struct candidates near = { .n = 0 };

	name = arena_str(t->arena, name, core_essential(name));
	for (uint32_t id = 1; *name && id < btf_count(t->types); id++) {
		const struct btf_type *there = btf_type(t->types, id);

		if (btf_kind_of(there) == btf_kind_of(type))
			near_add(&near, btf_str(t->types, there->name_off),
				 distance(name, btf_str(t->types, there->name_off)));
	}
	return arena_fmt(t->arena, "the kernel has no %s%s", local_text(t, r->type),
			 near_text(&near, "; similar: ", t->arena));
}

const char *core_missing(struct core_target *t, const struct core_reloc *r)
{
	struct core_found found;
	size_t n;
	const uint32_t *ids = core_candidates(t, r->type, &n);

	if (!n)
		return type_missing(t, r);
	if (core_leads(t, r, ids[0], &found) || core_find(t, r, 0, &found))
		return arena_fmt(t->arena, "the kernel has several types named %s, which differ in this",
				 local_text(t, r->type));
	/* core_find() has overwritten it. */
	core_leads(t, r, ids[0], &found);
	if (r->kind <= CORE_RSHIFT)
		return member_missing(t, &found);
	if (r->kind == CORE_ENUMVAL_EXISTS || r->kind == CORE_ENUMVAL_VALUE)
		return enumerator_missing(t, r, ids[0]);
	return arena_fmt(t->arena, "%s exists, but as another kind of type", local_text(t, r->type));
}
