/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/doc/lists.h"

#include "base/paint.h"
#include "cli/command.h"
#include "cli/doc/mdoc.h"
#include "cli/options.h"
#include "kernel/hooks.h"
#include "kernel/names.h"
#include "source/questions.h"

static void put_hook(struct out *o, const struct hook *h)
{
	out_fmt(o, ".It Li %s\n%s: ", h->word, h->since);
	if (!h->progs[0])
		out_str(o, "any");
	for (size_t i = 0; i < HOOK_PROGS && h->progs[i]; i++)
		out_fmt(o, "%s%s", i ? ", " : "", names_of(&names_prog_type, h->progs[i]));
	out_char(o, '\n');
}

/* The hooks in lists of attachments. */
int doc_hooks(struct env *env, const struct group *g, struct err *e)
{
	out_str(env->report->out, ".Bl -tag -compact -width cgroup_inet6_getpeername\n");
	for (const struct hook *h = NULL; (h = hook_next(h, ~HOOK_BIT(HOOK_NONE)));)
		put_hook(env->report->out, h);
	out_str(env->report->out, ".El\n");
	return 0;
}

/* Its name in an archive, with placeholders for the parts. */
static const char *answer_name(const struct question_row *row, struct arena *a)
{
	STR text = { 0 };

	for (const char *p = row->pattern; *p; p++)
		switch (*p) {
		case '#':
			str_puts(&text, "ID");
			break;
		case '@':
		case '~':
			str_puts(&text, "N");
			break;
		case '*':
			str_puts(&text, "0xN");
			break;
		case '$':
			str_puts(&text, "TEXT");
			break;
		default:
			str_add(&text, p, 1);
		}
	return arena_str(a, text.p, text.n);
}

/* A description shared by several rows is printed once, because many questions exist for every kind of object. */
int doc_answers(struct env *env, const struct group *g, struct err *e)
{
	struct out *o = env->report->out;
	const char *help = "";

	out_str(o, ".Bl -tag -width Ds -compact\n");
	for (const struct question_row *row = questions; row < questions + QUESTIONS; row++) {
		if (row->saved == SAVED_NEVER && row != &questions[Q_META])
			continue;
		if (*help && strcmp(row->help, help))
			mdoc_text(o, help);
		out_str(o, ".It Pa");
		mdoc_args(o, answer_name(row, env->arena));
		if (row->saved == SAVED_DATA)
			out_str(o, " Pq with Fl \\&-map-data");
		out_char(o, '\n');
		help = row->help;
	}
	mdoc_text(o, help);
	out_str(o, ".El\n");
	return 0;
}

int doc_colors(struct env *env, const struct group *g, struct err *e)
{
	struct palette usual;

	if (palette_parse(&usual, NULL, NULL, NULL, e))
		return e->code;
	out_str(env->report->out, ".Bl -tag -compact -width heading=1\n");
	for (enum role r = ROLE_NONE + 1; r < ROLES; r++)
		out_fmt(env->report->out, ".It Li %s=%s\n%s\n", role_word(r), usual.sgr[r], role_help(r));
	out_str(env->report->out, ".El\n");
	return 0;
}

int doc_options(struct env *env, const struct group *g, struct err *e)
{
	const struct option *o;

	out_str(env->report->out, ".Bl -tag -width Ds\n");
	for (o = global_options; o->name; o++) {
		out_str(env->report->out, ".It ");
		if (o->letter)
			out_fmt(env->report->out, "Fl %c , ", o->letter);
		out_fmt(env->report->out, "Fl \\&-%s", o->name);
		if (o->metavar)
			out_fmt(env->report->out, " Ar %s", o->metavar);
		out_char(env->report->out, '\n');
		mdoc_text(env->report->out, o->help);
	}
	out_str(env->report->out, ".El\n");
	return 0;
}

/* The verbs of a group that are, or are not, words of bpftool's. @g NULL: of the single commands. */
static char *words(struct env *env, const struct group *g, bool ours)
{
	const struct command *c;
	char *s = arena_fmt(env->arena, "%s", "");

	for (const struct group *one = groups; !g && one->name; one++)
		if (one->alone && !one->raw && one->ours == ours)
			s = arena_fmt(env->arena, "%s%s%s", s, *s ? " " : "", one->name);
	for (size_t i = 0; g && (c = group_verb(g, i)); i++)
		if ((g->ours || c->flags & CMD_OURS) == ours && c != &command_help)
			s = arena_fmt(env->arena, "%s%s%s", s, *s ? " " : "", c->name);
	return s;
}

int doc_words_table(struct env *env)
{
	struct out *o = env->report->out;

	out_str(o, "| | bpftool's words | and these |\n|---|---|---|\n");
	out_fmt(o, "| | %s | %s |\n", words(env, NULL, false), words(env, NULL, true));
	for (const struct group *g = groups; g->name; g++)
		if (!g->alone && !g->raw)
			out_fmt(o, "| `%s` | %s | %s |\n", g->name, words(env, g, false), words(env, g, true));
	return 0;
}

static void put_words(struct env *env, const char *name, const struct group *g)
{
	struct out *o = env->report->out;
	const char *bpftool = words(env, g, false), *ours = words(env, g, true);

	out_str(o, ".It");
	mdoc_args(o, name);
	out_char(o, '\n');
	if (*bpftool) {
		out_str(o, ".Cm");
		mdoc_args(o, bpftool);
		out_str(o, *ours ? " ;\n" : "\n");
	}
	if (*ours) {
		out_str(o, "not bpftool's:\n.Cm");
		mdoc_args(o, ours);
		out_char(o, '\n');
	}
}

int doc_words(struct env *env, const struct group *g, struct err *e)
{
	out_str(env->report->out, ".Bl -tag -width struct_ops\n");
	put_words(env, "alone", NULL);
	for (g = groups; g->name; g++)
		if (!g->alone && !g->raw)
			put_words(env, g->name, g);
	out_str(env->report->out, ".El\n");
	return 0;
}
