/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/doc/doc.h"

#include "cli/columns.h"
#include "cli/command.h"
#include "cli/doc/lists.h"
#include "cli/doc/mdoc.h"
#include "cli/parse/arg.h"
#include "cli/parse/usage.h"
#include "record/column.h"
#include "record/field.h"

#define TEMPLATE_MAX (1u << 20)
#define EXAMPLE_WIDTH 49 /* of a display on a page of 60 columns */

static void put_optional(struct env *env, const struct group *g, const struct arg *a, bool optional)
{
	struct out *o = env->report->out;
	bool repeat = a->flags & ARG_REPEAT;

	out_str(o, !optional ? "." : repeat ? ".Oo\n." : ".Op ");
	mdoc_arg(o, a, g->kind, env->arena);
	out_str(o, !repeat ? "\n" : optional ? "\n.Oc Ns ...\n" : " Ns ...\n");
}

static void put_synopsis(struct env *env, const struct group *g, const struct command *c)
{
	bool in_choice = false;
	size_t i;

	out_str(env->report->out, ".Nm bpflens\n.Cm");
	if (g->alone != c)
		mdoc_args(env->report->out, g->name);
	mdoc_args(env->report->out, c->name);
	out_char(env->report->out, '\n');
	for (i = 0; i < c->nargs; i++) {
		bool choice = c->args[i].flags & ARG_CHOICE;

		if (choice && !in_choice)
			out_str(env->report->out, ".Bro\n");
		if (choice && in_choice)
			out_str(env->report->out, ".No \\&|\n");
		if (in_choice && !(c->args[i].flags & (ARG_CHOICE | ARG_FOLLOWS)))
			out_str(env->report->out, ".Brc\n");
		in_choice = c->args[i].flags & ARG_CHOICE || (in_choice && c->args[i].flags & ARG_FOLLOWS);
		put_optional(env, g, &c->args[i],
			     !choice && !(c->args[i].flags & ARG_REQUIRED) && !arg_is_grammar(&c->args[i]));
	}
	if (in_choice)
		out_str(env->report->out, ".Brc\n");
}

static void put_command(struct env *env, const struct group *g, const struct command *c)
{
	struct out *o = env->report->out;
	size_t i;

	out_str(o, ".Ss");
	if (g->alone != c)
		mdoc_args(o, g->name);
	mdoc_args(o, c->name);
	out_char(o, '\n');
	mdoc_text(o, c->summary);
	if (c->help) {
		out_str(o, ".Pp\n");
		mdoc_text(o, c->help);
	}
	if (!c->nargs)
		return;
	out_str(o, ".Bl -tag -width Ds\n");
	for (i = 0; i < c->nargs; i++) {
		out_str(o, ".It ");
		mdoc_arg(o, &c->args[i], g->kind, env->arena);
		out_char(o, '\n');
		mdoc_text(o, arg_help(&c->args[i], g->kind, env->arena));
	}
	out_str(o, ".El\n");
}

typedef void each_command(struct env *env, const struct group *g, const struct command *c);

static void for_commands(struct env *env, const struct group *g, each_command *fn)
{
	size_t i;

	for (i = 0; group_command(g, i); i++)
		fn(env, g, group_command(g, i));
}

/* Call @fn for each command of the group; without a group, of all groups without their own page. */
static void for_marker(struct env *env, const struct group *g, each_command *fn)
{
	if (g) {
		for_commands(env, g, fn);
		return;
	}
	for (g = groups; g->name; g++)
		if (!g->topic && !g->raw)
			for_commands(env, g, fn);
}

static int marker_synopsis(struct env *env, const struct group *g, struct err *e)
{
	for_marker(env, g, put_synopsis);
	return 0;
}

static int marker_commands(struct env *env, const struct group *g, struct err *e)
{
	for_marker(env, g, put_command);
	return 0;
}

static void put_fields(struct env *env, const struct schema *s)
{
	struct out *o = env->report->out;
	struct columns c = { .s = s };
	const struct field *f;
	const char *unit;

	out_str(o, ".Bl -tag -width Ds\n");
	while ((f = columns_next(&c))) {
		unit = column_unit(f);
		out_str(o, ".It Li");
		mdoc_args(o, f->name);
		out_str(o, " Pq");
		mdoc_args(o, column_type(f, env->arena));
		if (*unit) {
			out_str(o, " ,");
			mdoc_args(o, unit);
		}
		out_char(o, '\n');
		mdoc_text(o, f->help);
		if (f->was) {
			out_str(o, "(deprecated name:\n.Li");
			mdoc_args(o, f->was);
			out_str(o, " )\n");
		}
	}
	out_str(o, ".El\n");
}

