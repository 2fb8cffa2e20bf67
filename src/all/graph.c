/* SPDX-License-Identifier: BSD-2-Clause */
#include "all/all.h"
#include "all/ls.h"

#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "cli/command.h"
#include "cli/select.h"
#include "record/edge.h"
#include "record/field.h"
#include "render/doc.h"
#include "render/render.h"

/* Who uses a BTF object or a map is an edge of the user itself. */
#define DOT_SKIP (NEED_USERS | NEED_JOIN)

static unsigned edges_need(const struct kind *k, unsigned skip)
{
	unsigned need = edge_need(k->schema, skip);
	size_t i;

	for (i = 0; k->parts && k->parts[i]; i++)
		need |= edge_need(k->parts[i], skip);
	return need;
}

struct ids { const uint32_t *id; size_t n; };

static void graph_kind(struct env *env, struct render *r, const struct kind *k, const struct ids *ids)
{
	unsigned need = edges_need(k, r->skip_need);
	size_t i, mark;

	render_section(r, k->schema, NULL);
	for (i = 0; i < ids->n && !out_dead(env->report->out); i++) {
		struct err why = { 0 };
		void *rec;
		int err;

		mark = arena_mark(env->arena);
		rec = arena_alloc(env->arena, k->schema->rec_size);
		err = k->read(env, env->arena, ids->id[i], need, rec, &why);
		if (!err)
			render_record(r, rec);
		else if (err != -ENOENT)
			report_unread(env->report, &why);
		arena_rewind(env->arena, mark);
	}
}

/* Where programs run: `ls`. */
static void graph_attachments(struct render *r, const struct records *recs)
{
	size_t i;

	render_section(r, &ls_schema, NULL);
	for (i = 0; i < recs->n; i++)
		render_record(r, ls_at(recs, i));
}

static void graph_dot(struct env *env, const struct ids *ids, const struct records *recs)
{
	struct render r = { .ops = &render_dot, .out = env->report->out, .arena = env->keep, .skip_need = DOT_SKIP };
	size_t i;

	render_begin(&r);
	for (i = 0; kinds[i]; i++)
		graph_kind(env, &r, kinds[i], &ids[i]);
	graph_attachments(&r, recs);
	report_render_end(env->report, &r);
}

/* The records of a kind, or @k NULL: the attachments, as an array in the document. */
static void graph_member(struct env *env, struct doc *d, const struct kind *k, const struct ids *ids, const struct records *recs)
{
	struct render r;

	env_render(env, &r);
	doc_name(d, k ? k->name : ls_schema.name);
	render_begin(&r);
	if (k)
		graph_kind(env, &r, k, ids);
	else
		graph_attachments(&r, recs);
	report_render_end(env->report, &r);
}

/* The same records as members of one object. */
static void graph_json(struct env *env, const struct ids *ids, const struct records *recs)
{
	struct doc d;
	size_t i;

	env_doc(env, &d);
	doc_object(&d, NULL);
	for (i = 0; kinds[i]; i++)
		graph_member(env, &d, kinds[i], &ids[i], NULL);
	graph_member(env, &d, NULL, NULL, recs);
	doc_end(&d);
}

/* A kind that cannot be listed (an old kernel has no links) leaves the others; if none can, that is the failure. */
static int list_kinds(struct env *env, struct ids *ids, size_t n, struct err *e)
{
	struct err first = { 0 };
	size_t i, failed = 0;

	for (i = 0; i < n; i++) {
		struct err why = { 0 };

		if (!select_all(env, kinds[i], &ids[i].id, &ids[i].n, &why))
			continue;
		report_unlisted(env->report, kinds[i]->noun, why.code);
		if (!failed++)
			first = why;
	}
	if (failed == n)
		*e = first;
	return e->code;
}

static int run_graph(struct env *env, const void *opts, struct err *e)
{
	struct records recs = { .s = &ls_schema };
	struct err why = { 0 };
	struct ids *ids;
	size_t n = 0;
	int err;

	(void)opts;		/* --dot is what it does without */
	machine_once(env->machine);
	while (kinds[n])
		n++;
	ids = arena_array(env->keep, n, sizeof(*ids));
	err = list_kinds(env, ids, n, e);
	if (err)
		return err;
	if (ls_list(env, &recs, &why))
		report_unread(env->report, &why);
	ls_describe(env, &recs);
	if (env->opts->json)
		graph_json(env, ids, &recs);
	else
		graph_dot(env, ids, &recs);
	return 0;
}

struct graph_opts {
	bool dot;
};

static const struct arg graph_args[] = {
	{ .name = "--dot", .type = ARG_FLAG, .off = offsetof(struct graph_opts, dot), .help = "in the language of Graphviz, as without it" },
};

const struct command command_graph = {
	.name = "graph", .summary = "what holds what, in the language of Graphviz",
	.help = "Nodes are programs, maps, links, BTF objects, the places where programs run, pins, and processes. An edge goes from what "
		"holds to what is held; its label is the field that says so. A program in a slot of a map is held by the slot. Pipe it "
		"into dot -Tsvg.",
	.example = "graph", .flags = CMD_READ, ARGS(graph_args), .opts_size = sizeof(struct graph_opts), .run = run_graph,
};
