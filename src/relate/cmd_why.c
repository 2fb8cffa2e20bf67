/* SPDX-License-Identifier: BSD-2-Clause */
#include "relate/graph.h"
#include "relate/relate.h"

#include "cli/command.h"
#include "prog/prog.h"
#include "record/field.h"
#include "render/render.h"
#include "render/text.h"

/* One reason why an object stays: one of its holders. */
struct why_rec {
	const char *object, *because, *holder, *let_go;
	uint32_t held;	   /* node of the object */
	uint32_t named[2]; /* nodes that the reason names, in its order; GRAPH_NONE: none */
};
static const struct field why_fields[] = {
	FIELD(why_rec, object, "object", "object that is held"),
	FIELD(why_rec, because, "because", "how it is held"),
	FIELD(why_rec, holder, "kept_by", "what keeps it", .flags = FIELD_NONZERO),
	FIELD(why_rec, let_go, "remedy",
	      "command or setting that makes the holder release it, if nothing else keeps it", .was = "let_go",
	      .flags = FIELD_NONZERO),
};
const struct schema why_schema = SCHEMA("why", why_rec, why_fields);

#define PINS_SHOWN 1000u /* of an object */

struct why_search {
	struct env *env;
	const struct graph *g;
	struct arena *a;
	uint32_t *queue; /* nodes whose holders are to be listed, each once */
	uint32_t head, tail;
	bool *seen;
	struct why_rec *rec;
	size_t n, cap;
	bool unknown; /* holders of one of them may be missing */
};

static void node_visit(struct why_search *s, uint32_t node)
{
	if (!s->seen[node])
		s->queue[s->tail++] = node;
	s->seen[node] = true;
}

/* @at: the attachment that @because also names; GRAPH_NONE: none. */
static void holder_put(struct why_search *s, uint32_t held, uint32_t at, uint32_t holder, const char *because)
{
	ARENA_MORE(s->a, s->rec, s->n, s->cap);
	s->rec[s->n++] = (struct why_rec){
		.object = graph_title(&s->g->node[held], s->a),
		.because = because,
		.holder = graph_title(&s->g->node[holder], s->a),
		.let_go = graph_let_go(s->g, holder, held, s->a),
		.held = held,
		.named = { at, holder },
	};
}

/* The holder may be an event, whose program is unknown. */
static void by_event(struct why_search *s, uint32_t held)
{
	ARENA_MORE(s->a, s->rec, s->n, s->cap);
	s->rec[s->n++] = (struct why_rec){
		.object = graph_title(&s->g->node[held], s->a),
		.because = arena_fmt(s->a, "perhaps a perf event runs it: %s", s->g->node[held].unsure),
		.held = held,
		.named = { GRAPH_NONE, GRAPH_NONE },
	};
}

static const char *of_process(struct why_search *s, const struct graph_node *n)
{
	const char *home = graph_home(n, s->a);

	return home ? arena_fmt(s->a, "%s of %s holds it", graph_title(n, s->a), home) :
		      arena_fmt(s->a, "%s holds it", graph_title(n, s->a));
}

/* A program runs, or a table is registered, at an attachment: name what holds the attachment. */
static void by_attachment(struct why_search *s, uint32_t held, uint32_t at)
{
	const char *where = graph_title(&s->g->node[at], s->a),
		   *does = s->g->node[held].kind == EDGE_PROG ? "runs at" : "is registered as";
	bool any = false;

	GRAPH_IN(s->g, at, i) {
		const uint32_t by = s->g->edge[i].from;
		const struct graph_node *n = &s->g->node[by];
		const char *title = graph_title(n, s->a);

		if (!s->g->edge[i].keeps)
			continue;
		any = true;
		holder_put(s, held, at, by,
			   n->kind == EDGE_LINK ? arena_fmt(s->a, "it %s %s by %s", does, where, title) :
			   n->kind == EDGE_MAP	? arena_fmt(s->a, "%s has it in %s", title, s->g->node[at].name) :
						  arena_fmt(s->a, "it %s %s, as long as %s has a descriptor of that",
							    does, where, title));
		if (n->kind != EDGE_PROCESS)
			node_visit(s, by);
	}
	if (!any)
		holder_put(s, held, GRAPH_NONE, at, arena_fmt(s->a, "it %s %s, without a link", does, where));
}

/* Does the link attach the program? Then the attachment is the reason that is printed. */
static bool runs_it(const struct graph *g, uint32_t link, uint32_t held)
{
	GRAPH_OUT(g, link, i)
		if (g->node[g->edge[i].to].kind == NODE_ATTACHMENT)
			GRAPH_OUT(g, g->edge[i].to, j)
				if (g->edge[j].to == held)
					return true;
	return false;
}

