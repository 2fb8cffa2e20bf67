/* SPDX-License-Identifier: BSD-2-Clause */
#include "btf/diff.h"

#include "types/btf.h"
#include "types/declare.h"
#include "types/layout.h"
#include "record/field.h"

#define TAGS_DEPTH 32u

struct diff_entry {
	const char *kind, *name;
	uint32_t id, nr; /* nr: index among those of the same kind and name, from 0 */
};
struct btf_side {
	const struct btf_types *t;
	struct layouts layouts;
	struct diff_entry *entry;
	size_t n, at;
};
struct diff {
	struct btf_side old, new;
	struct arena *arena; /* of one difference */
};

/* A member or enumerator, which is matched by name. */
struct piece {
	const char *name;
	uint32_t nr; /* index in its type */
	struct diff_side side;
};
struct pieces {
	struct piece *p;
	uint32_t n;
};

static const char *entry_kind(const struct btf_type *type)
{
	switch (btf_kind_of(type)) {
	case BTF_KIND_STRUCT:
		return "struct";
	case BTF_KIND_UNION:
		return "union";
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return "enum";
	case BTF_KIND_TYPEDEF:
		return "typedef";
	case BTF_KIND_INT:
		return "int";
	case BTF_KIND_FLOAT:
		return "float";
	case BTF_KIND_FUNC:
		return "func";
	default:
		return NULL;
	}
}

static int entry_cmp(const struct diff_entry *a, const struct diff_entry *b)
{
	int c = a->kind == b->kind ? 0 : strcmp(a->kind, b->kind);

	c = c ? c : strcmp(a->name, b->name);
	return c ?: NUM_CMP(a->nr, b->nr);
}

static int by_name_and_id(const void *a, const void *b)
{
	const struct diff_entry *x = a, *y = b;

	return entry_cmp(x, y) ?: NUM_CMP(x->id, y->id);
}

static void side_init(struct btf_side *s, const struct btf_types *t, struct arena *keep)
{
	uint32_t id;
	size_t i;

	s->t = t;
	layouts_init(&s->layouts, t, keep);
	s->entry = arena_array(keep, btf_count(t), sizeof(*s->entry));
	for (id = 1; id < btf_count(t); id++) {
		const char *kind = entry_kind(btf_type(t, id)), *name = btf_name(t, id);

		if (kind && *name)
			s->entry[s->n++] = (struct diff_entry){ .kind = kind, .name = name, .id = id };
	}
	qsort(s->entry, s->n, sizeof(*s->entry), by_name_and_id);
	for (i = 1; i < s->n; i++) {
		const struct diff_entry *before = &s->entry[i - 1];

		if (!strcmp(before->kind, s->entry[i].kind) && !strcmp(before->name, s->entry[i].name))
			s->entry[i].nr = before->nr + 1;
	}
}

struct diff *diff_begin(const struct btf_types *a, const struct btf_types *b, struct arena *keep)
{
	struct diff *d = arena_alloc(keep, sizeof(*d));

	side_init(&d->old, a, keep);
	side_init(&d->new, b, keep);
	d->arena = arena_within(keep);
	return d;
}

static int by_name_and_nr(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return strcmp(x->name, y->name) ?: NUM_CMP(x->nr, y->nr);
}

/* With the tags of pointers, "struct sock *, kptr": they decide what may be kept in a map. */
static const char *type_text(const struct btf_types *t, uint32_t id, struct arena *a)
{
	const char *text = btf_type_text(t, id, a);
	const struct btf_type *type;

	for (unsigned depth = 0; depth < TAGS_DEPTH && (type = btf_type(t, id)); depth++, id = type->type) {
		const unsigned kind = btf_kind_of(type);

		if (kind == BTF_KIND_TYPE_TAG)
			text = arena_fmt(a, "%s, %s", text, btf_str(t, type->name_off));
		else if (kind != BTF_KIND_PTR && kind != BTF_KIND_CONST && kind != BTF_KIND_VOLATILE &&
			 kind != BTF_KIND_RESTRICT)
			break;
	}
	return text;
}

