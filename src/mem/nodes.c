/* SPDX-License-Identifier: BSD-2-Clause */
#include "mem/nodes.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/hash.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "cli/select.h"
#include "record/edge.h"
#include "record/field.h"

/* The fields that say what an object takes. */
static const struct { enum object_kind kind; const char *field; enum mem_sort sort; } parts[] = {
	{ OBJECT_PROG, "bytes_memlock", MEM_PROGRAM }, { OBJECT_PROG, "bytes_jited", MEM_CODE }, { OBJECT_MAP, "bytes_memlock", MEM_MAP },
	{ OBJECT_BTF, "size", MEM_TYPES },
};

static void parts_read(struct node *n, const struct kind *k)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct schema *in;
		const struct field *f = parts[i].kind == n->kind ? schema_find(k->schema, n->rec, parts[i].field, &in) : NULL;
		struct value v;

		if (!f)
			continue;
		v = field_get(in, f, n->rec);
		n->unknown |= v.avail == AVAIL_UNKNOWN;
		n->part[parts[i].sort] = v.avail == AVAIL_YES ? v.u : 0;
	}
}

/* The types of the kernel and its modules are there whoever uses them. */
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

static void kind_read(struct env *env, const struct kind *k, const uint32_t *ids, size_t n, unsigned need, struct nodes *ret)
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
		parts_read(node, k);
		ret->n++;
		env_progress(env, "read", ret->n);
	}
}

static uint64_t key(enum object_kind kind, uint32_t id)
{
	return (uint64_t)kind << 32 | id;
}

/* -1: of what has no node. */
static int kind_of_edge(enum edge_to to)
{
	return to == EDGE_PROG ? OBJECT_PROG : to == EDGE_MAP ? OBJECT_MAP : to == EDGE_LINK ? OBJECT_LINK : to == EDGE_BTF ? OBJECT_BTF : -1;
}

/* The objects that it has a reference to, by the units of its fields. */
static void keeps_read(struct env *env, struct node *n, const struct hash *places)
{
	uint32_t *list = NULL;
	size_t cap = 0;
	struct edge_iter it;
	struct edge edge;

	edge_begin(&it, kind_of(n->kind)->schema, n->rec, NEED_USERS);
	while (edge_next(&it, &edge)) {
		const int kind = kind_of_edge(edge.to);
		const void *place = kind < 0 || edge.holder ? NULL : hash_get(places, key((enum object_kind)kind, (uint32_t)edge.id));

		if (!place)
			continue;
		list = arena_more(env->keep, list, n->nkeeps, &cap, sizeof(*list));
		list[n->nkeeps++] = (uint32_t)((uintptr_t)place - 1);
	}
	n->keeps = list;
}

int nodes_read(struct env *env, unsigned need, bool code, struct nodes *ret, struct err *e)
{
	const uint32_t *ids[OBJECT_KINDS];
	size_t n[OBJECT_KINDS] = { 0 }, all = 0, unlisted = 0;
	struct hash places;
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
		kind_read(env, kinds[i], ids[i], n[i], need_of(kinds[i]) | need, ret);
	if (code)
		code_pages_read(env, ret);
	for (size_t i = 0; i < ret->n; i++)
		for (unsigned s = 0; s < MEM_SORTS; s++)
			ret->v[i].bytes += ret->v[i].part[s];
	hash_init(&places, env->keep);
	for (size_t i = 0; i < ret->n; i++)
		*hash_put(&places, key(ret->v[i].kind, ret->v[i].id)) = (void *)(uintptr_t)(i + 1);
	for (size_t i = 0; i < ret->n; i++)
		keeps_read(env, &ret->v[i], &places);
	return 0;
}
