/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/complete.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/out.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "cli/select.h"
#include "record/column.h"
#include "record/edge.h"
#include "record/field.h"
#include "source/facts.h"

struct completion {
	struct env *env;		/* of the line that is typed */
	const char *typed;		/* the word to complete, or what stands behind its "--name=" */
	const char *head;		/* "--name=", which candidates repeat, or "" */
	struct arg_list before;		/* the command's words before it */
	const struct group *group;
	size_t offered;			/* by the argument's own function */
};

static bool is_plain(const char *word)
{
	for (size_t n = strlen(word), len; n; word += len, n -= len) {
		len = str_utf8(word, n);
		if (!len || (unsigned char)*word < ' ' || str_control(word, len))
			return false;
	}
	return true;
}

/* False: it is none. */
static bool offer(const struct completion *c, const char *word, const char *help)
{
	struct out *o = c->env->report->out;

	if (!str_starts(word, c->typed) || !is_plain(word))
		return false;
	out_str(o, c->head);
	out_str(o, word);
	if (help && *help) {
		out_char(o, '\t');
		out_text(o, help);
	}
	out_char(o, '\n');
	return true;
}

static void offer_files(const struct completion *c)
{
	out_str(c->env->report->out, ":files\n");
}

static void offer_words(const struct completion *c, const struct names *n)
{
	unsigned i;

	for (i = 0; i < n->n; i++)
		if (n->word[i])
			offer(c, n->word[i], NULL);
}

static void offer_options(const struct completion *c, const struct parser *p)
{
	const struct option *o;
	size_t i;

	for (i = 0; p && i < p->c->nargs; i++)
		if (arg_is_option(&p->c->args[i]) && parser_may(p, &p->c->args[i]))
			offer(c, p->c->args[i].name, p->c->args[i].help);
	for (o = global_options; o->name; o++)
		offer(c, arena_fmt(c->env->keep, "--%s", o->name), o->help);
}

/* False: it has none that bpftool knows before the command. */
static bool offer_early_of(const struct completion *c, const struct command *v)
{
	bool any = false;

	for (size_t i = 0; i < v->nargs; i++)
		if (v->args[i].flags & ARG_EARLY) {
			offer(c, v->args[i].name, v->args[i].help);
			any = true;
		}
	return any;
}

/* Commands that have such options all have the same. */
static void offer_early(const struct completion *c)
{
	for (const struct group *g = groups; g->name; g++)
		for (size_t i = 0; group_verb(g, i); i++)
			if (offer_early_of(c, group_verb(g, i)))
				return;
}

static void offer_groups(const struct completion *c)
{
	const struct group *g;

	for (g = groups; g->name; g++)
		if (!g->raw)
			offer(c, g->name, g->help);
}

static void offer_verbs(const struct completion *c, const struct group *g)
{
	const struct command *v;
	size_t i;

	for (i = 0; (v = group_verb(g, i)); i++)
		offer(c, v->name, v->summary);
}

/* Behind a comma another name may follow; + and - stand before names. */
static void offer_columns(const struct completion *c, const struct schema *s, const struct schema *const *parts)
{
	const char *comma = strrchr(c->typed, ',');
	size_t head = comma ? (size_t)(comma + 1 - c->typed) : c->typed[0] == '+' || c->typed[0] == '-';
	struct columns all = { .s = s, .parts = parts };
	const struct field *f;

	/* Parts share names. */
	while ((f = columns_next(&all)))
		if (column_find(s, parts, f->name, NULL) == f)
			offer(c, arena_fmt(c->env->keep, "%.*s%s", (int)head, c->typed, f->name), f->help);
}

static void offer_selectors(const struct completion *c, const struct kind *k)
{
	unsigned i;

	for (i = 0; k && selector_at(i); i++)
		if (k->selectors & selector_at(i))
			offer(c, selector_word(selector_at(i)), NULL);
}

static const struct kind *kind_of_edge(const struct edge *edge)
{
	for (const struct kind *const *k = kinds; *k; k++)
		if (!strcmp((*k)->name, edge_to_word(edge->to)))
			return *k;
	return NULL;
}

/* What has no name, as a link, is called by what it belongs to: its program or map, in facts that come with it. */
static const char *name_beside(struct env *env, const struct kind *k, uint32_t id)
{
	struct err why = { 0 };
	struct edge_iter it;
	struct edge edge;
	void *rec;

	if (!edge_any(k->schema, ~0u))
		return "";
	rec = arena_alloc(env->arena, k->schema->rec_size);
	if (k->read(env, env->arena, id, 0, rec, &why))
		return "";
	edge_begin(&it, k->schema, rec, ~0u);
	while (edge_next(&it, &edge)) {
		const struct kind *to = kind_of_edge(&edge);
		const char *type, *name, *tag;

		if (to && !to->label(env, env->arena, (uint32_t)edge.id, &type, &name, &tag, &why) && *name)
			return name;
		err_clear(&why);
	}
	return "";
}

