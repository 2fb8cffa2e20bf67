/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/columns.h"
#include "relate/graph.h"
#include "relate/relate.h"

#include "cli/command.h"
#include "cli/complete.h"
#include "record/field.h"
#include "record/view.h"
#include "render/render.h"
#include "source/task_place.h"

/* An edge from a node to what it holds. */
struct hold_rec {
	uint32_t to;
	const char *by;
	bool keeps;
};
static const struct field hold_fields[] = {
	FIELD(hold_rec, to, "to", "node that is held"),
	FIELD(hold_rec, by, "by", "field that shows the relation"),
	FIELD(hold_rec, keeps, "keeps", "the holder keeps it loaded; a place does not keep objects"),
};
static const struct schema hold_schema = SCHEMA("graph_edge", hold_rec, hold_fields);

struct node_rec {
	uint32_t node, component, nholds;
	const char *kind, *type, *name, *owner;
	const char *unit, *container, *cgroup;
	const struct hold_rec *holds;
	uint64_t id, netns_ino;
	bool complete;
	uint8_t has_component; /* enum avail */
};
#define NODE_FIELD_NZ(m, name, help, ...) FIELD(node_rec, m, name, help, .flags = FIELD_NONZERO, ##__VA_ARGS__)
static const struct field node_fields[] = {
	FIELD(node_rec, node, "node", "number of the node, from 0"),
	FIELD(node_rec, kind, "kind", "kind: process, pin, link, attachment, prog, map, btf, device, netns or cgroup",
	      .names = &graph_kinds, .role = ROLE_KIND),
	FIELD(node_rec, id, "id",
	      "id of the object, process, device, namespace or cgroup; pins and attachments are numbered from 1"),
	NODE_FIELD_NZ(type, "type", "type of the object, hook of the attachment", .role = ROLE_KIND),
	NODE_FIELD_NZ(name, "name", "name, path of a pin, place of an attachment", .role = ROLE_NAME),
	FIELD_IF(node_rec, component, has_component, "component", "number of the connected component, from 0"),
	NODE_FIELD_NZ(owner, "component_owner", "owner of its connected component", .title = "OWNER"),
	NODE_FIELD_NZ(unit, "process_unit", "systemd unit of the process", .title = "UNIT"),
	NODE_FIELD_NZ(container, "process_container", "container of the process", .title = "CONTAINER"),
	NODE_FIELD_NZ(cgroup, "process_cgroup", "cgroup of the process", .title = "CGROUP"),
	FIELD(node_rec, netns_ino, "netns_ino", "inode number of the network namespace", .unit = FU_NETNS,
	      .flags = FIELD_NONZERO),
	FIELD_COMPLETE(node_rec, complete),
	FIELD_ROWS(node_rec, holds, nholds, &hold_schema, "holds",
		   "objects that it holds, and places that it refers to", .flags = FIELD_NONZERO),
};
const struct schema graph_node_schema = SCHEMA("graph_node", node_rec, node_fields);

struct graph_opts {
	struct arg_list objects;
	const char *filter;
	uint32_t depth;
	bool dot, mermaid, tree, btf, places;
};

static void node_rec(const struct graph *g, uint32_t i, const char *const *owners, struct node_rec *ret)
{
	const struct graph_node *n = &g->node[i];

	*ret = (struct node_rec){
		.node = i,
		.kind = graph_word(n),
		.type = n->type,
		.name = n->name,
		.id = n->id,
		.netns_ino = n->netns,
		.complete = !n->unknown,
		.component = n->component,
		.has_component = n->component == GRAPH_NONE ? AVAIL_NO : AVAIL_YES,
		.owner = n->component == GRAPH_NONE ? NULL : owners[n->component],
	};
	if (n->place) {
		ret->unit = n->place->unit;
		ret->container = n->place->container;
		ret->cgroup = n->place->cgroup;
	}
}

static void holds_read(const struct graph *g, uint32_t me, struct arena *a, struct node_rec *r)
{
	struct hold_rec *holds;
	uint32_t n = 0;

	GRAPH_OUT(g, me, i)
		n += g->shown[g->edge[i].to];
	r->holds = holds = arena_array(a, n, sizeof(*holds));
	GRAPH_OUT(g, me, i)
		if (g->shown[g->edge[i].to])
			holds[r->nholds++] = (struct hold_rec){ g->edge[i].to, g->edge[i].by, g->edge[i].keeps };
}

static void print_json(struct env *env, const struct graph *g, const char *const *owners)
{
	struct node_rec rec;
	struct render r;

	env_render(env, &r);
	render_begin(&r);
	render_section(&r, &graph_node_schema, NULL);
	for (uint32_t i = 0; i < g->nodes && !out_dead(env->report->out); i++)
		if (g->shown[i]) {
			ARENA_SCOPE(env->arena);

			node_rec(g, i, owners, &rec);
			holds_read(g, i, env->arena, &rec);
			render_record(&r, &rec);
		}
	report_render_end(env->report, &r);
}