static void by_holder(struct why_search *s, uint32_t held, const struct graph_edge *e)
{
	const struct graph_node *n = &s->g->node[e->from];
	const char *title = graph_title(n, s->a);

	switch (n->kind) {
	case EDGE_PROCESS:
		holder_put(s, held, GRAPH_NONE, e->from, of_process(s, n));
		return;
	case EDGE_PIN:
		holder_put(s, held, GRAPH_NONE, e->from,
			   arena_fmt(s->a, "it is pinned at %s", n->name ? n->name : "?"));
		return;
	case NODE_ATTACHMENT:
		by_attachment(s, held, e->from);
		return;
	case EDGE_LINK:
		if (!graph_edge_word(e) && runs_it(s->g, e->from, held))
			return;
		holder_put(s, held, GRAPH_NONE, e->from,
			   graph_edge_word(e) ? arena_fmt(s->a, "%s needs it (%s)", title, e->by) :
						arena_fmt(s->a, "%s holds it", title));
		break;
	default:
		holder_put(s, held, GRAPH_NONE, e->from,
			   arena_fmt(s->a,
				     n->kind == EDGE_MAP && s->g->node[held].kind != EDGE_BTF ? "%s contains it" :
												"%s uses it",
				     title));
	}
	node_visit(s, e->from);
}

static void pins_note(struct why_search *s, const struct graph_node *held)
{
	if (held->more_pins)
		report_note(s->env->report, "%s %llu has %u more pins: bpflens pin list -Q 'kind == %s && id == %llu'",
			    graph_word(held), llu(held->id), held->more_pins, graph_word(held), llu(held->id));
}

static void search(struct why_search *s)
{
	while (s->head < s->tail) {
		const uint32_t me = s->queue[s->head++];

		s->unknown |= s->g->node[me].unknown;
		if (s->g->node[me].unsure)
			by_event(s, me);
		GRAPH_IN(s->g, me, i)
			if (s->g->edge[i].keeps)
				by_holder(s, me, &s->g->edge[i]);
		pins_note(s, &s->g->node[me]);
	}
}

static const char unseen[] =
	"A descriptor that is in flight in a socket, or held only by an io_uring or by the kernel itself, cannot be seen.\n";

/* Of a program of a recording, when it was unloaded, and who had loaded it; false: it was not. */
static bool print_gone(const struct graph_node *n, struct out *o)
{
	const struct prog_rec *r = n->kind == EDGE_PROG ? n->rec : NULL;
	const struct field *at = schema_find(&schema_prog, NULL, "gone_at", NULL);
	struct value when;

	if (!r || !prog_is_gone(r))
		return false;
	when = field_get(&schema_prog, at, r);
	out_str(o, ": it was unloaded");
	if (when.avail == AVAIL_YES) {
		out_str(o, " at ");
		render_value(o, at, &when, VALUE_PLAIN);
	}
	if (r->has_loader == AVAIL_YES) {
		out_str(o, "; ");
		out_text(o, r->loader);
		out_fmt(o, "(%u) had loaded it", r->loader_pid);
	}
	out_str(o, ".\n");
	return true;
}

/* The title from word @from on. */
static void put_title(const struct why_search *s, struct out *o, uint32_t node, size_t from)
{
	struct graph_part word[GRAPH_WORDS];

	graph_words(&s->g->node[node], s->a, word);
	for (size_t i = from; i < GRAPH_WORDS; i++) {
		if (!word[i].text)
			continue;
		out_str(o, i > from ? " " : "");
		out_paint(o, word[i].role);
		out_text(o, word[i].text);
		out_paint(o, ROLE_NONE);
	}
}

static void put_because(const struct why_search *s, struct out *o, const struct why_rec *r)
{
	const char *text = r->because;

	for (size_t i = 0; i < ARRAY_SIZE(r->named); i++) {
		const struct graph_node *n = r->named[i] == GRAPH_NONE ? NULL : &s->g->node[r->named[i]];
		const size_t from = n && n->kind == EDGE_PIN; /* a reason has its path only */
		const char *title = n ? graph_title(n, s->a) + (from ? strlen("pin ") : 0) : NULL;
		const char *at = n ? strstr(text, title) : NULL;

		if (!at)
			continue;
		out_textn(o, text, (size_t)(at - text));
		put_title(s, o, r->named[i], from);
		text = at + strlen(title);
	}
	out_text(o, text);
}

/* Returns whether it is an object, which something must hold. */
static bool print_unheld(const struct why_search *s, uint32_t me, struct out *o)
{
	const struct graph_node *n = &s->g->node[me];

	put_title(s, o, me, 0);
	if (print_gone(n, o))
		return false;
	out_str(o, n->kind == NODE_ATTACHMENT ? ": no link holds it; it stays until it is detached.\n" :
		   n->kind >= EDGE_PIN	      ? ": it holds objects, and is none; `bpflens graph` shows them.\n" :
		   s->unknown		      ? ": nothing that could be read holds it.\n" :
						": nothing visible holds it.\n");
	return n->kind < EDGE_PIN;
}