/* The first command of the group with this schema. */
static const struct command *first_with(const struct group *g, const struct schema *s)
{
	const struct command *c;

	for (size_t i = 0; (c = group_verb(g, i)); i++)
		if (c->schema == s && !c->parts)
			return c;
	return NULL;
}

/* " Fields of prog dump": without the group's name if it is only this command. */
static void put_fields_heading(struct env *env, const char *of, const struct group *g, const struct command *c)
{
	struct out *o = env->report->out;

	out_str(o, ".Ss");
	mdoc_args(o, of);
	if (g->alone != c)
		mdoc_args(o, g->name);
	mdoc_args(o, c->name);
	out_char(o, '\n');
}

/* The fields of the records that a command makes itself. */
static void put_command_fields(struct env *env, const struct group *g, const struct command *c)
{
	const struct command *first = g->alone ? NULL : first_with(g, c->schema);

	if (!c->schema)
		return;
	if (g->alone != c)
		put_fields_heading(env, "Fields of", g, c);
	if (!c->parts && first && first != c) {
		mdoc_text(env->report->out, arena_fmt(env->arena, "Those of %s %s.", g->name, first->name));
		return;
	}
	put_fields(env, c->schema);
	for (const struct schema *const *part = c->parts; part && *part; part++) {
		put_fields_heading(env, arena_fmt(env->arena, "Of each %s of", (*part)->name), g, c);
		put_fields(env, *part);
	}
}

static int marker_fields(struct env *env, const struct group *g, struct err *e)
{
	const struct schema *s = g && g->kind ? g->kind->schema : g ? g->schema : NULL;
	const struct schema *const *part = g && g->kind ? g->kind->parts : NULL;

	if (!s && !(g && g->alone && g->alone->schema))
		return err_set(e, -EINVAL, "@FIELDS@ needs an object that has fields");
	if (!g->alone)
		put_fields(env, s);
	for (; part && *part; part++) {
		if (!(*part)->n)
			continue;
		out_str(env->report->out, ".Ss");
		mdoc_args(env->report->out, g->name);
		out_str(env->report->out, " of type");
		mdoc_args(env->report->out, (*part)->name);
		out_char(env->report->out, '\n');
		put_fields(env, *part);
	}
	for_commands(env, g, put_command_fields);
	return 0;
}

/* What objects of each type can do, or what a command prints that is no record. */
static int marker_rows(struct env *env, const struct group *g, struct err *e)
{
	bool (*rows)(unsigned row, struct arena *a, const char **ret_name, const char **ret_help) =
		g && g->kind  ? g->kind->types :
		g && g->alone ? g->alone->rows :
				NULL;
	const char *name, *help;

	if (!rows)
		return err_set(e, -EINVAL, "@ROWS@ needs an object whose types differ, or a command with rows");
	out_str(env->report->out, ".Bl -tag -width Ds\n");
	for (unsigned i = 0; rows(i, env->arena, &name, &help); i++) {
		out_fmt(env->report->out, ".It Li %s\n", name);
		mdoc_text(env->report->out, help);
	}
	out_str(env->report->out, ".El\n");
	return 0;
}

static void put_example(struct env *env, const struct group *g, const struct command *c)
{
	if (c->example)
		out_fmt(env->report->out, "bpflens %s\n", command_example(g, c, env->arena));
}

static void put_wrapped_example(struct env *env, const struct group *g, const struct command *c)
{
	if (!c->example)
		return;
	mdoc_escaped(env->report->out,
		     shell_lines(arena_fmt(env->arena, "bpflens %s", command_example(g, c, env->arena)), 0, 4,
				 EXAMPLE_WIDTH, env->arena));
	out_char(env->report->out, '\n');
}

static int marker_examples(struct env *env, const struct group *g, struct err *e)
{
	out_str(env->report->out, ".Bd -literal -offset indent\n");
	for_marker(env, g, put_wrapped_example);
	out_str(env->report->out, ".Ed\n");
	return 0;
}

/* The page whose name follows @after in the alphabet; NULL: none. */
static const struct group *next_page(const char *after)
{
	const struct group *g, *found = NULL;

	for (g = groups; g->name; g++)
		if (g->topic && strcmp(g->name, after) > 0 && (!found || strcmp(g->name, found->name) < 0))
			found = g;
	return found;
}

static int marker_seealso(struct env *env, const struct group *g, struct err *e)
{
	const struct group *page;

	out_str(env->report->out, ".Xr bpf 2 ,\n");
	if (g)
		out_str(env->report->out, ".Xr bpflens 8 ,\n");
	for (page = next_page(""); page; page = next_page(page->name))
		if (page != g)
			out_fmt(env->report->out, ".Xr bpflens-%s 8 ,\n", page->name);
	out_str(env->report->out, ".Xr bpftool 8\n");
	return 0;
}

