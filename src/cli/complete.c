/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/complete.h"

#include "base/when.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/options.h"
#include "cli/parse/arg.h"
#include "cli/parse/parse.h"
#include "cli/parse/parser.h"
#include "record/column.h"
#include "record/field.h"
#include "source/facts.h"
#include "source/lives.h"

static void names_offer(const struct completion *c, const struct names *n)
{
	unsigned i;

	for (i = 0; i < n->n; i++)
		if (n->word[i])
			completion_offer(c, n->word[i], NULL);
}

static void offer_option(const struct completion *c, const struct arg *a)
{
	completion_offer(c, a->name, a->help);
	if (a->alias)
		completion_offer(c, a->alias, a->help);
}

static void offer_options(const struct completion *c, const struct parser *p)
{
	const struct option *o;
	size_t i;

	for (i = 0; p && i < p->c->nargs; i++)
		if (arg_is_option(&p->c->args[i]) && parser_may(p, &p->c->args[i]))
			offer_option(c, &p->c->args[i]);
	for (o = global_options; o->name; o++) {
		completion_offer(c, arena_fmt(c->env->keep, "--%s", o->name), o->help);
		if (o->letter)
			completion_offer(c, arena_fmt(c->env->keep, "-%c", o->letter), o->help);
	}
}

/* Offer the command's ARG_EARLY options. False: it has none. */
static bool offer_early_of(const struct completion *c, const struct command *v)
{
	bool any = false;

	for (size_t i = 0; i < v->nargs; i++)
		if (v->args[i].flags & ARG_EARLY) {
			offer_option(c, &v->args[i]);
			any = true;
		}
	return any;
}

/* All commands with such options have the same ones. */
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
			completion_offer(c, g->name, g->help);
}

static void offer_verbs(const struct completion *c, const struct group *g)
{
	const struct command *v;
	size_t i;

	for (i = 0; (v = group_verb(g, i)); i++)
		completion_offer(c, v->name, v->summary);
}

/* Another name may follow after a comma; + and - come before names. */
static void offer_columns(const struct completion *c, const struct schema *s, const struct schema *const *parts)
{
	const char *comma = strrchr(c->typed, ',');
	size_t head = comma ? (size_t)(comma + 1 - c->typed) : c->typed[0] == '+' || c->typed[0] == '-';
	struct columns all = { .s = s, .parts = parts };
	const struct field *f;

	/* Parts may have fields with the same name. */
	while ((f = columns_next(&all)))
		if (column_find(s, parts, f->name, NULL) == f)
			completion_offer(c, arena_fmt(c->env->keep, "%.*s%s", (int)head, c->typed, f->name), f->help);
}

void complete_files(struct env *env, const struct arg_list *before, const char *typed, arg_offer *one, void *ctx)
{
	completion_files(ctx);
}

static void offer_one(void *ctx, const char *word, const char *help)
{
	struct completion *c = ctx;

	c->offered += completion_offer(c, word, help);
}

static void offer_types_ref(const struct completion *c, const struct parser *p)
{
	if (!p->from)
		names_offer(c, &source_names);
	else if (p->from == TYPES_FILE)
		completion_files(c);
	else
		completion_ref(c, source_kind(p->from), p->by);
}

static int term_is(const struct field *f)
{
	if (f->type == FT_BOOL)
		return TERM_FLAG;
	return f->type == FT_UINT || f->type == FT_INT || f->type == FT_REAL || f->type == FT_TIME ? TERM_NUMBER :
												     TERM_TEXT;
}

void complete_filter(struct env *env, const struct arg_list *before, const char *typed, arg_offer *one, void *ctx)
{
	const struct completion *c = ctx;
	struct columns all = { .s = c->schema, .parts = c->parts };
	const struct field *f;
	struct term *terms = NULL;
	size_t n = 0, cap = 0;

	while (c->schema && (f = columns_next(&all))) {
		if (column_find(c->schema, c->parts, f->name, NULL) != f)
			continue;
		ARRAY_MORE(terms, n, cap);
		terms[n++] = (struct term){ .name = f->name, .help = f->help, .is = term_is(f), .field = f };
	}
	complete_terms(env, typed, terms, n, one, ctx);
	free(terms);
}

static void offer_own(const struct completion *c, const struct arg *a, const struct schema *s,
		      const struct schema *const *parts)
{
	struct completion mine = *c;
	struct err why = { 0 };

	mine.schema = s;
	mine.parts = parts;

	if (!env_open(c->env, &why))
		a->offers(c->env, &c->before, c->typed, offer_one, &mine);
	if (a->type == ARG_PATH && !mine.offered)
		completion_files(c);
}