static void print_reasons(struct why_search *s, struct out *o, size_t asked)
{
	const char *last = "";
	size_t objects = 0;
	bool any = false;

	for (size_t i = 0; i < s->n; i++) {
		if (strcmp(last, s->rec[i].object)) {
			out_str(o, i ? ".\n" : "");
			put_title(s, o, s->rec[i].held, 0);
			out_str(o, " stays because ");
		} else {
			out_str(o, "; ");
		}
		put_because(s, o, &s->rec[i]);
		last = s->rec[i].object;
		any |= s->rec[i].let_go != NULL;
	}
	out_str(o, s->n ? ".\n" : "");
	for (size_t i = 0; i < asked; i++)
		if (s->g->node[s->queue[i]].in == GRAPH_NONE)
			objects += print_unheld(s, s->queue[i], o);
	if (!any && objects)
		out_str(o, unseen);
	out_str(o, any ? "These commands release it:\n" : "");
}

/* Sort by command, then by the order found. */
static int by_command(const void *a, const void *b)
{
	const struct why_rec *x = *(const struct why_rec *const *)a, *y = *(const struct why_rec *const *)b;
	int order = strcmp(x->let_go, y->let_go);

	return order ? order : (x > y) - (x < y);
}

/* Print each command once, at its first occurrence. */
static void print_commands(const struct why_search *s, struct out *o)
{
	const struct why_rec **sorted = arena_alloc(s->a, s->n * sizeof(struct why_rec *));
	bool *again = arena_alloc(s->a, s->n * sizeof(*again));
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->rec[i].let_go)
			sorted[n++] = &s->rec[i];
	if (n)
		qsort(sorted, n, sizeof(*sorted), by_command);
	for (size_t i = 1; i < n; i++)
		again[sorted[i] - s->rec] = !strcmp(sorted[i]->let_go, sorted[i - 1]->let_go);
	for (size_t i = 0; i < s->n; i++) {
		if (!s->rec[i].let_go || again[i])
			continue;
		out_str(o, "  ");
		out_text(o, s->rec[i].let_go);
		out_char(o, '\n');
	}
}

static void print_text(struct why_search *s, struct out *o, size_t asked)
{
	struct out sentences;

	render_fold(&sentences, o);
	print_reasons(s, &sentences, asked);
	render_put_folded(&sentences, o);
	print_commands(s, o);
}

static void print_json(struct env *env, const struct why_search *s)
{
	struct render r;

	env_render(env, &r);
	render_begin(&r);
	render_section(&r, &why_schema, NULL);
	for (size_t i = 0; i < s->n; i++)
		render_record(&r, &s->rec[i]);
	report_render_end(env->report, &r);
}

struct why_opts {
	struct arg_list objects;
};

static int run_why(struct env *env, const void *opts, struct err *e)
{
	const struct why_opts *o = opts;
	struct why_search s = { .env = env, .a = env->keep };
	const uint32_t *start;
	struct graph g;
	size_t n;
	int err = graph_read(env, 0, true, PINS_SHOWN, &g, e);

	if (!err)
		err = graph_find(env, &g, &o->objects, &start, &n, e);
	if (err)
		return err;
	s.g = &g;
	s.queue = arena_array(env->keep, g.nodes, sizeof(*s.queue));
	s.seen = arena_array(env->keep, g.nodes, sizeof(*s.seen));
	for (size_t i = 0; i < n; i++)
		node_visit(&s, start[i]);
	search(&s);
	if (env->opts->json)
		print_json(env, &s);
	else
		print_text(&s, env->report->out, n);
	env->report->unread += s.unknown;
	return 0;
}

static const struct arg why_args[] = {
	ARG("OBJ", ARG_REST, struct why_opts, objects,
	    "these: [prog|map|link|btf] [id|name|tag|pinned] OBJ, a pin, PLACE [HOOK] as in ls, or process PID",
	    .metavar = "OBJ", .flags = ARG_REQUIRED, .offers = graph_offer_objects),
};

const struct command command_why = {
	.name = "why",
	.summary = "explain why an object is still loaded, and what would release it",
	.help = "Prints a sentence for each step from the object to a process, pin or attach point that keeps it, then the commands that "
		"would release it. Nothing is changed.",
	.example = "why prog name count_exits",
	.schema = &why_schema,
	.flags = CMD_READ | CMD_OURS,
	ARGS(why_args, struct why_opts),
	.run = run_why,
};