static int marker_title(struct env *env, const struct group *g, struct err *e)
{
	struct out *o = env->report->out;

	out_str(o, ".ds doc-volume-operating-system Linux\n.Dt BPFLENS");
	for (const char *c = g ? g->name : ""; *c; c++)
		out_fmt(o, "%s%c", c == g->name ? "-" : "", toupper((unsigned char)*c));
	out_str(o, " 8\n.Os bpflens " BPFLENS_VERSION "\n");
	return 0;
}

static int marker_groups(struct env *env, const struct group *g, struct err *e)
{
	out_str(env->report->out, ".Bl -tag -width version\n");
	for (g = groups; g->name; g++) {
		if (g->raw)
			continue;
		out_str(env->report->out, ".It Cm");
		mdoc_args(env->report->out, g->name);
		out_char(env->report->out, '\n');
		mdoc_text(env->report->out, g->help);
		if (g->topic)
			out_fmt(env->report->out, ".Pq see Xr bpflens-%s 8\n", g->name);
	}
	out_str(env->report->out, ".El\n");
	return 0;
}

static const struct marker {
	const char *name;
	int (*put)(struct env *env, const struct group *g, struct err *e);
} markers[] = {
	{ "SYNOPSIS", marker_synopsis }, { "COMMANDS", marker_commands }, { "FIELDS", marker_fields },
	{ "EXAMPLES", marker_examples }, { "SEEALSO", marker_seealso },	  { "GROUPS", marker_groups },
	{ "OPTIONS", doc_options },	 { "COLORS", doc_colors },	  { "ROWS", marker_rows },
	{ "HOOKS", doc_hooks },		 { "ANSWERS", doc_answers },	  { "WORDS", doc_words },
	{ "TITLE", marker_title },
};

static const struct group *group_named(const char *name)
{
	const struct group *g;

	for (g = groups; g->name; g++)
		if (!strcmp(g->name, name))
			return g;
	return NULL;
}

/* @line without its newline: "@NAME@" or "@NAME GROUP@". */
static int put_marker(struct env *env, char *line, struct err *e)
{
	char *name = line + 1, *group;
	const struct group *g = NULL;
	ARENA_SCOPE(env->arena);

	name[strlen(name) - 1] = '\0';
	group = strchr(name, ' ');
	if (group) {
		*group++ = '\0';
		g = group_named(group);
		if (!g)
			return err_set(e, -EINVAL, "marker %s: no object '%s'", name, group);
	}
	for (size_t i = 0; i < ARRAY_SIZE(markers); i++)
		if (!strcmp(markers[i].name, name))
			return markers[i].put(env, g, e);
	return err_set(e, -EINVAL, "unknown marker '%s'", name);
}

static int fill(struct env *env, char *text, struct err *e)
{
	size_t number = 0, n;
	char *line, *next;

	for (line = text; *line; line = next) {
		n = strcspn(line, "\n");
		next = line + n + (line[n] == '\n');
		line[n] = '\0';
		number++;
		if (n > 2 && line[0] == '@' && line[n - 1] == '@') {
			if (put_marker(env, line, e))
				return err_in(e, "line %zu", number);
		} else {
			out_str(env->report->out, line);
			out_char(env->report->out, '\n');
		}
	}
	return 0;
}

static int doc_man(struct env *env, const char *path, struct err *e)
{
	STR text = { 0 };
	int err = str_read_file(&text, path, TEMPLATE_MAX);

	if (err)
		return err_sys(e, err, "cannot read %s", path);
	if (text.p && fill(env, text.p, e))
		return err_in(e, "%s", path);
	return 0;
}

static int run_doc(struct env *env, const void *opts, struct err *e)
{
	const struct arg_list *words = opts;
	const struct group *g;

	if (words->n == 2 && !strcmp(words->word[0], "man"))
		return doc_man(env, words->word[1], e);
	if (words->n != 1 || (strcmp(words->word[0], "examples") && strcmp(words->word[0], "words")))
		return err_usage(e, "expected 'man FILE.in', 'examples' or 'words'");
	if (!strcmp(words->word[0], "words"))
		return doc_words_table(env);
	for (g = groups; g->name; g++)
		if (!g->raw)
			for_commands(env, g, put_example);
	return 0;
}

const struct command command_doc = {
	.name = "__doc",
	.summary = "the manual, from the tables",
	.flags = CMD_TEXT | CMD_NOSOURCE,
	.run = run_doc,
};
