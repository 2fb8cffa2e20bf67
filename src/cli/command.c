/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/command.h"

#include "cli/parse/arg.h"
#include "cli/parse/parse.h"
#include "cli/parse/usage.h"
#include "cli/fleet.h"
#include "cli/output.h"
#include "cli/abbrev.h"
#include "cli/records.h"
#include "cli/watch/watch.h"
#include "host/caps.h"
#include "source/file/archive.h"

#define WORDS_MAX 64

static const struct command *const common_verbs[] = { &command_show, &command_list, &command_help };

const struct command *group_verb(const struct group *g, size_t i)
{
	const struct command *const *own = g->kind ? g->kind->commands : g->commands;
	size_t n = 0;

	if (g->alone)
		return NULL;
	if (g->kind && i < ARRAY_SIZE(common_verbs))
		return common_verbs[i];
	if (g->kind)
		i -= ARRAY_SIZE(common_verbs);
	while (own && own[n])
		n++;
	if (i < n)
		return own[i];
	return !g->kind && i == n ? &command_help : NULL;
}

const struct command *group_command(const struct group *g, size_t i)
{
	if (!g->alone)
		return group_verb(g, i);
	return i == 0 ? g->alone : i == 1 ? g->listing : NULL;
}

static const struct group *find_group(const char *typed, struct err *e)
{
	struct word words[WORDS_MAX];
	size_t n;
	int i;

	for (n = 0; groups[n].name && n < WORDS_MAX; n++)
		words[n] = (struct word){ groups[n].name, groups[n].ours };
	i = abbrev_pick(words, n, typed, "object", e);
	return i < 0 ? NULL : &groups[i];
}

static const struct command *find_verb(const struct group *g, const char *typed, struct err *e)
{
	struct word words[WORDS_MAX];
	size_t n;
	int i;

	for (n = 0; n < WORDS_MAX && group_verb(g, n); n++)
		words[n] = (struct word){ group_verb(g, n)->name, group_verb(g, n)->flags & CMD_OURS };
	i = abbrev_pick(words, n, typed, "command", e);
	return i < 0 ? NULL : group_verb(g, (size_t)i);
}

static bool has_arg(const struct command *c, const char *name)
{
	for (size_t i = 0; i < c->nargs; i++)
		if (c->args[i].name && !strcmp(c->args[i].name, name))
			return true;
	return false;
}

/* For a file: the verb whose name is given as an option, or else the first verb. */
static const struct command *verb_second(const struct group *g, int argc, const char *const *argv)
{
	const struct command *c;

	for (int i = 0; i < argc; i++)
		for (size_t k = 0; (c = group_verb(g, k)); k++)
			if (str_starts(argv[i], "--") && !strcmp(argv[i] + 2, c->name) && has_arg(c, argv[i]))
				return c;
	return group_verb(g, 0);
}

const struct command *command_find(int argc, const char *const *argv, const struct group **ret_group, int *ret_used,
				   struct err *e)
{
	const struct group *g = argc ? find_group(argv[0], e) : &groups[0];
	const struct command *c;

	if (!g)
		return NULL;
	*ret_group = g;
	*ret_used = argc > 0;
	if (g->listing && argc > 1 && !strcmp(argv[1], g->listing->name)) {
		*ret_used = 2;
		return g->listing;
	}
	if (g->alone)
		return g->alone;
	/* Without a verb, it is the first one. Options may follow the object directly. */
	if (argc < 2 || argv[1][0] == '-')
		return group_verb(g, 0);
	if (g->files && strpbrk(argv[1], "./"))
		return verb_second(g, argc - 2, argv + 2);
	c = find_verb(g, argv[1], e);
	if (c)
		*ret_used = 2;
	return c;
}

static const struct arg *option_of(const struct command *c, const char *word)
{
	for (const struct arg *a = c->args; c->nargs && a < c->args + c->nargs; a++) {
		size_t n = a->name && a->name[0] == '-' ? strlen(a->name) : 0;

		if (n && (!strcmp(word, a->name) || (a->alias && !strcmp(word, a->alias)) ||
			  (!strncmp(word, a->name, n) && word[n] == '=')))
			return a;
	}
	return NULL;
}

/* An option of any command. Options with the same name either all take a value, or none does. */
static const struct arg *option_find(const char *word)
{
	const struct command *c;
	const struct arg *a;

	for (const struct group *g = groups; g->name; g++) {
		for (size_t i = 0; (c = group_command(g, i)); i++)
			if ((a = option_of(c, word)))
				return a;
	}
	return NULL;
}

