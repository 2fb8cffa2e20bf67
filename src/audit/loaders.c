/* SPDX-License-Identifier: BSD-2-Clause */
#include "audit/look.h"

#include "cli/env.h"

/* The nodes that a process or a pin keeps loaded, directly or through others. */
static bool *answered_for(struct look *l)
{
	const struct graph *g = &l->g;
	bool *ret = arena_array(l->env->keep, g->nodes, sizeof(*ret));
	uint32_t *stack = arena_array(l->env->keep, g->nodes, sizeof(*stack)), n = 0;

	for (uint32_t i = 0; i < g->nodes; i++)
		if (g->node[i].kind == EDGE_PROCESS || g->node[i].kind == EDGE_PIN) {
			ret[i] = true;
			stack[n++] = i;
		}
	while (n) {
		const uint32_t me = stack[--n];

		GRAPH_OUT(g, me, i)
			if (g->edge[i].keeps && !ret[g->edge[i].to]) {
				ret[g->edge[i].to] = true;
				stack[n++] = g->edge[i].to;
			}
	}
	return ret;
}

static bool is_attached(const struct graph *g, uint32_t me)
{
	GRAPH_IN(g, me, i)
		if (g->node[g->edge[i].from].kind == NODE_ATTACHMENT)
			return true;
	return false;
}

void loaders_find(struct look *l)
{
	const bool *answered;

	/* A process or pin that could not be read may hold any program. */
	if (machine_refusals(l->env->machine) || report_is_partial(l->env->report))
		return;
	answered = answered_for(l);
	for (uint32_t i = 0; i < l->g.nodes; i++)
		if (l->g.node[i].kind == EDGE_PROG && l->g.node[i].rec && !l->g.node[i].unknown && !answered[i] &&
		    is_attached(&l->g, i))
			finding_add(l, "loader", &l->g.node[i])->why =
				"it is attached, but no process or pin holds it: its loader is unknown";
}