/* Offer values of @a, which is pending or may begin here. */
static void offer_value(const struct completion *c, const struct arg *a, const struct parser *p)
{
	const struct kind *k = arg_kind(a, p->kind);
	const struct schema *s = p->c->schema ? p->c->schema : k ? k->schema : NULL;
	const struct schema *const *parts = p->c->schema || !k ? NULL : k->parts;

	if (a->offers && (a->type != ARG_REUSE || p->reuse.due == REUSE_NAME)) {
		offer_own(c, a, s, parts);
		return;
	}
	switch (a->type) {
	case ARG_WORD:
		names_offer(c, a->words);
		return;
	case ARG_PATH:
		completion_files(c);
		return;
	case ARG_COLUMNS:
		offer_columns(c, s, parts);
		return;
	case ARG_OBJECT:
		completion_ref(c, k, p->pending ? p->by : 0);
		return;
	case ARG_TYPES:
		offer_types_ref(c, p);
		return;
	case ARG_REUSE:
		if (p->reuse.due == REUSE_BY)
			names_offer(c, &reuse_names);
		else if (p->reuse.due == REUSE_OBJECT)
			completion_ref(c, k, p->by);
		return;
	default:
		return;
	}
}

static bool is_glued(const char *typed)
{
	return str_starts(typed, "--") && strchr(typed, '=');
}

/* The beginning and the end of the recording. */
static void offer_bounds(const struct completion *c)
{
	struct err why = { 0 };
	const struct lives *l = env_open(c->env, &why) ? NULL : facts_lives(c->env->machine);
	const uint64_t boot = l ? facts_boot_ns(c->env->machine) : 0;

	for (int end = 0; boot && end < (l->to ? 2 : 1); end++) {
		const uint64_t ns = boot + (end ? l->to : l->from);
		char text[WHEN_TEXT];

		when_print(text, ns / NSEC_PER_SEC, (uint32_t)(ns % NSEC_PER_SEC), 3, false);
		completion_offer(c, text, end ? "end of the recording" : "its beginning");
	}
}

static void offer_global(const struct completion *c, const struct option *o)
{
	if (o->words)
		names_offer(c, o->words);
	else if (o->off == offsetof(struct globals, at))
		offer_bounds(c);
	else if (o->metavar)
		completion_files(c);
}

/* `--name=VAL`: complete VAL. */
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
	if (o)
		offer_global(c, o);
}

static void offer_next(struct completion *c, struct parser *p)
{
	const struct arg *a = parser_positional(p), *following = parser_following(p);
	size_t i;

	if (!a)
		a = parser_again(p);
	if (p->pending && !(p->pending->flags & ARG_OPTIONAL)) {
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
	if (following)
		offer_value(c, following, p);
	if (p->last && p->last->flags & ARG_ASSIGN)
		offer_value(c, p->last, p);
	if (a)
		offer_value(c, a, p);
	if (parser_is_file_before(p, a))
		offer_value(c, a + 1, p);
	for (i = 0; i < p->c->nargs && !(parser_positional(p) && a->flags & ARG_REQUIRED); i++)
		if (!arg_is_option(&p->c->args[i]) && parser_may(p, &p->c->args[i]))
			completion_offer(c, p->c->args[i].name, p->c->args[i].help);
}

/* `help prog dump`: complete a group, then one of its verbs. */
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

/* What follows the FILE of a command is offered from it. */
static void file_use(struct completion *c, const struct parser *p)
{
	const struct arg *a = p->c->args;
	struct globals *g;

	if (!p->c->nargs || !parser_is_file_before(p, a) || !(p->seen & arg_bit(p, a)))
		return;
	g = arena_dup(c->env->keep, c->env->opts, sizeof(*g));
	memcpy(&g->from, (const char *)p->opts + a->off, sizeof(g->from));
	g->from = g->from ? g->from : c->env->opts->from;
	c->env->opts = g;
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
			completion_files(c);
		return;
	}
	if (argc == 1 && c->group->listing && c->typed[0] == '-')
		completion_offer(c, c->group->listing->name, c->group->listing->summary);
	if (p.c == &command_help && c->group->alone) {
		offer_help(c, argc - used, argv + used);
		return;
	}
	p.kind = c->env->kind = c->group->kind;
	c->before = (struct arg_list){ argv + used, (size_t)(argc - used) };
	p.opts = arena_alloc(c->env->keep, p.c->opts_size);
	for (i = used; i < argc; i++)
		if (parser_word(&p, argv[i], &why))
			return;
	file_use(c, &p);
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

	env_init(&line, &g, &report);
	c.env = &line;
	err = options_parse(&g, words->n ? (int)words->n - 1 : 0, words->word, &rest, &why);
	if (rest.wants)
		offer_global(&c, rest.wants);
	else if (!err)
		offer_command(&c, rest.n, rest.word);
	report_release(&report);
	env_close(&line);
	return 0;
}

const struct command command_complete = {
	.name = "__complete",
	.summary = "candidates for a shell",
	.flags = CMD_TEXT | CMD_NOSOURCE,
	.run = run_complete,
};
