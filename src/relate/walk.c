/* SPDX-License-Identifier: BSD-2-Clause */
#include "relate/graph.h"

#include "cli/env.h"
#include "record/field.h"
#include "source/task_place.h"

const struct names graph_kinds = NAMES(edge_words);

const char *graph_word(const struct graph_node *n)
{
	return edge_words[n->kind];
}

void graph_words(const struct graph_node *n, struct arena *a, struct graph_part ret[GRAPH_WORDS])
{
	const char *word = graph_word(n);
	unsigned long long id = n->id;

	memset(ret, 0, GRAPH_WORDS * sizeof(*ret));
	switch (n->kind) {
	case EDGE_PROCESS:
		ret[0] =
			(struct graph_part){ arena_fmt(a, "%s(%llu)", n->name ? n->name : "process ", id), ROLE_OWNER };
		return;
	case EDGE_PIN:
		ret[0] = (struct graph_part){ "pin", ROLE_NONE };
		ret[1] = (struct graph_part){ n->name ? n->name : "?", ROLE_PLACE };
		return;
	case NODE_ATTACHMENT:
		ret[0] = (struct graph_part){ n->name, ROLE_PLACE };
		ret[1] = (struct graph_part){ n->type, ROLE_KIND };
		return;
	case EDGE_DEVICE:
	case EDGE_CGROUP:
		ret[0] = (struct graph_part){ n->name ? arena_fmt(a, "%s %s", word, n->name) :
							arena_fmt(a, "%s %llu", word, id),
					      ROLE_PLACE };
		return;
	default:
		ret[0] = (struct graph_part){ arena_fmt(a, "%s %llu", word, id), ROLE_ID };
		ret[1] = (struct graph_part){ n->type, ROLE_KIND };
		ret[2] = (struct graph_part){ n->name, ROLE_NAME };
	}
}

const char *graph_title(const struct graph_node *n, struct arena *a)
{
	struct graph_part word[GRAPH_WORDS];
	const char *ret = NULL;

	graph_words(n, a, word);
	for (size_t i = 0; i < GRAPH_WORDS; i++)
		if (word[i].text)
			ret = ret ? arena_fmt(a, "%s %s", ret, word[i].text) : word[i].text;
	return ret ? ret : "";
}

/* Without the names of fields that add nothing to the two ends. */
const char *graph_edge_word(const struct graph_edge *e)
{
	static const char *const plain[] = {
		"pid",	  "pinned", "prog",    "prog_id",   "map_ids",	 "map_id",	     "link_id",
		"btf_id", "inner",  "ifindex", "netns_ino", "cgroup_id", "attach_btf_obj_id"
	};

	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		if (!strcmp(plain[i], e->by))
			return NULL;
	return e->by;
}

/* A lower rank is more informative about who is responsible. */
static unsigned owner_rank(const struct graph_node *n)
{
	return n->kind == EDGE_PROCESS	  ? (n->place && (n->place->unit || n->place->container) ? 0 : 1) :
	       n->kind == EDGE_PIN	  ? 2 :
	       n->kind == NODE_ATTACHMENT ? 3 :
					    4;
}

/* As container runtimes print them: the first twelve of the 64 digits of an id. */
const char *graph_home(const struct graph_node *n, struct arena *a)
{
	if (!n->place)
		return NULL;
	if (n->place->container)
		return strlen(n->place->container) == 64 ? arena_fmt(a, "container %.12s", n->place->container) :
							   arena_fmt(a, "container %s", n->place->container);
	return n->place->unit;
}

struct graph_owner {
	const struct graph_node *best;
	uint32_t processes, pins;
	size_t dir; /* of all pins: length in the path of the first one */
};

