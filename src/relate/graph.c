/* SPDX-License-Identifier: BSD-2-Clause */
#include "relate/graph.h"

#include "cli/env.h"
#include "inventory/inventory.h"
#include "kernel/abi.h"
#include "kernel/names.h"
#include "record/field.h"
#include "relate/attached.h"
#include "source/facts.h"
#include "source/task_place.h"
#include "struct_ops/struct_ops.h"

/* Users of a BTF object or a map are edges from the user's own record. */
#define SKIP (NEED_USERS | NEED_JOIN)

struct build {
	struct env *env;
	struct graph *g;
	struct hash by_id[EDGE_KINDS]; /* index of the node plus 1; devices by namespace and index */
	struct hash pairs;	       /* pairs of nodes that have an edge */
	size_t node_cap, edge_cap;
	uint64_t pins, attachments;
	uint32_t most_pins; /* of an object; 0: all */
	uint64_t netns;	    /* inode of our own; 0: unknown */
};

static uint32_t node_new(struct build *b, const struct graph_node *n)
{
	struct graph *g = b->g;

	ARENA_MORE(b->env->keep, g->node, g->nodes, b->node_cap);
	g->node[g->nodes] = *n;
	g->node[g->nodes].in = g->node[g->nodes].out = GRAPH_NONE;
	return g->nodes++;
}

/* The place of a process; NULL: unknown. Files saved by older versions do not have it. */
static const struct task_place *place_of(struct env *env, uint64_t pid)
{
	struct task_place *p = arena_alloc(env->keep, sizeof(*p));
	struct blob b;
	int err = ask_silently(env->machine, env->arena, &b, Q_TASK_CGROUP, pid);
	const bool gone = (err == -ENOENT || err == -ESRCH) && !machine_is_saved(env->machine);

	if (!err && !blob_is_lines(&b))
		err = -EBADMSG;
	if (err && err != -ENODATA && !gone)
		note_refused(env->machine, err, Q_TASK_CGROUP, pid);
	if (err)
		return NULL;
	task_place_parse(arena_str(env->keep, (const char *)b.p, b.n), env->keep, p);
	return p;
}

static const char *kept(struct build *b, const char *s)
{
	return s ? arena_str(b->env->keep, s, SIZE_MAX) : NULL;
}

/* The node of an object with that id; it is added if there is none. */
static uint32_t node_of(struct build *b, enum edge_to kind, uint64_t id, uint64_t netns)
{
	struct graph_node n = { .kind = kind, .id = id, .component = GRAPH_NONE };
	void **slot;

	if (kind == EDGE_DEVICE)
		n.netns = netns ? netns : b->netns;
	slot = hash_put(&b->by_id[kind], kind == EDGE_DEVICE ? n.netns << 32 | id : id);
	if (*slot)
		return (uint32_t)(uintptr_t)*slot - 1;
	if (kind == EDGE_PROCESS)
		n.place = place_of(b->env, id);
	else if (kind == EDGE_DEVICE && n.netns == b->netns)
		n.name = kept(b, facts_ifname(b->env->machine, (uint32_t)id));
	else if (kind == EDGE_CGROUP)
		n.name = kept(b, facts_cgroup(b->env->machine, id));
	*slot = (void *)(uintptr_t)(b->g->nodes + 1);
	return node_new(b, &n);
}

static void edge_add(struct build *b, uint32_t from, uint32_t to, bool keeps, const char *by)
{
	void **slot = hash_put(&b->pairs, (uint64_t)from << 32 | to);
	struct graph *g = b->g;

	if (*slot || from == to)
		return;
	ARENA_MORE(b->env->keep, g->edge, g->edges, b->edge_cap);
	g->edge[g->edges++] = (struct graph_edge){ from, to, GRAPH_NONE, GRAPH_NONE, keeps, by };
	*slot = g;
}

bool graph_is_place(unsigned kind)
{
	return kind == EDGE_DEVICE || kind == EDGE_NETNS || kind == EDGE_CGROUP;
}

