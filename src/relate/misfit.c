/* SPDX-License-Identifier: BSD-2-Clause */
#include "relate/misfit.h"

#include "cli/env.h"
#include "map/map.h"

static uint64_t name_key(const struct graph_node *n)
{
	return hash_text(hash_text(HASH_TEXT, n->type ? n->type : ""), n->name);
}

static bool is_map(const struct graph_node *n)
{
	return n->kind == EDGE_MAP && n->rec;
}

/* GRAPH_NONE: no attached program does. */
static uint32_t attached_user(const struct misfits *m, uint32_t map)
{
	GRAPH_IN(m->g, map, i)
		if (m->g->edge[i].keeps && m->attached[m->g->edge[i].from] &&
		    m->g->node[m->g->edge[i].from].kind == EDGE_PROG)
			return m->g->edge[i].from;
	return GRAPH_NONE;
}

void misfits_init(struct misfits *ret, struct env *env, const struct graph *g)
{
	*ret = (struct misfits){
		.g = g,
		.keep = env->keep,
		.attached = graph_kept_from(env, g, NODE_ATTACHMENT),
		.used = graph_kept_from(env, g, EDGE_PROG),
	};
	hash_init(&ret->named, env->keep);
	for (uint32_t i = 0; i < g->nodes; i++) {
		void **slot = is_map(&g->node[i]) && g->node[i].name && attached_user(ret, i) != GRAPH_NONE ?
				      hash_put(&ret->named, name_key(&g->node[i])) :
				      NULL;

		if (slot && !*slot)
			*slot = (void *)(uintptr_t)(i + 1);
	}
}

static bool has_holder(const struct graph *g, uint32_t me, unsigned kind)
{
	GRAPH_IN(g, me, i)
		if (g->edge[i].keeps && g->node[g->edge[i].from].kind == kind)
			return true;
	return false;
}

/* The map that attached programs use in its place; GRAPH_NONE: none. */
static uint32_t successor(const struct misfits *m, uint32_t me)
{
	const struct graph_node *n = &m->g->node[me], *other;
	uintptr_t at;

	if (!n->name || m->attached[me] || !has_holder(m->g, me, EDGE_PIN))
		return GRAPH_NONE;
	at = (uintptr_t)hash_get(&m->named, name_key(n));
	other = at ? &m->g->node[at - 1] : NULL;
	return other && n->type && other->type && !strcmp(n->name, other->name) && !strcmp(n->type, other->type) ?
		       (uint32_t)(at - 1) :
		       GRAPH_NONE;
}

/*
 * The slots of a perf event array are emptied when the descriptor that filled them is closed, so that without one there
 * is no reader; except with this flag.
 */
static const char *unread_why(const struct map_rec *r)
{
	if (r->info.type == ABI_MAP_PERF_EVENT_ARRAY)
		return r->info.map_flags & ABI_MAP_PRESERVE_ELEMS ?
			       "perhaps: no process has it open, and the kernel does not report the perf events that it keeps" :
			       "no process has it open, so that it has no perf events";
	return "no process has it open to read";
}

/* Which of the two ends of a buffer of events is not there? In a user ring buffer the process writes. */
static enum misfit events_misfit(const struct misfits *m, uint32_t node, const char **why)
{
	const struct map_rec *r = m->g->node[node].rec;
	const bool process = has_holder(m->g, node, EDGE_PROCESS), user = r->info.type == ABI_MAP_USER_RINGBUF;

	if (r->info.type != ABI_MAP_RINGBUF && r->info.type != ABI_MAP_PERF_EVENT_ARRAY && !user)
		return MISFIT_NONE;
	if (process && !m->used[node]) {
		*why = user ? "no program reads it" : "no program writes to it";
		return user ? MISFIT_UNREAD : MISFIT_UNWRITTEN;
	}
	if (process || !m->attached[node])
		return MISFIT_NONE;
	*why = user ? "no process has it open to write" : unread_why(r);
	return user ? MISFIT_UNWRITTEN : MISFIT_UNREAD;
}

enum misfit misfit_of(const struct misfits *m, uint32_t node, const char **why)
{
	uint32_t other;

	if (!is_map(&m->g->node[node]))
		return MISFIT_NONE;
	other = successor(m, node);
	if (other == GRAPH_NONE)
		return events_misfit(m, node, why);
	*why = arena_fmt(m->keep, "%s, which is attached, uses map %llu of this name",
			 graph_title(&m->g->node[attached_user(m, other)], m->keep), llu(m->g->node[other].id));
	return MISFIT_STALE;
}