static const char *owner_text(const struct graph_owner *o, struct arena *a)
{
	const struct graph_node *best = o->best;
	const char *in;

	if (!best || owner_rank(best) > 3)
		return "nobody";
	if (best->kind == NODE_ATTACHMENT)
		return arena_fmt(a, "nobody; %s", graph_title(best, a));
	if (best->kind == EDGE_PIN && o->dir && o->pins > 1)
		return arena_fmt(a, "pins in %.*s", (int)o->dir, best->name);
	if (best->kind == EDGE_PIN)
		return arena_fmt(a, o->pins > 1 ? "%s +%u" : "%s", graph_title(best, a), o->pins - 1);
	in = graph_home(best, a);
	return arena_fmt(a, o->processes > 1 ? "%s%s%s +%u" : "%s%s%s", in ? in : "", in ? ": " : "",
			 graph_title(best, a), o->processes - 1);
}

/* A pin after the first one. */
static void owner_pin(struct graph_owner *o, const char *path)
{
	const char *first = o->best->name;

	while (o->dir && (strncmp(path, first, o->dir) || path[o->dir] != '/'))
		do
			o->dir--;
		while (o->dir && first[o->dir] != '/');
}

static void owner_add(struct graph_owner *o, const struct graph_node *n)
{
	const char *slash = n->kind == EDGE_PIN && n->name ? strrchr(n->name, '/') : NULL;

	o->processes += n->kind == EDGE_PROCESS;
	o->pins += slash != NULL;
	if (!o->best || owner_rank(n) < owner_rank(o->best)) {
		o->best = n;
		o->dir = slash ? (size_t)(slash - n->name) : 0;
	} else if (slash && o->best->kind == EDGE_PIN) {
		owner_pin(o, n->name);
	}
}

const char **graph_owners(struct env *env, const struct graph *g)
{
	struct graph_owner *owner = arena_array(env->keep, g->components, sizeof(*owner));
	const char **ret = arena_array(env->keep, g->components, sizeof(*ret));

	for (uint32_t i = 0; i < g->nodes; i++)
		if (g->node[i].component != GRAPH_NONE)
			owner_add(&owner[g->node[i].component], &g->node[i]);
	for (uint32_t i = 0; i < g->components; i++)
		ret[i] = owner_text(&owner[i], env->keep);
	return ret;
}

static bool is_node_wanted(const struct graph_node *n, unsigned want)
{
	return n->kind == EDGE_BTF ? want & GRAPH_BTF && n->in != GRAPH_NONE :
				     !graph_is_place(n->kind) || want & GRAPH_PLACES;
}

/* Breadth first from the nodes in @start, along the edges in one direction. */
static void spread(struct env *env, struct graph *g, const uint32_t *start, size_t n, unsigned depth, bool up,
		   unsigned want)
{
	uint32_t *queue = arena_array(env->keep, g->nodes, sizeof(*queue));
	unsigned *far = arena_array(env->keep, g->nodes, sizeof(*far)); /* steps plus 1; 0: not visited */
	size_t end = 0;

	for (size_t i = 0; i < n; i++) {
		if (!far[start[i]])
			queue[end++] = start[i];
		far[start[i]] = 1;
	}
	for (size_t at = 0; at < end; at++) {
		const uint32_t me = queue[at];

		g->shown[me] = true;
		for (uint32_t i = up ? g->node[me].in : g->node[me].out; i != GRAPH_NONE;
		     i = up ? g->edge[i].next_in : g->edge[i].next_out) {
			uint32_t next = up ? g->edge[i].from : g->edge[i].to;

			if (far[next] || (depth && far[me] > depth) || !is_node_wanted(&g->node[next], want))
				continue;
			far[next] = far[me] + 1;
			queue[end++] = next;
		}
	}
}

void graph_choose(struct env *env, struct graph *g, const uint32_t *start, size_t n, unsigned depth, unsigned want)
{
	memset(g->shown, 0, g->nodes * sizeof(*g->shown));
	if (start) {
		spread(env, g, start, n, depth, true, want);
		spread(env, g, start, n, depth, false, want);
		for (uint32_t i = 0; want & GRAPH_PLACES && i < g->edges; i++)
			if (!g->edge[i].keeps && g->shown[g->edge[i].from] &&
			    graph_is_place(g->node[g->edge[i].to].kind))
				g->shown[g->edge[i].to] = true;
		return;
	}
	for (uint32_t i = 0; i < g->nodes; i++)
		g->shown[i] = is_node_wanted(&g->node[i], want);
}