/* Add the edges of a record, at node @me. What has no id gets a node for each edge. */
static void edges_add(struct build *b, uint32_t me, const struct schema *s, const void *rec, unsigned skip)
{
	uint32_t pins = 0;
	struct edge_iter it;
	struct edge e;

	edge_begin(&it, s, rec, skip);
	while (edge_next(&it, &e)) {
		uint32_t other;
		bool holds;

		if (e.to == EDGE_PIN && b->most_pins && pins++ >= b->most_pins) {
			b->g->node[me].more_pins++;
			continue;
		}
		if (e.to == EDGE_PIN)
			other = node_new(
				b, &(struct graph_node){ .kind = EDGE_PIN, .id = ++b->pins, .name = kept(b, e.name) });
		else
			other = node_of(b, e.to, e.id, e.netns);
		if (e.to == EDGE_PROCESS && !b->g->node[other].name)
			b->g->node[other].name = kept(b, e.name);
		/* A table of operations is kept by its registration. */
		holds = e.holder && !(b->g->node[me].kind == NODE_ATTACHMENT && e.to == EDGE_MAP &&
				      !((const struct ls_rec *)rec)->a.prog_id);
		edge_add(b, holds ? other : me, holds ? me : other,
			 holds || (!graph_is_place(e.to) && e.to != EDGE_PROCESS), e.field->name);
	}
	b->g->node[me].unknown |= it.unknown;
}

static const char *text_or_null(const char *s)
{
	return *s ? s : NULL;
}

static void item_add(struct build *b, const struct item *it)
{
	const uint32_t me = node_of(b, (enum edge_to)it->kind->object, it->id, 0);
	struct graph_node *n = &b->g->node[me];

	n->unknown |= !it->rec;
	if (!it->rec)
		return;
	n->schema = it->kind->schema;
	n->rec = it->rec;
	n->type = text_or_null(it->label.type);
	/* A link has the name of its program, which is a node of its own. */
	n->name = it->kind->object == OBJECT_LINK ? NULL : text_or_null(it->label.name);
	edges_add(b, me, n->schema, n->rec, SKIP);
}

static int items_add(struct build *b, unsigned need, bool pinned, struct err *e)
{
	struct inventory all = { 0 };
	int err;

	for (size_t i = 0; kinds[i]; i++)
		all.need[kinds[i]->object] = need | kind_edge_need(kinds[i], SKIP) | NEED_BTF;
	err = inventory_read(b->env, pinned, &all, e);
	for (size_t i = 0; !err && i < all.n; i++)
		item_add(b, &all.v[i]);
	return err;
}

/* Add edges to the programs of struct_ops maps. */
static void operations_add(struct build *b)
{
	const struct schema *s = kind_struct_ops.schema;
	const uint32_t n = b->g->nodes;

	for (uint32_t i = 0; i < n; i++) {
		ARENA_SCOPE(b->env->arena);
		struct err why = { 0 };
		int err = -ENOENT;
		void *rec = NULL;

		if (b->g->node[i].kind == EDGE_MAP && b->g->node[i].type && !strcmp(b->g->node[i].type, s->name)) {
			rec = arena_alloc(b->env->arena, s->rec_size);
			err = kind_struct_ops.read(b->env, b->env->arena, (uint32_t)b->g->node[i].id, NEED_PROG, rec,
						   &why);
		}
		if (!err)
			edges_add(b, i, s, rec, NEED_TARGET);
		b->g->node[i].unknown |= err && err != -ENOENT;
	}
}

static void attachments_add(struct build *b)
{
	struct records *recs = arena_alloc(b->env->keep, sizeof(*recs));
	struct err why = { 0 };

	*recs = (struct records){ .s = &ls_schema };
	if (ls_list(b->env, recs, &why))
		report_unread(b->env->report, &why);
	for (size_t i = 0; i < recs->n; i++) {
		const struct ls_rec *r = ls_at(recs, i);
		uint32_t me = node_new(b, &(struct graph_node){ .kind = NODE_ATTACHMENT,
								.id = ++b->attachments,
								.name = r->a.where,
								.type = r->a.what,
								.schema = &ls_schema,
								.rec = r });

		edges_add(b, me, &ls_schema, r, NEED_HOLDERS | NEED_UNITS);
		if (r->a.pid && r->a.comm) {
			struct graph_node *n = &b->g->node[node_of(b, EDGE_PROCESS, r->a.pid, 0)];

			n->name = n->name ? n->name : r->a.comm;
		}
	}
}