int command_options(int argc, const char *const *argv, struct err *e)
{
	int i = 0;

	while (i < argc && argv[i][0] == '-') {
		const struct arg *a = option_find(argv[i]);

		if (!a)
			return parser_unknown_option(NULL, argv[i], e);
		i += a->type == ARG_FLAG || strchr(argv[i], '=') || !arg_takes(a, i + 1 < argc ? argv[i + 1] : "") ? 1 :
														     2;
	}
	return i < argc ? i : argc;
}

/* Words of other tools; the remedy. */
static const struct {
	const char *typed, *here;
} other_words[] = {
	{ "list", "`bpflens ls` lists what is attached" },
	{ "rm", "`bpflens detach`, `bpflens unpin` and `bpflens map delete` remove something" },
	{ "remove", "`bpflens detach`, `bpflens unpin` and `bpflens map delete` remove something" },
	{ "unload", "a program is unloaded when nothing holds it: `bpflens why PROG`" },
};

/* The commands of kinds, or else of other groups, with this verb: "`bpflens prog dump`, `bpflens map dump`". */
static void verbs_add(const char *verb, struct str *ret)
{
	const struct command *c;

	for (int kinds_only = 1; kinds_only >= 0 && !ret->n; kinds_only--)
		for (const struct group *g = groups; g->name; g++)
			for (size_t i = 0; !kinds_only == !g->kind && (c = group_verb(g, i)); i++)
				if (!strcmp(c->name, verb)) {
					str_fmt(ret, "%s`bpflens %s", ret->n ? ", " : "", g->name);
					str_fmt(ret, " %s`", verb);
				}
}

/* The first word is a verb, or a word of another tool. True: a hint is set. */
static bool hint_first_word(const char *typed, struct err *e)
{
	const char *here = NULL;
	STR list = { 0 };

	verbs_add(typed, &list);
	for (size_t i = 0; i < ARRAY_SIZE(other_words); i++)
		if (!strcmp(other_words[i].typed, typed))
			here = other_words[i].here;
	if (!list.n && !here)
		return false;
	err_clear(e);
	err_usage(e, "unknown object '%s'", typed);
	err_hint(e, "%s%s%s", here ? here : "", here && list.n ? "; " : "", list.n ? list.p : "");
	return true;
}

/* "pin PROG PATH": the first word is also a verb of others. */
static void hint_verb_first(const struct group *g, struct err *e)
{
	STR list = { 0 };

	verbs_add(g->name, &list);
	if (list.n)
		err_hint(e, "%s", list.p);
}

/* Move leading options after the command's name. */
static void options_move(const char **ret, int before, int used, int argc, const char *const *argv)
{
	int n = 0;

	for (int i = 0; i < used; i++)
		ret[n++] = argv[before + i];
	for (int i = 0; i < before; i++)
		ret[n++] = argv[i];
	while (n < argc) {
		ret[n] = argv[n];
		n++;
	}
}

static int refuse_write(const struct command *c, struct err *e)
{
	if (c->flags & CMD_STREAM && !(c->flags & CMD_DESTROY)) {
		err_usage(e, "'%s' needs the running kernel: it cannot be used with --from", c->name);
		return err_hint(e, "omit --from, and unset BPFLENS_FROM");
	}
	err_usage(e, "'%s' changes the system: it cannot be used with --from", c->name);
	return err_hint(e, "without --from and BPFLENS_FROM it changes the running system");
}

/* The line as it should be, if options were typed as words. */
static bool hint_spelling(const struct command *c, int argc, const char *const *argv, struct env *env, struct err *e)
{
	const char **line = arena_dup(env->keep, argv, (size_t)argc * sizeof(*argv));
	struct err ignored = { 0 };
	bool changed = false, typable = true;
	STR text = { 0 };

	if (env->group->alone != c)
		str_fmt(&text, " %s", c->name);
	for (int i = 0; i < argc; i++) {
		for (const struct arg *a = c->args; a < args_end(c); a++)
			if (arg_is_option(a) && !strcmp(a->name + 2, argv[i])) {
				line[i] = a->name;
				changed = true;
			}
		str_puts(&text, " ");
		typable &= str_shell(&text, line[i]);
	}
	if (!changed || !typable ||
	    command_parse(c, env->group->kind, env->opts->as_bpftool, argc, line, env->keep,
			  arena_alloc(env->keep, c->opts_size), &ignored))
		return false;
	e->hint[0] = '\0';
	err_hint(e, "`bpflens %s%s`", env->group->name, text.p);
	return true;
}

/* Show the usage of an invalid command line. Errors in a value are explained by the verb. */
static int hint_usage(const struct group *g, const struct command *c, struct env *env, struct err *e)
{
	if (e->status == EXIT_USAGE)
		err_hint(e, "usage: bpflens %s", command_usage(g, c, env->keep));
	return e->code;
}

