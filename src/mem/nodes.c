/* SPDX-License-Identifier: BSD-2-Clause */
#include "mem/nodes.h"

#include "base/base.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "cli/place.h"
#include "cli/select.h"
#include "kernel/hooks.h"
#include "record/edge.h"
#include "record/field.h"
#include "struct_ops/struct_ops.h"

/* The fields with the memory of an object. */
static const struct {
	enum object_kind kind;
	const char *field;
	enum mem_sort sort;
} parts[] = {
	{ OBJECT_PROG, "bytes_memlock", MEM_PROGRAM },
	{ OBJECT_PROG, "bytes_jited", MEM_CODE },
	{ OBJECT_MAP, "bytes_memlock", MEM_MAP },
	{ OBJECT_BTF, "size", MEM_TYPES },
};

static void node_parts_read(struct node *n, const struct kind *k)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct schema *in;
		const struct field *f =
			parts[i].kind == n->kind ? schema_find(k->schema, n->rec, parts[i].field, &in) : NULL;
		struct value v;

		if (!f)
			continue;
		v = field_get(in, f, n->rec);
		n->unknown |= v.avail == AVAIL_UNKNOWN;
		n->part[parts[i].sort] = v.avail == AVAIL_YES ? v.u : 0;
	}
}

/* The BTF of the kernel and its modules does not depend on any user of it. */
static bool is_of_kernel(const struct kind *k, const void *rec)
{
	const struct schema *in;
	const struct field *f = k->object == OBJECT_BTF ? schema_find(k->schema, rec, "kernel", &in) : NULL;

	return f && field_get(in, f, rec).b;
}

static unsigned need_of(const struct kind *k)
{
	unsigned need = edge_need(k->schema, NEED_USERS | NEED_NAMED);

	for (size_t i = 0; k->parts && k->parts[i]; i++)
		need |= edge_need(k->parts[i], NEED_USERS | NEED_NAMED);
	return need | NEED_FDINFO | NEED_INNER;
}

static void nodes_kind_read(struct env *env, const struct kind *k, const uint32_t *ids, size_t n, unsigned need,
			    struct nodes *ret)
{
	for (size_t i = 0; i < n; i++) {
		struct node *node = &ret->v[ret->n];
		struct err why = { 0 };
		const char *tag;
		void *rec = arena_alloc(env->keep, k->schema->rec_size);
		int err = k->label(env, env->keep, ids[i], &node->type, &node->name, &tag, &why);

		err = err ? err : k->read(env, env->keep, ids[i], need, rec, &why);
		if (err && err != -ENOENT)
			report_unread(env->report, &why);
		if (err || is_of_kernel(k, rec))
			continue;
		node->kind = k->object;
		node->id = ids[i];
		node->rec = rec;
		node_parts_read(node, k);
		ret->n++;
		env_progress(env, "read", ret->n);
	}
}

static uint64_t key(enum object_kind kind, uint32_t id)
{
	return (uint64_t)kind << 32 | id;
}

/* -1: the target has no node. */
static int kind_of_edge(enum edge_to to)
{
	return to == EDGE_PROG ? OBJECT_PROG :
	       to == EDGE_MAP  ? OBJECT_MAP :
	       to == EDGE_LINK ? OBJECT_LINK :
	       to == EDGE_BTF  ? OBJECT_BTF :
				 -1;
}

struct relating {
	struct env *env;
	struct nodes *all;
	struct hash places; /* index of a node + 1, by key() */
};

static struct node *node_at(const struct relating *r, int kind, uint64_t id)
{
	const void *place = kind < 0 ? NULL : hash_get(&r->places, key((enum object_kind)kind, (uint32_t)id));

	return place ? &r->all->v[(uintptr_t)place - 1] : NULL;
}

static void keeps_add(const struct relating *r, struct node *n, const struct node *kept)
{
	if (!n || !kept)
		return;
	n->keeps = arena_more(r->env->keep, n->keeps, n->nkeeps, &n->room, sizeof(*n->keeps));
	n->keeps[n->nkeeps++] = (uint32_t)(kept - r->all->v);
}

/* The objects that the fields of a record refer to. */
static void edges_read(const struct relating *r, struct node *n, const struct schema *s, const void *rec)
{
	struct edge_iter it;
	struct edge edge;

	edge_begin(&it, s, rec, NEED_USERS);
	while (edge_next(&it, &edge))
		if (!edge.holder)
			keeps_add(r, n, node_at(r, kind_of_edge(edge.to), edge.id));
}

/* The programs of a table of operations. */
static void operations_read(const struct relating *r, struct node *n)
{
	const struct kind *k = &kind_struct_ops;
	struct err why = { 0 };
	void *rec;

	if (n->kind != OBJECT_MAP || strcmp(n->type, k->schema->name))
		return;
	rec = arena_alloc(r->env->keep, k->schema->rec_size);
	if (!k->read(r->env, r->env->keep, n->id, NEED_PROG, rec, &why))
		edges_read(r, n, k->schema, rec);
}

/* Programs in slots of maps, and programs of sockmaps. */
static void slots_read(const struct relating *r, const struct place *p)
{
	struct records slots = { .s = &attachment_schema };
	struct err why = { 0 };

	if (p->list(r->env, &slots, &why))
		report_unread(r->env->report, &why);
	for (size_t i = 0; i < slots.n; i++) {
		const struct attachment *a = attachment_at(&slots, i);

		if (!a->link_id)
			keeps_add(r, node_at(r, OBJECT_MAP, a->map_id), node_at(r, OBJECT_PROG, a->prog_id));
	}
}

void nodes_relate(struct env *env, struct nodes *all)
{
	struct relating r = { .env = env, .all = all };

	hash_init(&r.places, env->keep);
	for (size_t i = 0; i < all->n; i++)
		*hash_put(&r.places, key(all->v[i].kind, all->v[i].id)) = (void *)(uintptr_t)(i + 1);
	for (size_t i = 0; i < all->n; i++) {
		edges_read(&r, &all->v[i], kind_of(all->v[i].kind)->schema, all->v[i].rec);
		operations_read(&r, &all->v[i]);
	}
	for (const struct place *const *p = places; *p; p++)
		if ((*p)->hooks & HOOK_BIT(HOOK_SLOT))
			slots_read(&r, *p);
}

int nodes_read(struct env *env, unsigned need, bool code, struct nodes *ret, struct err *e)
{
	const uint32_t *ids[OBJECT_KINDS];
	size_t n[OBJECT_KINDS] = { 0 }, all = 0, unlisted = 0;
	struct err first = { 0 };

	for (size_t i = 0; kinds[i]; i++) {
		struct err why = { 0 };

		if (select_all(env, kinds[i], &ids[i], &n[i], &why)) {
			report_unlisted(env->report, kinds[i]->noun, why.code);
			unlisted++;
			n[i] = 0;
			first = first.code ? first : why;
		}
		all += n[i];
	}
	if (unlisted == OBJECT_KINDS) {
		*e = first;
		return e->code;
	}
	*ret = (struct nodes){ .v = arena_array(env->keep, all, sizeof(*ret->v)) };
	for (size_t i = 0; kinds[i]; i++)
		nodes_kind_read(env, kinds[i], ids[i], n[i], need_of(kinds[i]) | need, ret);
	if (code)
		code_pages_read(env, ret);
	for (size_t i = 0; i < ret->n; i++)
		for (unsigned s = 0; s < MEM_SORTS; s++)
			ret->v[i].bytes += ret->v[i].part[s];
	return 0;
}
