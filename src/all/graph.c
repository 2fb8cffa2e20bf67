/* SPDX-License-Identifier: BSD-2-Clause */
#include "all/all.h"

#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "cli/command.h"
#include "cli/select.h"
#include "record/field.h"
#include "render/doc.h"
#include "render/render.h"

/* Edges are fields that hold another object's id, so only what those cost is asked for. */
static unsigned edge_need(const struct schema *s)
{
	unsigned need = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->fields[i].unit >= FU_PROG && s->fields[i].unit <= FU_LINK)
			need |= s->fields[i].need;
	return need;
}

static unsigned edges_need(const struct kind *k)
{
	unsigned need = edge_need(k->schema);
	size_t i;

	for (i = 0; k->parts && k->parts[i]; i++)
		need |= edge_need(k->parts[i]);
	return need;
}

struct ids { const uint32_t *id; size_t n; };

static void graph_kind(struct env *env, struct render *r, const struct kind *k, const struct ids *ids)
{
	unsigned need = edges_need(k);
	size_t i, mark;

	render_section(r, k->schema, NULL);
	for (i = 0; i < ids->n && !out_dead(env->report->out); i++) {
		struct err why = { 0 };
		void *rec;
		int err;

		mark = arena_mark(env->arena);
		rec = arena_alloc(env->arena, k->schema->rec_size);
		err = k->read(env, ids->id[i], need, rec, &why);
		if (!err)
			render_record(r, rec);
		else if (err != -ENOENT)
			report_unread(env->report, &why);
		arena_rewind(env->arena, mark);
	}
}

static void graph_dot(struct env *env, const struct ids *ids)
{
	struct render r = { .ops = &render_dot, .out = env->report->out, .arena = env->keep };
	size_t i;

	render_begin(&r);
	for (i = 0; kinds[i]; i++)
		graph_kind(env, &r, kinds[i], &ids[i]);
	render_end(&r);
	env->report->unread += r.unknown;
}

/* The same records as members of one object. */
static void graph_json(struct env *env, const struct ids *ids)
{
	struct doc d;
	size_t i;

	env_doc(env, &d);
	doc_object(&d, NULL);
	for (i = 0; kinds[i]; i++) {
		struct render r = { .ops = &render_json, .out = env->report->out, .jw = env->report->jw, .arena = env->keep };

		doc_name(&d, kinds[i]->name);
		render_begin(&r);
		graph_kind(env, &r, kinds[i], &ids[i]);
		render_end(&r);
		env->report->unread += r.unknown;
	}
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
	struct ids *ids;
	size_t n = 0;
	int err;

	(void)opts;
	while (kinds[n])
		n++;
	ids = arena_array(env->keep, n, sizeof(*ids));
	err = list_kinds(env, ids, n, e);
	if (err)
		return err;
	if (env->opts->json)
		graph_json(env, ids);
	else
		graph_dot(env, ids);
	return 0;
}

const struct command command_graph = {
	.name = "graph", .summary = "objects and what holds what, in the language of Graphviz",
	.help = "Every field that holds the id of another object is an edge. Pipe it into dot -Tsvg.",
	.example = "graph", .flags = CMD_READ, .run = run_graph,
};