/* Mark all unmarked nodes that @start holds, directly or not. */
static void mark_held(const struct graph *g, uint32_t start, uint32_t stamp, uint32_t *marks, uint32_t *stack)
{
	size_t n = 0;

	stack[n++] = start;
	marks[start] = stamp;
	while (n) {
		uint32_t me = stack[--n];

		GRAPH_OUT(g, me, i) {
			uint32_t to = g->edge[i].to;

			if (marks[to] == stamp || !g->shown[to] || g->node[to].kind == EDGE_PROCESS)
				continue;
			marks[to] = stamp;
			stack[n++] = to;
		}
	}
}

/* Links first, because they hold the most. */
static int by_reach(const void *pa, const void *pb, void *ctx)
{
	static const unsigned char reach[NODE_KINDS] = {
		[EDGE_LINK] = 0, [NODE_ATTACHMENT] = 1, [EDGE_PROG] = 2,  [EDGE_MAP] = 3,
		[EDGE_BTF] = 4,	 [EDGE_DEVICE] = 5,	[EDGE_NETNS] = 5, [EDGE_CGROUP] = 5
	};
	const struct graph *g = ctx;
	uint32_t a = g->edge[*(const uint32_t *)pa].to, b = g->edge[*(const uint32_t *)pb].to;
	int c = reach[g->node[a].kind] - reach[g->node[b].kind];

	return c ? c : (a > b) - (a < b);
}

/* Mark edges as needless if a node that the same holder holds, and that holds more, leads to the same node. */
static void lessen(const struct graph *g, uint32_t me, uint32_t *marks, uint32_t *room, bool *needless)
{
	uint32_t *edges = room, *stack = room + g->edges, n = 0;

	GRAPH_OUT(g, me, i)
		if (g->shown[g->edge[i].to])
			edges[n++] = i;
	qsort_r(edges, n, sizeof(*edges), by_reach, (void *)(uintptr_t)g);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = g->edge[edges[i]].to;

		if (marks[to] == me + 1)
			needless[edges[i]] = true;
		else
			mark_held(g, to, me + 1, marks, stack);
	}
}

bool *graph_needless(struct env *env, const struct graph *g)
{
	bool *needless = arena_array(env->keep, g->edges, sizeof(*needless));
	uint32_t *marks = arena_array(env->keep, g->nodes, sizeof(*marks));
	uint32_t *room = arena_array(env->keep, (size_t)g->edges + g->nodes, sizeof(*room));

	for (uint32_t i = 0; i < g->edges; i++)
		needless[i] = !g->shown[g->edge[i].from] || !g->shown[g->edge[i].to] ||
			      (!g->edge[i].keeps && g->node[g->edge[i].to].kind == EDGE_PROCESS);
	for (uint32_t i = 0; i < g->nodes; i++)
		if (g->shown[i] && (g->node[i].kind == EDGE_PROCESS || g->node[i].kind == EDGE_LINK))
			lessen(g, i, marks, room, needless);
	return needless;
}

/* The node of that kind at the only shown edge to (@up) or from @me; GRAPH_NONE: none, or several. */
static uint32_t only(const struct graph *g, uint32_t me, unsigned kind, bool up)
{
	uint32_t found = GRAPH_NONE;

	for (uint32_t i = up ? g->node[me].in : g->node[me].out; i != GRAPH_NONE;
	     i = up ? g->edge[i].next_in : g->edge[i].next_out) {
		uint32_t other = up ? g->edge[i].from : g->edge[i].to;

		if (!g->shown[other] || (!up && g->node[other].kind != kind))
			continue;
		if (found != GRAPH_NONE || g->node[other].kind != kind)
			return GRAPH_NONE;
		found = other;
	}
	return found;
}

