/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/columns.h"
#include "relate/misfit.h"
#include "relate/relate.h"

#include "cli/command.h"
#include "cli/fleet.h"
#include "cli/records.h"
#include "link/link.h"
#include "prog/prog.h"
#include "record/field.h"
#include "record/view.h"

/* Lists objects that nothing runs, maps that do not connect what they should, and attachments that run although no
 * process is left. */
enum orphan_state { UNUSED, STALE, UNREAD, UNWRITTEN, RUNS };
static const char *const state_words[] = { "unused", "stale", "unread", "unwritten", "runs" };
static const struct names states = NAMES(state_words);

struct orphan_rec {
	const char *kind, *type, *name, *where, *orphan, *kept_by;
	uint64_t id, memlock, loaded_at, run_cnt;
	const char *const *commands;
	uint32_t ncommands;
	int state;
	bool complete;
	uint8_t has_memlock, has_loaded, has_runs; /* enum avail */
};
static const struct field orphan_fields[] = {
	FIELD_AS(
		orphan_rec, state, FT_ENUM, "state",
		"state: unused; stale, unread or unwritten, a map that connects nothing; or runs, although no process could end it",
		.names = &states, .role = ROLE_LIMITED, .flags = FIELD_DEFAULT | FIELD_ANSWER),
	FIELD(orphan_rec, kind, "kind", "kind: prog, map, link or attachment", .names = &graph_kinds, .role = ROLE_KIND,
	      .flags = FIELD_DEFAULT),
	FIELD(orphan_rec, id, "id", "id of the object; 0 for an attachment", .role = ROLE_ID,
	      .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD(orphan_rec, type, "type", "type of the object, hook of the attachment", .role = ROLE_KIND,
	      .flags = FIELD_DEFAULT | FIELD_NONZERO, .drop = 2),
	FIELD(orphan_rec, name, "name", "name of the object; of an attachment or link, that of its program",
	      .role = ROLE_NAME, .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD(orphan_rec, where, "where", "place: device, cgroup or other, of an attachment", .role = ROLE_PLACE,
	      .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD(orphan_rec, orphan, "orphan", "why it may be unused", .title = "WHY",
	      .flags = FIELD_DEFAULT | FIELD_PROSE),
	FIELD(orphan_rec, kept_by, "kept_by", "what keeps it: its first holder", .was = "keeper", .role = ROLE_OWNER,
	      .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD_IF(orphan_rec, memlock, has_memlock, "bytes_memlock", "memory that it is charged for", .unit = FU_SIZE,
		 .title = "SIZE", .need = NEED_FDINFO, .flags = FIELD_DEFAULT, .drop = 1),
	FIELD_RUN_CNT(orphan_rec, run_cnt, FIELD_WHEN(orphan_rec, has_runs), .need = NEED_STATS,
		      .flags = FIELD_DEFAULT | FIELD_NONZERO, .drop = 3),
	FIELD_AS(orphan_rec, loaded_at, FT_TIME, "loaded_at", "when it was loaded (the program)", .title = "LOADED",
		 FIELD_WHEN(orphan_rec, has_loaded), .flags = FIELD_DEFAULT | FIELD_SHORT, .drop = 4),
	FIELD_COMPLETE(orphan_rec, complete),
	FIELD_LIST(orphan_rec, commands, ncommands, FT_STR, "commands",
		   "commands that would remove it; for what runs, only with --attached", .was = "remove",
		   .need = NEED_PINS, .flags = FIELD_NONZERO),
};
const struct schema orphan_schema = SCHEMA("orphan", orphan_rec, orphan_fields);

struct holders { /* number of holders of a node, by kind */
	unsigned process, pin, link, attachment, prog, map;
};

static void node_holders_count(const struct graph *g, uint32_t me, struct holders *ret)
{
	*ret = (struct holders){ 0 };
	GRAPH_IN(g, me, i) {
		const unsigned kind = g->node[g->edge[i].from].kind;

		if (!g->edge[i].keeps)
			continue;
		ret->process += kind == EDGE_PROCESS;
		ret->pin += kind == EDGE_PIN;
		ret->link += kind == EDGE_LINK;
		ret->attachment += kind == NODE_ATTACHMENT;
		ret->prog += kind == EDGE_PROG;
		ret->map += kind == EDGE_MAP;
	}
}

struct orphan_search {
	struct env *env;
	const struct graph *g;
	const bool *by_process, *by_pin;
	struct misfits misfits;
	bool attached;	  /* also commands that end what runs */
	unsigned lacking; /* the machine's answers are incomplete: any node may have more holders */
};

/* What an object is to the list. */
struct orphan_found {
	enum orphan_state state;
	const char *why; /* NULL: it is not in it */
	bool removable;	 /* with a command that removes it */
};

/* NULL: it is not an orphan. */
static const char *why_orphan(const struct orphan_search *s, uint32_t me)
{
	const struct graph_node *n = &s->g->node[me];
	struct holders h;

	node_holders_count(s->g, me, &h);
	switch (n->kind) {
	case EDGE_PROG:
		if (h.attachment || h.link || h.map || prog_is_gone(n->rec))
			return NULL;
		return h.pin && !h.process ? "pinned, without a user" :
		       h.process	   ? "no place runs it" :
					     "no visible holder";
	case EDGE_MAP:
		if (s->misfits.used[me] || h.attachment || h.link)
			return NULL;
		return h.pin && !h.process && !h.map ? "pinned, without a user" :
		       h.pin || h.process || h.map   ? "no program uses it" :
						       "no visible holder";
	case EDGE_LINK:
		if (((const struct link_rec *)n->rec)->gone)
			return h.pin		 ? "detached, a pin keeps it" :
			       s->by_process[me] ? "detached, its process holds it" :
						   "detached";
		return s->by_process[me] || h.pin ? NULL : "no visible holder"; /* a pin is meant to keep it attached */
	case NODE_ATTACHMENT:
		/* A slot of a map, or what a link attaches, is an orphan only if the map or link is. */
		if (h.link || h.map || h.process)
			return NULL;
		GRAPH_OUT(s->g, me, i)
			if (s->g->edge[i].keeps && (s->by_process[s->g->edge[i].to] || s->by_pin[s->g->edge[i].to]))
				return NULL;
		return "no process or pin holds its program";
	}
	return NULL;
}

/* May it have holders that could not be read? An attachment has those of what it attaches. */
static bool may_be_held(const struct graph *g, uint32_t me)
{
	if (g->node[me].unknown)
		return true;
	GRAPH_OUT(g, me, i)
		if (g->node[me].kind == NODE_ATTACHMENT && g->edge[i].keeps && g->node[g->edge[i].to].unknown)
			return true;
	return false;
}

static const struct field *field_of(const struct graph_node *n, const char *name, struct value *ret)
{
	const struct schema *in;
	const struct field *f = n->schema ? schema_find(n->schema, n->rec, name, &in) : NULL;

	*ret = f ? field_get(in, f, n->rec) : (struct value){ .avail = AVAIL_NO };
	return f;
}

/*
 * The commands that would remove it; none if a process holds it, because only that process knows whether it is needed.
 */
static void commands_of(const struct orphan_search *s, uint32_t me, struct orphan_rec *r)
{
	const char **list;
	uint32_t n = 1;

	GRAPH_IN(s->g, me, i)
		n++;
	r->commands = list = arena_array(s->env->keep, n, sizeof(*list));
	if (s->g->node[me].kind == NODE_ATTACHMENT)
		GRAPH_OUT(s->g, me, i)
			if (s->g->edge[i].keeps && !r->ncommands && s->g->node[s->g->edge[i].to].kind != EDGE_BTF)
				list[r->ncommands++] = graph_let_go(s->g, me, s->g->edge[i].to, s->env->keep);
	GRAPH_IN(s->g, me, i)
		if (s->g->edge[i].keeps && s->g->node[s->g->edge[i].from].kind == EDGE_PROCESS)
			return;
	GRAPH_IN(s->g, me, i)
		if (s->g->node[s->g->edge[i].from].kind == EDGE_PIN)
			list[r->ncommands++] = graph_let_go(s->g, s->g->edge[i].from, me, s->env->keep);
}

/* An attachment, or a link that is attached: what it keeps runs. */
static bool orphan_runs(const struct graph_node *n)
{
	return n->kind == NODE_ATTACHMENT || (n->kind == EDGE_LINK && !((const struct link_rec *)n->rec)->gone);
}

static void orphan_read(const struct orphan_search *s, uint32_t me, const struct orphan_found *found,
			struct orphan_rec *r)
{
	const struct graph_node *n = &s->g->node[me], *prog = n;
	const bool unknown = may_be_held(s->g, me);
	struct value v;

	*r = (struct orphan_rec){ .kind = graph_word(n),
				  .type = n->type,
				  .name = n->name,
				  .state = found->state,
				  .where = n->kind == NODE_ATTACHMENT ? n->name : NULL,
				  .orphan = n->unsure ? arena_fmt(s->env->keep, "not known: %s", n->unsure) :
					    unknown   ? "perhaps not: some of its holders could not be read" :
							found->why,
				  .complete = !unknown && !s->lacking,
				  .id = n->kind == NODE_ATTACHMENT ? 0 : n->id };
	GRAPH_IN(s->g, me, i)
		if (s->g->edge[i].keeps && !r->kept_by)
			r->kept_by = graph_title(&s->g->node[s->g->edge[i].from], s->env->keep);
	/* For a link or attachment, the name of its program is more useful than an id. */
	GRAPH_OUT(s->g, me, i)
		if ((n->kind == EDGE_LINK || n->kind == NODE_ATTACHMENT) &&
		    s->g->node[s->g->edge[i].to].kind == EDGE_PROG)
			prog = &s->g->node[s->g->edge[i].to];
	if (!r->name || n->kind == NODE_ATTACHMENT)
		r->name = prog == n ? NULL : prog->name;
	field_of(n, "bytes_memlock", &v);
	r->has_memlock = v.avail;
	r->memlock = v.avail == AVAIL_YES ? v.u : 0;
	field_of(prog, "loaded_at", &v);
	r->has_loaded = v.avail;
	r->loaded_at = v.avail == AVAIL_YES ? v.u : 0;
	field_of(prog, "run_cnt", &v);
	r->has_runs = n->kind == EDGE_MAP ? AVAIL_NO : v.avail;
	r->run_cnt = v.avail == AVAIL_YES ? v.u : 0;
	if (!unknown && found->removable)
		commands_of(s, me, r);
}

struct orphans_opts {
	struct records_opts records;
	bool commands, attached;
};

static struct orphan_found node_judge(const struct orphan_search *s, uint32_t me)
{
	static const enum orphan_state states_of[MISFITS] = {
		[MISFIT_STALE] = STALE, [MISFIT_UNREAD] = UNREAD, [MISFIT_UNWRITTEN] = UNWRITTEN
	};
	struct orphan_found ret = { 0 };
	enum misfit m;

	if (!s->g->node[me].rec)
		return ret;
	ret.why = why_orphan(s, me);
	ret.state = orphan_runs(&s->g->node[me]) ? RUNS : UNUSED;
	ret.removable = ret.why && (ret.state == UNUSED || s->attached);
	m = misfit_of(&s->misfits, me, &ret.why);
	ret.state = m ? states_of[m] : ret.state;
	return ret;
}

static void orphans_read(const struct orphan_search *s, struct records *ret)
{
	struct orphan_found *found = arena_array(s->env->keep, s->g->nodes, sizeof(*found));

	for (uint32_t i = 0; i < s->g->nodes; i++)
		found[i] = node_judge(s, i);
	for (enum orphan_state state = UNUSED; state <= RUNS; state++)
		for (uint32_t i = 0; i < s->g->nodes; i++)
			if (found[i].why && found[i].state == state)
				orphan_read(s, i, &found[i], records_add(ret, s->env));
}

static int orphans_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	const struct orphans_opts *o = opts;
	struct orphan_search s = { .env = env, .attached = o->attached };
	struct graph *g = arena_alloc(env->keep, sizeof(*g));
	const uint32_t pins = ret->need & NEED_PINS ? 0 : 1; /* of an object: only commands are for each */
	int err = graph_read(env, ret->need & (NEED_FDINFO | NEED_STATS), false, pins, g, e);

	if (err)
		return err;
	s.g = g;
	s.lacking = machine_refusals(env->machine) || report_is_partial(env->report);
	s.by_process = graph_kept_from(env, g, EDGE_PROCESS);
	s.by_pin = graph_kept_from(env, g, EDGE_PIN);
	misfits_init(&s.misfits, env, g);
	orphans_read(&s, ret);
	return 0;
}

/* Print each command once, in the order of the list, for the orphans that match the filter. */
static int print_commands(struct env *env, const struct orphans_opts *o, struct err *e)
{
	struct records recs = { .s = &orphan_schema };
	struct view view;
	int err = records_view(env, &view, &orphan_schema, &o->records, NULL, NULL, e);

	recs.need = err ? 0 : view.need | NEED_PINS;
	err = err ? err : orphans_collect(env, o, &recs, e);
	for (size_t i = 0; !err && i < recs.n; i++) {
		const struct orphan_rec *r = (const struct orphan_rec *)(void *)recs.rec + i;

		for (uint32_t k = 0; k < r->ncommands && view_match(&view, &orphan_schema, r); k++) {
			out_text(env->report->out, r->commands[k]);
			out_char(env->report->out, '\n');
		}
	}
	return err;
}

static int run_orphans(struct env *env, const void *opts, struct err *e)
{
	const struct orphans_opts *o = opts;

	if (o->commands && (env->opts->json || o->records.columns || o->records.sort))
		return err_usage(
			e, "'--commands' supports neither columns nor sorting; in JSON, `remove` has the commands");
	if (o->commands && fleet_is_used(env))
		return err_usage(e, "'--commands' is for one machine, and --from names several");
	return o->commands ? print_commands(env, o, e) : records_run(env, &o->records, o, orphans_collect, e);
}

static const struct arg orphans_args[] = {
	RECORDS_ARGS(struct orphans_opts, records),
	RECORDS_SINCE(struct orphans_opts, records),
	ARG("--commands", ARG_FLAG, struct orphans_opts, commands,
	    "print shell commands that would remove what is unused"),
	ARG("--attached", ARG_FLAG, struct orphans_opts, attached,
	    "also commands that would detach what runs although no process is left"),
};

const struct command command_orphans = {
	.name = "orphans",
	.summary = "list objects that nothing runs, and what runs without a process",
	.help = "Lists objects that nothing runs or uses, maps that do not connect programs and processes, and attachments that run although no process or pin holds their programs. "
		"What is pinned and attached, such as a link, is no orphan. Nothing is removed.",
	.example = "orphans",
	.schema = &orphan_schema,
	.flags = CMD_READ | CMD_OURS | CMD_MANY,
	ARGS(orphans_args, struct orphans_opts),
	.run = run_orphans,
};
