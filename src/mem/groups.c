/* SPDX-License-Identifier: BSD-2-Clause */
#include "mem/nodes.h"

#include "cli/env.h"
#include "cli/kind.h"
#include "record/edge.h"
#include "record/field.h"

/* A group that holds a node directly. */
struct keeper {
	const char *name;
	uint32_t node;
};
struct keepers {
	struct keeper *v;
	size_t n, cap;
};

static void keeper_add(struct env *env, struct keepers *k, const char *name, size_t node)
{
	ARENA_MORE(env->keep, k->v, k->n, k->cap);
	k->v[k->n++] = (struct keeper){ name, (uint32_t)node };
}

/* What holds: the field of the objects with its names, if these are not edges, and what must be read. */
static const struct {
	const char *field;
	unsigned need;
} holds[] = {
	[BY_PROCESS] = { NULL, NEED_HOLDERS },
	[BY_PIN] = { NULL, NEED_PINS },
	[BY_OWNER] = { "owner", NEED_OWNER },
	[BY_UNIT] = { "holder_unit", NEED_UNITS },
	[BY_CONTAINER] = { "holder_container", NEED_UNITS },
	[BY_CGROUP] = { "holder_cgroup", NEED_UNITS },
};

unsigned groups_need(enum mem_by by)
{
	return holds[by].need;
}

static void of_field(struct env *env, const struct node *n, size_t i, enum mem_by by, struct keepers *ret)
{
	const struct schema *in;
	const struct field *f = schema_find(kind_of(n->kind)->schema, n->rec, holds[by].field, &in);
	struct value v = { .avail = AVAIL_NO };

	if (f)
		v = field_get(in, f, n->rec);
	if (v.avail == AVAIL_YES && v.type == FT_STR)
		keeper_add(env, ret, v.s, i);
	for (uint32_t k = 0; v.avail == AVAIL_YES && v.type == FT_LIST && k < v.list.n; k++)
		keeper_add(env, ret, value_elem(f, &v, k).s, i);
}

static void of_edges(struct env *env, const struct node *n, size_t i, enum mem_by by, struct keepers *ret)
{
	struct edge_iter it;
	struct edge edge;

	edge_begin(&it, kind_of(n->kind)->schema, n->rec, NEED_USERS);
	while (edge_next(&it, &edge)) {
		const char *slash = edge.to == EDGE_PIN && edge.name ? strrchr(edge.name, '/') : NULL;

		if (by == BY_PROCESS && edge.to == EDGE_PROCESS && edge.holder)
			keeper_add(env, ret,
				   arena_fmt(env->keep, "%s(%llu)", edge.name ? edge.name : "?", llu(edge.id)), i);
		else if (by == BY_PIN && slash)
			keeper_add(env, ret,
				   slash > edge.name ? arena_str(env->keep, edge.name, (size_t)(slash - edge.name)) :
						       "/",
				   i);
	}
}

static void keepers_read(struct env *env, const struct nodes *all, enum mem_by by, struct keepers *ret)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct node *n = &all->v[i];

		if (by == BY_PROGRAM && n->kind == OBJECT_PROG)
			keeper_add(env, ret, arena_fmt(env->keep, "%u %s", n->id, n->name), i);
		else if (by == BY_TYPE)
			keeper_add(env, ret,
				   arena_fmt(env->keep, "%s%s%s", kind_of(n->kind)->name, *n->type ? " " : "", n->type),
				   i);
		else if (holds[by].field)
			of_field(env, n, i, by, ret);
		else if (by != BY_PROGRAM)
			of_edges(env, n, i, by, ret);
	}
}

static int by_group(const void *pa, const void *pb)
{
	const struct keeper *a = pa, *b = pb;

	return strcmp(a->name, b->name) ?: NUM_CMP(a->node, b->node);
}

/* A type has its objects, but not those that they refer to. */
static bool is_sort(enum mem_by by)
{
	return by == BY_TYPE;
}

/* Writes all nodes of a group to @work, each once, and returns their number. @work has room for all nodes. */
static size_t reach(const struct nodes *all, const struct keeper *k, size_t n, uint32_t mark, bool through,
		    uint32_t *work)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (all->v[k[i].node].mark != mark) {
			all->v[k[i].node].mark = mark;
			work[found++] = k[i].node;
		}
	for (size_t i = 0; through && i < found; i++) {
		const struct node *from = &all->v[work[i]];

		for (size_t j = 0; j < from->nkeeps; j++)
			if (all->v[from->keeps[j]].mark != mark) {
				all->v[from->keeps[j]].mark = mark;
				work[found++] = from->keeps[j];
			}
	}
	return found;
}

static void group_add(struct holdings *ret, struct env *env, size_t *cap, struct holding g)
{
	ret->v = arena_more(env->keep, ret->v, ret->n, cap, sizeof(*ret->v));
	ret->v[ret->n++] = g;
}

static void node_count(struct holding *g, const struct node *n)
{
	g->objects++;
	g->bytes += n->bytes;
	g->shared += n->groups > 1 ? n->bytes : 0;
	g->share += n->groups ? n->bytes / n->groups : n->bytes;
	g->unknown |= n->unknown;
}

/* Two passes: the number of groups that hold a node is known after the first. */
static void each_group(struct env *env, struct nodes *all, const struct keepers *k, bool through, struct holdings *ret)
{
	uint32_t *work = arena_array(env->keep, all->n, sizeof(*work)), mark = 0;
	size_t cap = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0, end; i < k->n; i = end) {
			struct holding g = { .name = k->v[i].name };
			size_t found;

			for (end = i; end < k->n && !strcmp(k->v[end].name, k->v[i].name); end++)
				;
			found = reach(all, k->v + i, end - i, ++mark, through, work);
			for (size_t w = 0; w < found; w++) {
				struct node *n = &all->v[work[w]];

				n->groups += !pass;
				if (pass)
					node_count(&g, n);
			}
			if (pass)
				group_add(ret, env, &cap, g);
		}
}

static void by_kind(struct env *env, const struct nodes *all, struct holdings *ret)
{
	static const char *const words[MEM_SORTS] = { "programs", "machine code", "maps", "types" };
	size_t cap = 0;

	for (unsigned s = 0; s < MEM_SORTS; s++) {
		struct holding g = { .name = words[s] };

		for (size_t i = 0; i < all->n; i++) {
			g.objects += all->v[i].part[s] != 0;
			g.bytes += all->v[i].part[s];
			g.unknown |= all->v[i].unknown && all->v[i].kind == (s == MEM_MAP   ? OBJECT_MAP :
									     s == MEM_TYPES ? OBJECT_BTF :
											      OBJECT_PROG);
		}
		g.share = g.bytes;
		group_add(ret, env, &cap, g);
	}
}

void groups_find(struct env *env, struct nodes *all, enum mem_by by, struct holdings *ret)
{
	struct keepers k = { 0 };
	struct holding nobody = { 0 };
	size_t cap;

	*ret = (struct holdings){ 0 };
	if (by == BY_KIND) {
		by_kind(env, all, ret);
		return;
	}
	keepers_read(env, all, by, &k);
	if (!is_sort(by))
		nodes_relate(env, all);
	if (k.n)
		qsort(k.v, k.n, sizeof(*k.v), by_group);
	each_group(env, all, &k, !is_sort(by), ret);
	for (size_t i = 0; i < all->n; i++)
		if (!all->v[i].groups)
			node_count(&nobody, &all->v[i]);
	cap = ret->n;
	if (nobody.bytes || nobody.unknown)
		group_add(ret, env, &cap, nobody);
}
