/* SPDX-License-Identifier: BSD-2-Clause */
#include "relate/graph.h"

#include "base/paint.h"
#include "cli/env.h"
#include "relate/picture.h"
#include "render/branches.h"
#include "render/html.h"

struct graph_tree {
	const struct graph *g;
	struct arena *a;
	struct branches b;
	const bool *needless;
	struct graph_folds folds;
	bool *printed;
	uint32_t *order, *end; /* shown nodes by component, and the end of each component's nodes */
};

static void put_title(struct graph_tree *t, uint32_t me, const char *edge)
{
	struct graph_part word[GRAPH_WORDS], part[GRAPH_PARTS];
	const size_t parts = t->printed[me] ? 0 : graph_parts(t->g, &t->folds, me, t->a, part);

	graph_words(&t->g->node[me], t->a, word);
	branches_cell(&t->b, ROLE_NONE, edge);
	for (size_t i = 0; i < GRAPH_WORDS; i++)
		branches_word(&t->b, word[i].role, word[i].text);
	for (size_t i = 0; i < parts; i++)
		branches_cell(&t->b, part[i].role, part[i].text);
}

/* The next edge to a node below @me after @edge, including edges of what is in its box. GRAPH_NONE: no more. */
static uint32_t next_below(const struct graph_tree *t, uint32_t me, uint32_t edge)
{
	const struct graph *g = t->g;
	uint32_t from = edge == GRAPH_NONE ? me : g->edge[edge].from;
	uint32_t i = edge == GRAPH_NONE ? g->node[me].out : g->edge[edge].next_out;

	while (from != GRAPH_NONE) {
		for (; i != GRAPH_NONE; i = g->edge[i].next_out)
			if (!t->needless[i] && g->edge[i].to != me && t->folds.into[g->edge[i].to] == GRAPH_NONE)
				return i;
		from = from == me ? t->folds.first[me] : t->folds.next[from];
		i = from == GRAPH_NONE ? GRAPH_NONE : g->node[from].out;
	}
	return GRAPH_NONE;
}

static void put_node(struct graph_tree *t, uint32_t me, const char *edge);

static void put_below(struct graph_tree *t, uint32_t me)
{
	for (uint32_t i = next_below(t, me, GRAPH_NONE), next; i != GRAPH_NONE && !out_dead(t->b.out); i = next) {
		next = next_below(t, me, i);
		branches_open(&t->b, next == GRAPH_NONE);
		put_node(t, t->g->edge[i].to, graph_edge_word(&t->g->edge[i]));
		branches_close(&t->b);
	}
}

static void put_node(struct graph_tree *t, uint32_t me, const char *edge)
{
	const bool again = t->printed[me], below = next_below(t, me, GRAPH_NONE) != GRAPH_NONE,
		   deep = branches_depth(&t->b) + 1 >= BRANCHES_DEPTH;

	put_title(t, me, edge);
	t->printed[me] = true;
	branches_cell(&t->b, ROLE_NOTE, !below ? NULL : again ? "(see above)" : deep ? "..." : NULL);
	branches_line(&t->b);
	if (!again && !deep)
		put_below(t, me);
}

static bool is_root(const struct graph_tree *t, uint32_t me)
{
	GRAPH_IN(t->g, me, i)
		if (!t->needless[i] && t->folds.into[t->g->edge[i].from] != me)
			return false;
	return true;
}

/* What runs first, then processes, then what nobody holds. In a ring of maps and programs any may be first. */
static const unsigned char root_order[] = { NODE_ATTACHMENT, EDGE_LINK,	  EDGE_PROCESS, EDGE_PROG,  EDGE_MAP,
					    EDGE_BTF,	     EDGE_DEVICE, EDGE_NETNS,	EDGE_CGROUP };

static void put_component(struct graph_tree *t, const uint32_t *node, uint32_t n)
{
	for (unsigned ring = 0; ring < 2; ring++)
		for (size_t k = 0; k < sizeof(root_order); k++)
			for (uint32_t i = 0; i < n; i++)
				if (t->g->node[node[i]].kind == root_order[k] && !t->printed[node[i]] &&
				    (ring || is_root(t, node[i])))
					put_node(t, node[i], NULL);
}