/* "agent(7) has 2 perf events whose program the kernel does not report"; NULL: there are none. */
static const char *silent_events(struct build *b)
{
	const struct attachment *first = NULL;
	uint32_t events = 0, others = 0;

	for (uint32_t i = 0; i < b->g->nodes; i++) {
		const struct graph_node *n = &b->g->node[i];
		const struct attachment *a = n->kind == NODE_ATTACHMENT ? &((const struct ls_rec *)n->rec)->a : NULL;

		if (!a || !a->silent)
			continue;
		first = first ? first : a;
		events++;
		others += a->pid != first->pid;
	}
	return first ? arena_fmt(b->env->keep, "%s(%u)%s %s %u perf event%s whose program the kernel does not report",
				 first->comm ? first->comm : "process ", first->pid, others ? " and others" : "",
				 others ? "have" : "has", events, plural(events)) :
		       NULL;
}

/* An event whose program the kernel does not report may run any program of its type. Call it after edges_chain(). */
static void unsure_mark(struct build *b)
{
	const char *type = names_of(&names_prog_type, ABI_PROG_PERF_EVENT), *events = silent_events(b);

	for (uint32_t i = 0; events && i < b->g->nodes; i++) {
		struct graph_node *n = &b->g->node[i];
		bool runs = n->kind != EDGE_PROG || !n->type || strcmp(n->type, type);

		GRAPH_IN(b->g, i, k)
			runs |= b->g->node[b->g->edge[k].from].kind == NODE_ATTACHMENT;
		if (runs)
			continue;
		n->unsure = events;
		n->unknown = true;
	}
}

/* Link the edges of each node, in the order in which they were added. */
static void edges_chain(struct graph *g)
{
	for (uint32_t i = g->edges; i-- > 0;) {
		struct graph_edge *e = &g->edge[i];

		e->next_in = g->node[e->to].in;
		e->next_out = g->node[e->from].out;
		g->node[e->to].in = g->node[e->from].out = i;
	}
}

static uint32_t root_of(struct graph_node *node, uint32_t i)
{
	while (node[i].component != i) {
		node[i].component = node[node[i].component].component;
		i = node[i].component;
	}
	return i;
}

static bool is_shared(const struct graph_node *n)
{
	return n->kind == EDGE_BTF || graph_is_place(n->kind);
}

/*
 * Find the connected components. Edges to the kernel's types, devices and cgroups are ignored, because they would
 * connect everything.
 */
static void components_find(struct env *env, struct graph *g)
{
	uint32_t *number = arena_array(env->keep, g->nodes, sizeof(*number));

	for (uint32_t i = 0; i < g->nodes; i++)
		g->node[i].component = i;
	for (uint32_t i = 0; i < g->edges; i++)
		if (g->edge[i].keeps && !is_shared(&g->node[g->edge[i].from]) && !is_shared(&g->node[g->edge[i].to]))
			g->node[root_of(g->node, g->edge[i].to)].component = root_of(g->node, g->edge[i].from);
	for (uint32_t i = 0; i < g->nodes; i++) {
		uint32_t root = root_of(g->node, i);

		if (!is_shared(&g->node[i]) && !number[root])
			number[root] = ++g->components;
	}
	for (uint32_t i = 0; i < g->nodes; i++)
		g->node[i].component = root_of(g->node, i);
	for (uint32_t i = 0; i < g->nodes; i++)
		g->node[i].component = is_shared(&g->node[i]) ? GRAPH_NONE : number[g->node[i].component] - 1;
}

int graph_read(struct env *env, unsigned need, bool pinned, uint32_t pins, struct graph *ret, struct err *e)
{
	struct build b = { .env = env, .g = ret, .most_pins = pins };
	uint64_t dev;
	int err;

	*ret = (struct graph){ 0 };
	for (unsigned i = 0; i < EDGE_KINDS; i++)
		hash_init(&b.by_id[i], env->keep);
	hash_init(&b.pairs, env->keep);
	if (!facts_netns(env->machine, &dev, &b.netns))
		b.netns = 0;
	err = items_add(&b, need, pinned, e);
	if (err)
		return err;
	operations_add(&b);
	attachments_add(&b);
	edges_chain(ret);
	unsure_mark(&b);
	components_find(env, ret);
	ret->shown = arena_array(env->keep, ret->nodes, sizeof(*ret->shown));
	return 0;
}