static void offer_label(const struct completion *c, const struct kind *k, enum selector by, uint32_t id, const char *number)
{
	const char *type = "", *name = "", *tag = "";
	struct env *env = c->env;
	size_t mark = arena_mark(env->arena);
	struct err why = { 0 };

	/* What cannot be looked at still has a number. */
	if (k->label(env, env->arena, id, &type, &name, &tag, &why))
		type = name = tag = "";
	if (by == SEL_ID && !*name)
		name = name_beside(env, k, id);
	if (by == SEL_ID)
		offer(c, number, arena_fmt(env->arena, "%s%s%s", type, *type && *name ? "  " : "", name));
	else if (by == SEL_NAME && *name)
		offer(c, name, arena_fmt(env->arena, "%s  id %s", type, number));
	else if (by == SEL_TAG && *tag)
		offer(c, tag, arena_fmt(env->arena, "%s%s%s", type, *type && *name ? "  " : "", name));
	arena_rewind(env->arena, mark);
}

/* An id that does not fit costs nothing: objects are looked at only where that is needed. */
static void offer_objects(const struct completion *c, const struct kind *k, enum selector by)
{
	struct err why = { 0 };
	char number[24];
	const uint32_t *ids;
	size_t i, n;

	if (env_open(c->env, &why) || select_all(c->env, k, &ids, &n, &why))
		return;
	for (i = 0; i < n && !out_dead(c->env->report->out); i++) {
		*num_dec(number, ids[i]) = '\0';
		if (by != SEL_ID || str_starts(number, c->typed))
			offer_label(c, k, by, ids[i], number);
	}
}

static bool is_typed(const struct completion *c, const char *word)
{
	for (size_t i = 0; i < c->before.n; i++)
		if (!strcmp(c->before.word[i], word))
			return true;
	return false;
}

static void offer_pins(const struct completion *c, const struct kind *k)
{
	struct err why = { 0 };
	const struct pin *pins;
	size_t i, n, found = 0;

	if (!env_open(c->env, &why) && !facts_all_pins(c->env->machine, &pins, &n)) {
		for (i = 0; i < n; i++) {
			if ((k && pins[i].kind != k->object) || is_typed(c, pins[i].path))
				continue;
			found += offer(c, pins[i].path, arena_fmt(c->env->keep, "%s %u", object_kind_names[pins[i].kind], pins[i].id));
		}
	}
	if (!found)
		offer_files(c);
}

void complete_pins(struct env *env, const struct arg_list *before, const char *typed, arg_offer *one, void *ctx)
{
	(void)before;
	(void)typed;
	(void)one;
	offer_pins(ctx, env->kind);
}

void complete_files(struct env *env, const struct arg_list *before, const char *typed, arg_offer *one, void *ctx)
{
	(void)env;
	(void)before;
	(void)typed;
	(void)one;
	offer_files(ctx);
}

static void offer_one(void *ctx, const char *word, const char *help)
{
	struct completion *c = ctx;

	c->offered += offer(c, word, help);
}

/* What needs no selector before it, by the first letter; where nothing is typed yet, names, or what has none by its number. */
static void offer_bare(const struct completion *c, const struct kind *k)
{
	if (isdigit((unsigned char)*c->typed) || (!*c->typed && !(k->selectors & SEL_NAME)))
		offer_objects(c, k, SEL_ID);
	else if (k->selectors & SEL_PINNED && *c->typed && strchr("./", *c->typed))
		offer_pins(c, k);
	else if (k->selectors & SEL_NAME)
		offer_objects(c, k, SEL_NAME);
}

static void offer_ref(const struct completion *c, const struct kind *k, enum selector by)
{
	if (k && by == SEL_PINNED)
		offer_pins(c, k);
	else if (k && by)
		offer_objects(c, k, by);
	else
		offer_selectors(c, k);
	if (k && !by)
		offer_bare(c, k);
}

void complete_object(const struct kind *k, const struct arg_list *words, void *ctx)
{
	enum selector by = 0;

	for (unsigned i = 0; words->n == 1 && selector_at(i); i++)
		if (k->selectors & selector_at(i) && !strcmp(selector_word(selector_at(i)), words->word[0]))
			by = selector_at(i);
	if (!words->n || by)
		offer_ref(ctx, k, by);
}

static void offer_source(const struct completion *c, const struct parser *p)
{
	if (!p->from)
		offer_words(c, &source_names);
	else if (p->from == SOURCE_FILE)
		offer_files(c);
	else
		offer_ref(c, source_kind(p->from), p->by);
}

static void offer_own(const struct completion *c, const struct arg *a)
{
	struct completion mine = *c;
	struct err why = { 0 };

	if (!env_open(c->env, &why))
		a->offers(c->env, &c->before, c->typed, offer_one, &mine);
	if (a->type == ARG_PATH && !mine.offered)
		offer_files(c);
}