/* The nodes that match the filter, of the named nodes or of all. */
static int filtered(struct env *env, const struct graph *g, const char *text, const char *const *owners,
		    const uint32_t **start, size_t *n, struct err *e)
{
	const size_t all = *start ? *n : g->nodes;
	uint32_t *fit = arena_array(env->keep, all, sizeof(*fit));
	struct node_rec rec;
	struct view view;
	int err = columns_view(env, &view, &graph_node_schema, NULL, NULL, text, NULL, e);

	if (err)
		return err;
	for (size_t i = 0, end = all; i < end; i++) {
		uint32_t node = *start ? (*start)[i] : (uint32_t)i;

		*n = i ? *n : 0;
		node_rec(g, node, owners, &rec);
		if (view_match(&view, &graph_node_schema, &rec))
			fit[(*n)++] = node;
	}
	*start = fit;
	return 0;
}

static void draw(struct env *env, const struct graph_opts *o, const struct graph *g)
{
	struct out *out = env->report->out;

	if (env->report->html)
		graph_draw_html(env, g, out);
	else if (o->mermaid)
		graph_draw_mermaid(env, g, out);
	else if (o->tree || (!o->dot && out->tty))
		graph_draw_tree(env, g, out);
	else
		graph_draw_dot(env, g, out);
	for (uint32_t i = 0; i < g->nodes; i++)
		env->report->unread += g->shown[i] && g->node[i].unknown;
}

static int run_graph(struct env *env, const void *opts, struct err *e)
{
	const struct graph_opts *o = opts;
	const char **owners = NULL;
	const uint32_t *start = NULL;
	struct graph g;
	size_t n = 0;
	int err = graph_read(env, 0, true, 0, &g, e);

	if (!err && o->objects.n)
		err = graph_find(env, &g, &o->objects, &start, &n, e);
	if (err)
		return err;
	if (o->filter || env->opts->json)
		owners = graph_owners(env, &g);
	err = o->filter ? filtered(env, &g, o->filter, owners, &start, &n, e) : 0;
	if (err)
		return err;
	graph_choose(env, &g, start, n, o->depth,
		     (o->btf ? GRAPH_BTF : 0) | (o->places || env->opts->json ? GRAPH_PLACES : 0));
	if (env->opts->json)
		print_json(env, &g, owners);
	else
		draw(env, o, &g);
	return 0;
}

static const struct arg graph_args[] = {
	ARG("--depth", ARG_U32, struct graph_opts, depth, "only nodes within N steps of OBJ", .metavar = "N",
	    .flags = ARG_NONZERO),
	ARG("--filter", ARG_STR, struct graph_opts, filter, "only around nodes that match the expression",
	    .alias = "-Q", .metavar = "EXPR", .offers = complete_filter),
	ARG("--btf", ARG_FLAG, struct graph_opts, btf, "also BTF objects"),
	ARG("--places", ARG_FLAG, struct graph_opts, places,
	    "devices, network namespaces and cgroups as separate nodes"),
	ARG("--dot", ARG_FLAG, struct graph_opts, dot,
	    "in the language of Graphviz, the default if the output is not a terminal", .rejects = "--mermaid --tree"),
	ARG("--mermaid", ARG_FLAG, struct graph_opts, mermaid, "in the language of Mermaid", .rejects = "--dot --tree"),
	ARG("--tree", ARG_FLAG, struct graph_opts, tree, "as a tree of text, the default on a terminal",
	    .rejects = "--dot --mermaid"),
	ARG("OBJ", ARG_REST, struct graph_opts, objects,
	    "around these: [prog|map|link|btf] [id|name|tag|pinned] OBJ, a pin, PLACE [HOOK] as in ls, or process PID",
	    .metavar = "OBJ", .offers = graph_offer_objects),
};

const struct command command_graph = {
	.name = "graph",
	.summary = "show the graph of holders: as a tree, for Graphviz or Mermaid, or as JSON",
	.help = "Nodes are processes, links, attachments, programs and maps. An edge leads from a holder to what it holds: from a "
		"process to a link, from a link to the attachment, from the attachment to its program, from a program to its "
		"maps, from a map to the maps and programs in it. Pins are named at what they hold; they are nodes in JSON only. Connected "
		"nodes are in a frame with the name of their owner: a process with its unit, else the directory of the pins. Pipe the "
		"output into dot -Tsvg.",
	.example = "graph",
	.schema = &graph_node_schema,
	.flags = CMD_READ | CMD_OURS,
	ARGS(graph_args, struct graph_opts),
	.run = run_graph,
};
