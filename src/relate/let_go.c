/* SPDX-License-Identifier: BSD-2-Clause */
#include "relate/graph.h"

#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "source/task_place.h"

/* Quote a word for a shell. Control characters are escaped when the word is printed. */
static const char *shell_word(const char *s, struct arena *a)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._:+-@%,=";
	STR word = { 0 };

	if (*s && *s != '-' && !s[strspn(s, plain)])
		return s;
	str_puts(&word, "'");
	for (; *s; s++)
		str_fmt(&word, *s == '\'' ? "'\\''" : "%c", *s);
	str_puts(&word, "'");
	return arena_str(a, word.p, word.n);
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
	const size_t service = strlen(".service");

	if (n->kind == EDGE_PIN)
		return arena_fmt(a, "bpflens %s unpin %s", graph_word(&g->node[held]),
				 n->name ? shell_word(n->name, a) : "?");
	if (n->kind == EDGE_PROCESS) {
		const char *unit = n->place && !n->place->container ? n->place->unit : NULL;
		size_t len = unit ? strlen(unit) : 0;

		if (len > service && !strcmp(unit + len - service, ".service"))
			return arena_fmt(a, "systemctl stop %s", shell_word(unit, a));
		return arena_fmt(a, "kill %llu", (unsigned long long)n->id);
	}
	if (n->kind != NODE_ATTACHMENT || is_kept(g, root) || !n->name || !n->type)
		return NULL;
	if (g->node[held].kind == EDGE_PROG)
		return arena_fmt(a, "bpflens detach %s %s id %llu", shell_word(n->name, a), shell_word(n->type, a),
				 (unsigned long long)g->node[held].id);
	return arena_fmt(a, "bpflens detach %s %s", shell_word(n->name, a), shell_word(n->type, a));
}