/* Members with an expanded anonymous type are not listed themselves. */
static void members_list(struct btf_side *s, uint32_t id, struct arena *a, struct pieces *ret)
{
	struct layout l;
	uint32_t i;

	if (layout_read(&s->layouts, id, a, &l))
		return;
	ret->p = arena_array(a, l.listed, sizeof(*ret->p));
	for (i = 0; i < l.listed; i++) {
		const struct layout_member *m = &l.members[i];

		if (m->open)
			continue;
		ret->p[ret->n++] = (struct piece){
			.name = layout_path(&l, i, a),
			.nr = i,
			.side = { type_text(s->t, m->type_id, a), m->offset * 8 + m->bit_offset,
				  m->bits ? m->bits : m->size * 8 },
		};
	}
}

static void enumerators_list(const struct btf_types *t, const struct btf_type *type, struct arena *a,
			     struct pieces *ret)
{
	bool wide = btf_kind_of(type) == BTF_KIND_ENUM64, is_signed = BTF_INFO_KFLAG(type->info);
	uint32_t i;

	ret->n = btf_vlen_of(type);
	ret->p = arena_array(a, ret->n, sizeof(*ret->p));
	for (i = 0; i < ret->n; i++) {
		const struct btf_enum64 *e64 = btf_enums64_of(type) + i;
		const struct btf_enum *e32 = btf_enums_of(type) + i;
		uint64_t v = wide      ? (uint64_t)e64->val_hi32 << 32 | e64->val_lo32 :
			     is_signed ? (uint64_t)(int64_t)e32->val :
					 (uint32_t)e32->val;

		ret->p[i] = (struct piece){
			.name = btf_str(t, wide ? e64->name_off : e32->name_off),
			.nr = i,
			.side.is_value = true,
			.side.text = is_signed ? arena_fmt(a, "%lld", (long long)v) : arena_fmt(a, "%llu", llu(v)),
		};
	}
}

static void pieces_list(struct btf_side *s, uint32_t id, struct arena *a, struct pieces *ret)
{
	const struct btf_type *type = btf_type(s->t, id), *to = btf_type(s->t, type->type);
	unsigned kind = btf_kind_of(type);

	/* typedef struct { ... } NAME; */
	if (kind == BTF_KIND_TYPEDEF && to && !*btf_name(s->t, type->type)) {
		id = type->type;
		type = to;
		kind = btf_kind_of(to);
	}
	if (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION)
		members_list(s, id, a, ret);
	else if (kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64)
		enumerators_list(s->t, type, a, ret);
	if (ret->n)
		qsort(ret->p, ret->n, sizeof(*ret->p), by_name_and_nr);
}

/* The text of a type without members: the signature of a function, the type of a typedef. */
static const char *type_words(struct btf_side *s, uint32_t id, struct arena *a)
{
	const struct btf_type *type = btf_type(s->t, id);
	STR text = { 0 };

	if (btf_kind_of(type) == BTF_KIND_TYPEDEF)
		return btf_type_text(s->t, type->type, a);
	if (btf_kind_of(type) != BTF_KIND_FUNC)
		return NULL;
	return btf_signature(s->t, id, &text) ? "?" : arena_str(a, text.p, text.n);
}

static bool same_side(const struct diff_side *a, const struct diff_side *b)
{
	return a->offset == b->offset && a->bits == b->bits && !strcmp(a->text, b->text);
}