/* The node that is drawn in the box of another one. */
static uint32_t box_of(const struct graph *g, uint32_t i)
{
	const struct graph_node *n = &g->node[i];
	uint32_t link;

	if (n->kind == EDGE_PIN && n->out != GRAPH_NONE)
		return g->shown[g->edge[n->out].to] ? g->edge[n->out].to : GRAPH_NONE;
	link = n->kind == NODE_ATTACHMENT && g->shown[i] ? only(g, i, EDGE_LINK, true) : GRAPH_NONE;
	return link != GRAPH_NONE && only(g, link, NODE_ATTACHMENT, false) == i ? link : GRAPH_NONE;
}

void graph_fold(struct env *env, const struct graph *g, struct graph_folds *ret)
{
	ret->into = arena_array(env->keep, g->nodes, sizeof(*ret->into));
	ret->first = arena_array(env->keep, g->nodes, sizeof(*ret->first));
	ret->next = arena_array(env->keep, g->nodes, sizeof(*ret->next));
	memset(ret->first, 0xff, g->nodes * sizeof(*ret->first));
	for (uint32_t i = g->nodes; i-- > 0;) {
		const uint32_t box = ret->into[i] = box_of(g, i);

		if (box == GRAPH_NONE)
			continue;
		ret->next[i] = ret->first[box];
		ret->first[box] = i;
	}
}

size_t graph_parts(const struct graph *g, const struct graph_folds *f, uint32_t node, struct arena *a,
		   struct graph_part ret[GRAPH_PARTS])
{
	const char *home = graph_home(&g->node[node], a), *pin = NULL;
	uint32_t pins = g->node[node].more_pins;
	bool unknown = g->node[node].unknown;
	size_t n = 0;

	if (home)
		ret[n++] = (struct graph_part){ home, ROLE_NONE };
	for (uint32_t i = f->first[node]; i != GRAPH_NONE; i = f->next[i])
		if (g->node[i].kind != EDGE_PIN) {
			ret[n++] = (struct graph_part){ graph_title(&g->node[i], a), ROLE_PLACE };
			unknown |= g->node[i].unknown;
		} else if (pin) {
			pins++;
		} else {
			pin = g->node[i].name ? g->node[i].name : "?";
		}
	if (pin)
		ret[n++] = (struct graph_part){ pins ? arena_fmt(a, "pinned %s +%u", pin, pins) :
						       arena_fmt(a, "pinned %s", pin),
						ROLE_OWNER };
	if (unknown)
		ret[n++] = (struct graph_part){ "(incomplete)", ROLE_UNKNOWN };
	return n;
}

void graph_label(const struct graph *g, const struct graph_folds *f, uint32_t node, struct arena *a,
		 const char *ret[GRAPH_LINES])
{
	const struct graph_node *n = &g->node[node];
	struct graph_part part[GRAPH_PARTS];
	const size_t parts = graph_parts(g, f, node, a, part);
	size_t i = 0;

	memset(ret, 0, GRAPH_LINES * sizeof(*ret));
	if (n->kind == EDGE_PROCESS) {
		ret[i++] = graph_title(n, a);
	} else if (n->kind == NODE_ATTACHMENT) {
		ret[i++] = n->name;
		ret[i++] = n->type;
	} else {
		if (n->name)
			ret[i++] = n->name;
		ret[i++] = arena_fmt(a, "%s %llu%s%s", graph_word(n), llu(n->id), n->type ? " " : "",
				     n->type ? n->type : "");
	}
	for (size_t k = 0; k < parts; k++)
		ret[i++] = part[k].text;
}

bool *graph_kept_from(struct env *env, const struct graph *g, unsigned kind)
{
	bool *ret = arena_array(env->keep, g->nodes, sizeof(*ret));
	uint32_t *stack = arena_array(env->keep, g->nodes, sizeof(*stack)), n = 0;

	for (uint32_t i = 0; i < g->nodes; i++)
		if (g->node[i].kind == kind) {
			stack[n++] = i;
			ret[i] = true;
		}
	while (n) {
		uint32_t me = stack[--n];

		GRAPH_OUT(g, me, i)
			if (g->edge[i].keeps && !ret[g->edge[i].to]) {
				ret[g->edge[i].to] = true;
				stack[n++] = g->edge[i].to;
			}
	}
	return ret;
}