static void hint_missing(const struct env *env, struct err *e)
{
	uint64_t answers;

	if (env->machine && source_archive_cut(env->machine->src, &answers))
		err_hint(e, "%.100s is truncated after %llu answer%s; this answer is missing", env->opts->from,
			 llu(answers), plural(answers));
	else
		err_hint(e, "%s does not have this answer", env->opts->from);
}

static int command_do(struct env *env, const struct command *c, const void *opts, struct err *e)
{
	const struct records_opts *records = (const void *)((const char *)opts + c->records);

	if (c->flags & CMD_WATCH && records->watch && !records->list_columns)
		return list_watch_run(env, c, opts, e);
	if (!(c->flags & (CMD_WRITE | CMD_STREAM)) && !env->opts->no_pager && !env->depth)
		out_pager(env->report->out);
	return c->run ? c->run(env, opts, e) : records_run(env, records, opts, c->collect, e);
}

static int command_run(struct env *env, const struct command *c, const void *opts, struct err *e)
{
	int err = c->flags & CMD_WATCH ? watch_check(env, c, opts, e) : 0;

	env->command = c;
	env->kind = env->group->kind;
	if (!err && !(c->flags & CMD_NOSOURCE))
		err = fleet_choose(env, e);
	if (!err && !(c->flags & CMD_NOSOURCE) && !fleet_is_used(env))
		err = env_open(env, e);
	if (!err)
		err = command_do(env, c, opts, e);
	if (err && !env->opts->from)
		caps_explain(e);
	if (err == -ENODATA && env->opts->from)
		hint_missing(env, e);
	return err;
}

static int help(struct env *env, const struct arg_list *words, struct err *e)
{
	env->group = &groups[0];
	return command_run(env, &command_help, words, e);
}

/* For bpftool, `show` and `list` are the same. */
static const struct command *show_of(const struct group *g, const struct command *list)
{
	const struct command *c;

	for (size_t i = 0; (c = group_verb(g, i)); i++)
		if (!strcmp(c->name, "show"))
			return c;
	return list;
}

static int dispatch(struct env *env, int argc, const char *const *argv, struct err *e)
{
	const char **line = arena_array(env->keep, (size_t)argc + 1, sizeof(*line));
	const struct command *c;
	void *opts;
	int used, err, before = command_options(argc, argv, e);

	if (before < 0)
		return before;
	if (env->opts->help || before == argc)
		return help(env, &(struct arg_list){ argv + before, (size_t)(argc - before) }, e);
	c = command_find(argc - before, argv + before, &env->group, &used, e);
	if (!c) {
		if (!env->group && hint_first_word(argv[before], e))
			return e->code;
		if (env->group)
			hint_verb_first(env->group, e);
		err_hint(e, "'bpflens%s%s help' lists the commands", env->group ? " " : "",
			 env->group ? env->group->name : "");
		return e->code;
	}
	options_move(line, before, used, argc, argv);
	argv = line;
	if (env->group->raw)
		return command_run(env, c, &(struct arg_list){ argv + used, (size_t)(argc - used) }, e);
	if (env->group->alone && env->group != &groups[0] && argc == 2 && !strcmp(argv[1], "help"))
		return help(env, &(struct arg_list){ argv, 1 }, e);
	if (env->opts->as_bpftool && !strcmp(c->name, "list"))
		c = show_of(env->group, c);
	opts = arena_alloc(env->keep, c->opts_size);
	err = command_parse(c, env->group->kind, env->opts->as_bpftool, argc - used, argv + used, env->keep, opts, e);
	if (err && !hint_spelling(c, argc - used, argv + used, env, e))
		hint_usage(env->group, c, env, e);
	if (err)
		return err;
	if (c->flags & CMD_WRITE && env->opts->from)
		return refuse_write(c, e);
	err = output_check(c, opts, env->opts, e);
	return err ? err : command_run(env, c, opts, e);
}

/* Commands in hints are written with our own name, after a quote or at the start of a usage. */
static void name_program(const struct env *env, char *hint)
{
	for (char *at = hint; (at = strstr(at, "bpflens ")); at += PROGRAM_NAME)
		if (at > hint && (strchr("`'", at[-1]) || str_starts(hint, "usage: ")))
			memcpy(at, env_program(env), PROGRAM_NAME);
}

int command_main(struct env *env, int argc, const char *const *argv, struct err *e)
{
	struct report_mark mark = report_mark(env->report);
	int err = dispatch(env, argc, argv, e);

	name_program(env, e->hint);
	if (!err && env->machine)
		report_add_refused(env->report, env->machine);
	report_finish(env->report, mark, e, env->command && env->command->flags & CMD_TEXT);
	return err;
}
