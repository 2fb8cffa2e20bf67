/* SPDX-License-Identifier: BSD-2-Clause */
#include "mem/nodes.h"

#include "cli/env.h"
#include "cli/place.h"
#include "inventory/inventory.h"
#include "kernel/hooks.h"
#include "record/edge.h"
#include "record/field.h"
#include "struct_ops/struct_ops.h"

static void node_add(const struct item *it, struct nodes *ret)
{
	struct node *node = &ret->v[ret->n];

	if (!item_uses_memory(it))
		return;
	*node = (struct node){
		.kind = it->kind->object, .id = it->id, .type = it->label.type, .name = it->label.name, .rec = it->rec
	};
	node->unknown = !item_memory(it, node->part);
	ret->n++;
}

/* Nodes ascend by it. */
static uint64_t node_key(unsigned kind, uint64_t id)
{
	return (uint64_t)kind << 32 | id;
}

/* NULL: the target has no node. */
static struct node *node_at(const struct nodes *all, unsigned kind, uint64_t id)
{
	const uint64_t wanted = node_key(kind, id);
	const size_t at = ARRAY_LOWER(all->n, i, node_key(all->v[i].kind, all->v[i].id) < wanted);

	return at < all->n && node_key(all->v[at].kind, all->v[at].id) == wanted ? &all->v[at] : NULL;
}

static void keeps_add(struct env *env, const struct nodes *all, struct node *n, const struct node *kept)
{
	if (!n || !kept)
		return;
	ARENA_MORE(env->keep, n->keeps, n->nkeeps, n->room);
	n->keeps[n->nkeeps++] = (uint32_t)(kept - all->v);
}

/* The objects that the fields of a record refer to. */
static void edges_read(struct env *env, const struct nodes *all, struct node *n, const struct schema *s,
		       const void *rec)
{
	struct edge_iter it;
	struct edge edge;

	edge_begin(&it, s, rec, NEED_USERS);
	while (edge_next(&it, &edge))
		if (!edge.holder)
			keeps_add(env, all, n, node_at(all, edge.to, edge.id));
}

/* The programs of a table of operations. */
static void operations_read(struct env *env, const struct nodes *all, struct node *n)
{
	const struct kind *k = &kind_struct_ops;
	struct err why = { 0 };
	void *rec;

	if (n->kind != OBJECT_MAP || strcmp(n->type, k->schema->name))
		return;
	rec = arena_alloc(env->keep, k->schema->rec_size);
	if (!k->read(env, env->keep, n->id, NEED_PROG, rec, &why))
		edges_read(env, all, n, k->schema, rec);
}

/* Programs in slots of maps, and programs of sockmaps. */
static void slots_read(struct env *env, const struct nodes *all, const struct place *p)
{
	struct records slots = { .s = &attachment_schema };
	struct err why = { 0 };

	if (p->list(env, &slots, &why))
		report_unread(env->report, &why);
	for (size_t i = 0; i < slots.n; i++) {
		const struct attachment *a = attachment_at(&slots, i);

		if (!a->link_id)
			keeps_add(env, all, node_at(all, OBJECT_MAP, a->map_id), node_at(all, OBJECT_PROG, a->prog_id));
	}
}

void nodes_relate(struct env *env, struct nodes *all)
{
	for (size_t i = 0; i < all->n; i++) {
		edges_read(env, all, &all->v[i], kind_of(all->v[i].kind)->schema, all->v[i].rec);
		operations_read(env, all, &all->v[i]);
	}
	for (const struct place *const *p = places; *p; p++)
		if ((*p)->hooks & HOOK_BIT(HOOK_SLOT))
			slots_read(env, all, *p);
}

int nodes_read(struct env *env, unsigned need, bool code, struct nodes *ret, struct err *e)
{
	struct inventory all = { 0 };
	int err;

	for (size_t i = 0; kinds[i]; i++)
		all.need[kinds[i]->object] =
			need | kind_edge_need(kinds[i], NEED_USERS | NEED_NAMED) | NEED_FDINFO | NEED_INNER;
	err = inventory_read(env, false, &all, e);
	if (err)
		return err;
	*ret = (struct nodes){ .v = arena_array(env->keep, all.n, sizeof(*ret->v)) };
	for (size_t i = 0; i < all.n; i++)
		node_add(&all.v[i], ret);
	if (code)
		code_pages_read(env, ret);
	for (size_t i = 0; i < ret->n; i++)
		for (unsigned s = 0; s < MEM_SORTS; s++)
			ret->v[i].bytes += ret->v[i].part[s];
	return 0;
}