static void tree_start(struct graph_tree *t, struct env *env, const struct graph *g)
{
	*t = (struct graph_tree){ .g = g,
				  .a = env->keep,
				  .needless = graph_needless(env, g),
				  .printed = arena_array(env->keep, g->nodes, sizeof(bool)),
				  .order = arena_array(env->keep, g->nodes, sizeof(uint32_t)),
				  .end = arena_array(env->keep, (size_t)g->components + 1, sizeof(uint32_t)) };
	graph_fold(env, g, &t->folds);
	for (uint32_t i = 0; i < g->nodes; i++)
		if (g->shown[i] && t->folds.into[i] == GRAPH_NONE && g->node[i].component != GRAPH_NONE)
			t->end[g->node[i].component + 1]++;
	for (uint32_t i = 0; i < g->components; i++)
		t->end[i + 1] += t->end[i];
	for (uint32_t i = 0; i < g->nodes; i++)
		if (g->shown[i] && t->folds.into[i] == GRAPH_NONE && g->node[i].component != GRAPH_NONE)
			t->order[t->end[g->node[i].component]++] = i;
}

void graph_draw_tree(struct env *env, const struct graph *g, struct out *o)
{
	uint32_t from = 0;
	struct graph_tree t;

	tree_start(&t, env, g);
	branches_begin(&t.b, o);
	for (uint32_t c = 0; c < g->components && !out_dead(o); from = t.end[c++]) {
		out_str(o, from && t.end[c] > from ? "\n" : "");
		put_component(&t, t.order + from, t.end[c] - from);
	}
	branches_end(&t.b);
}

/* If there are more nodes, sections are folded until the reader opens them. */
#define UNFOLDED 100

static void details_begin(struct out *o, const char *title, uint32_t n, bool open)
{
	out_fmt(o, "<details%s>\n<summary>", open ? " open" : "");
	html_text(o, title);
	out_fmt(o, " (%u)</summary>\n", n);
}

/* @drawn: there is a picture, which says the same. */
static void details_end(struct out *o, struct out *tree, bool drawn)
{
	out_str(o, drawn ? "<details>\n<summary>as text</summary>\n<div class=\"tree\">" : "<div class=\"tree\">");
	html_copy(o, tree);
	out_str(o, drawn ? "</div>\n</details>\n</details>\n" : "</div>\n</details>\n");
}

/* Components of a single node are together at the end. */
void graph_draw_html(struct env *env, const struct graph *g, struct out *o)
{
	const char **owners = graph_owners(env, g);
	uint32_t from = 0, alone = 0, all;
	struct pictures pictures;
	struct out text;
	struct graph_tree t;

	tree_start(&t, env, g);
	pictures_begin(&pictures, &(struct picture_of){ g, t.a, t.needless, &t.folds, t.order }, t.end, g->components);
	out_init(&text, -1);
	branches_begin(&t.b, &text);
	all = g->components ? t.end[g->components - 1] : 0;
	for (uint32_t c = 0; c < g->components && !out_dead(o); from = t.end[c++]) {
		const uint32_t n = t.end[c] - from;
		bool drawn;

		put_component(&t, t.order + from, n > 1 ? n : 0);
		if (!text.n)
			continue;
		details_begin(o, owners[c], n, all <= UNFOLDED);
		drawn = picture_is_due(n) && pictures_put(&pictures, t.order + from, n, o);
		details_end(o, &text, drawn);
	}
	pictures_end(&pictures);
	for (uint32_t c = from = 0; c < g->components; from = t.end[c++])
		if (t.end[c] - from == 1) {
			alone++;
			put_component(&t, t.order + from, 1);
		}
	if (alone) {
		details_begin(o, "without connections", alone, all <= UNFOLDED);
		details_end(o, &text, false);
	}
	if (!all)
		out_str(o, "<p class=\"none\">none</p>\n");
	branches_end(&t.b);
	out_close(&text, NULL);
}