static int by_type_place(const void *a, const void *b)
{
	const struct diff_part *x = a, *y = b;
	const struct diff_side *p = x->has_old == AVAIL_YES ? &x->old : &x->new,
			       *q = y->has_old == AVAIL_YES ? &y->old : &y->new;

	if (p->offset != q->offset)
		return p->offset > q->offset ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void parts_compare(const struct pieces *a, const struct pieces *b, struct arena *arena, struct diff_type *ret)
{
	struct diff_part *parts = arena_array(arena, (size_t)a->n + b->n, sizeof(*parts));
	uint32_t i = 0, k = 0, n = 0;

	while (i < a->n || k < b->n) {
		int c = i == a->n ? 1 : k == b->n ? -1 : strcmp(a->p[i].name, b->p[k].name);
		struct diff_part p = { .name = c <= 0 ? a->p[i].name : b->p[k].name,
				       .change = c < 0 ? DIFF_REMOVED :
						 c     ? DIFF_ADDED :
							 DIFF_CHANGED,
				       .has_old = c <= 0 ? AVAIL_YES : AVAIL_NO,
				       .has_new = c >= 0 ? AVAIL_YES : AVAIL_NO };

		if (c <= 0)
			p.old = a->p[i++].side;
		if (c >= 0)
			p.new = b->p[k++].side;
		if (c || !same_side(&p.old, &p.new))
			parts[n++] = p;
	}
	if (n)
		qsort(parts, n, sizeof(*parts), by_type_place);
	ret->parts = parts;
	ret->nparts = n;
}

static uint64_t size_of(const struct btf_side *s, uint32_t id)
{
	uint64_t size = 0;

	btf_size(s->t, id, &size);
	return size;
}

/* True if two types of the same name differ. */
static bool types_compare(struct diff *d, const struct diff_entry *x, const struct diff_entry *y, struct arena *a,
			  struct diff_type *ret)
{
	struct pieces old = { 0 }, new = { 0 };

	pieces_list(&d->old, x->id, a, &old);
	pieces_list(&d->new, y->id, a, &new);
	parts_compare(&old, &new, a, ret);
	return ret->nparts || ret->old_size != ret->new_size ||
	       (ret->old_text && ret->new_text && strcmp(ret->old_text, ret->new_text));
}

static void old_set(struct diff *d, const struct diff_entry *x, struct arena *a, struct diff_type *ret)
{
	ret->kind = x->kind;
	ret->name = x->name;
	ret->old_id = x->id;
	ret->old_size = size_of(&d->old, x->id);
	ret->old_text = type_words(&d->old, x->id, a);
	ret->has_old = AVAIL_YES;
}

static void new_set(struct diff *d, const struct diff_entry *y, struct arena *a, struct diff_type *ret)
{
	ret->kind = y->kind;
	ret->name = y->name;
	ret->new_id = y->id;
	ret->new_size = size_of(&d->new, y->id);
	ret->new_text = type_words(&d->new, y->id, a);
	ret->has_new = AVAIL_YES;
}

bool diff_pair(struct diff *d, uint32_t old_id, uint32_t new_id, struct diff_type *ret)
{
	const struct diff_entry x = { .id = old_id }, y = { .id = new_id };

	arena_clear(d->arena);
	*ret = (struct diff_type){ .change = DIFF_CHANGED };
	old_set(d, &x, d->arena, ret);
	new_set(d, &y, d->arena, ret);
	return types_compare(d, &x, &y, d->arena, ret);
}

int diff_next(struct diff *d, struct diff_type *ret)
{
	struct arena *a = d->arena;

	while (d->old.at < d->old.n || d->new.at < d->new.n) {
		const struct diff_entry *x = d->old.at < d->old.n ? &d->old.entry[d->old.at] : NULL;
		const struct diff_entry *y = d->new.at < d->new.n ? &d->new.entry[d->new.at] : NULL;
		int c = !x ? 1 : !y ? -1 : entry_cmp(x, y);

		arena_clear(a);
		*ret = (struct diff_type){ .change = c < 0 ? DIFF_REMOVED : c ? DIFF_ADDED : DIFF_CHANGED };
		d->old.at += c <= 0;
		d->new.at += c >= 0;
		if (c <= 0)
			old_set(d, x, a, ret);
		if (c >= 0)
			new_set(d, y, a, ret);
		if (c || types_compare(d, x, y, a, ret))
			return 1;
	}
	return 0;
}