/* @a is pending, or may begin here. */
static void offer_value(const struct completion *c, const struct arg *a, const struct parser *p)
{
	const struct schema *own = p->c->schema;
	const struct kind *k = arg_kind(a, p->kind);

	if (a->offers && (a->type != ARG_REUSE || p->reuse.due == REUSE_NAME)) {
		offer_own(c, a);
		return;
	}
	switch (a->type) {
	case ARG_WORD:
		offer_words(c, a->words);
		return;
	case ARG_PATH:
		offer_files(c);
		return;
	case ARG_COLUMNS:
		offer_columns(c, own ? own : k ? k->schema : NULL, own || !k ? NULL : k->parts);
		return;
	case ARG_OBJECT:
		offer_ref(c, k, p->pending ? p->by : 0);
		return;
	case ARG_SOURCE:
		offer_source(c, p);
		return;
	case ARG_REUSE:
		if (p->reuse.due == REUSE_BY)
			offer_words(c, &reuse_names);
		else if (p->reuse.due == REUSE_OBJECT)
			offer_ref(c, k, p->by);
		return;
	default:
		return;
	}
}

static bool is_glued(const char *typed)
{
	return str_starts(typed, "--") && strchr(typed, '=');
}

/* `--name=VAL`: completes VAL. */
static void offer_glued(struct completion *c, struct parser *p)
{
	size_t n = strcspn(c->typed, "=") + 1;
	const struct option *o = options_find(c->typed);
	struct err why = { 0 };

	c->head = arena_str(c->env->keep, c->typed, n);
	if (p && !parser_word(p, arena_str(c->env->keep, c->typed, n - 1), &why)) {
		c->typed += n;
		if (p->pending)
			offer_value(c, p->pending, p);
		return;
	}
	c->typed += n;
	if (o && o->words)
		offer_words(c, o->words);
	else if (o && o->metavar)
		offer_files(c);
}

static void offer_next(struct completion *c, struct parser *p)
{
	const struct arg *a = parser_positional(p), *behind = parser_behind(p);
	size_t i;

	if (!a)
		a = parser_again(p);
	if (p->pending) {
		offer_value(c, p->pending, p);
		return;
	}
	if (is_glued(c->typed)) {
		offer_glued(c, p);
		return;
	}
	if (c->typed[0] == '-') {
		offer_options(c, p);
		return;
	}
	if (behind)
		offer_value(c, behind, p);
	if (p->last && p->last->flags & ARG_ASSIGN)
		offer_value(c, p->last, p);
	if (a)
		offer_value(c, a, p);
	for (i = 0; i < p->c->nargs && !(parser_positional(p) && a->flags & ARG_REQUIRED); i++)
		if (!arg_is_option(&p->c->args[i]) && parser_may(p, &p->c->args[i]))
			offer(c, p->c->args[i].name, p->c->args[i].help);
}

/* `help prog dump`: first a group, then one of its verbs. */
static void offer_help(const struct completion *c, int argc, const char *const *argv)
{
	const struct group *g;
	struct err why = { 0 };
	int used;

	if (!argc)
		offer_groups(c);
	else if (argc == 1 && command_find(1, argv, &g, &used, &why))
		offer_verbs(c, g);
}

static void offer_command(struct completion *c, int argc, const char *const *argv)
{
	struct parser p = { .arena = c->env->keep };
	struct err why = { 0 };
	int used, i, before = command_options(argc, argv, &why);

	if (before < 0)
		return;
	argc -= before;
	argv += before;
	if (!argc) {
		if (is_glued(c->typed))
			offer_glued(c, NULL);
		else if (c->typed[0] != '-')
			offer_groups(c);
		else {
			offer_early(c);
			offer_options(c, NULL);
		}
		return;
	}
	p.c = command_find(argc, argv, &c->group, &used, &why);
	if (!p.c || c->group->raw)
		return;
	if (argc == 1 && !c->group->alone && c->typed[0] != '-') {
		offer_verbs(c, c->group);
		if (c->group->files)
			offer_files(c);
		return;
	}
	if (p.c == &command_help && c->group->alone) {
		offer_help(c, argc - used, argv + used);
		return;
	}
	p.kind = c->env->kind = c->group->kind;
	c->before = (struct arg_list){ argv + used, (size_t)(argc - used) };
	for (i = used; i < argc; i++)
		if (parser_word(&p, argv[i], &why))
			return;
	offer_next(c, &p);
}

static int run_complete(struct env *env, const void *opts, struct err *e)
{
	const struct arg_list *words = opts;
	struct globals g = { .color = "never", .from = env->opts->from };
	struct options_rest rest = { .word = arena_array(env->keep, words->n + 1, sizeof(char *)) };
	struct completion c = { .typed = words->n ? words->word[words->n - 1] : "", .head = "" };
	struct err why = { 0 };
	struct report report = { .out = env->report->out };
	struct env line;
	int err;

	(void)e;
	env_init(&line, &g, &report);
	c.env = &line;
	err = options_parse(&g, words->n ? (int)words->n - 1 : 0, words->word, &rest, &why);
	if (rest.wants && rest.wants->words)
		offer_words(&c, rest.wants->words);
	else if (rest.wants)
		offer_files(&c);
	else if (!err)
		offer_command(&c, rest.n, rest.word);
	report_release(&report);
	env_close(&line);
	return 0;
}

const struct command command_complete = {
	.name = "__complete", .summary = "candidates for a shell",
	.flags = CMD_TEXT | CMD_NOSOURCE, .run = run_complete,
};
