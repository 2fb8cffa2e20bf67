/* SPDX-License-Identifier: BSD-2-Clause */
#include "relate/graph.h"

#include "source/task_place.h"

/* A word of a command; NULL: no word of a shell names it. */
static const char *shell_word(const char *s, struct arena *a)
{
	STR word = { 0 };

	return str_shell(&word, s) ? arena_str(a, word.p, word.n) : NULL;
}

static const char *pin_command(const struct graph *g, const struct graph_node *pin, uint32_t held, struct arena *a)
{
	const char *path = pin->name ? shell_word(pin->name, a) : "?";

	return path ? arena_fmt(a, "bpflens %s unpin %s", graph_word(&g->node[held]), path) :
		      "# a pin whose name ends in a newline: no command names it in every shell";
}

static const char *process_command(const struct graph_node *n, struct arena *a)
{
	const struct task_place *p = n->place;
	const char *service = p && p->service ? shell_word(p->service, a) : NULL;

	if (!service)
		return arena_fmt(a, "kill %llu", llu(n->id));
	return arena_fmt(a, "systemctl %sstop %s%s", p->user ? arena_fmt(a, "--user -M %s@ ", p->user) : "",
			 *p->service == '-' ? "-- " : "", service);
}

static bool is_kept(const struct graph *g, uint32_t node)
{
	GRAPH_IN(g, node, i)
		if (g->edge[i].keeps)
			return true;
	return false;
}

const char *graph_let_go(const struct graph *g, uint32_t root, uint32_t held, struct arena *a)
{
	const struct graph_node *n = &g->node[root];
	const char *name, *type;

	if (n->kind == EDGE_PIN)
		return pin_command(g, n, held, a);
	if (n->kind == EDGE_PROCESS)
		return process_command(n, a);
	if (n->kind != NODE_ATTACHMENT || is_kept(g, root) || !n->name || !n->type)
		return NULL;
	name = shell_word(n->name, a);
	type = shell_word(n->type, a);
	if (!name || !type)
		return "# a place whose name ends in a newline: no command names it in every shell";
	name = arena_fmt(a, "bpflens detach %s%s %s", *n->name == '-' ? "-- " : "", name, type);
	return g->node[held].kind == EDGE_PROG ? arena_fmt(a, "%s id %llu", name, llu(g->node[held].id)) : name;
}
