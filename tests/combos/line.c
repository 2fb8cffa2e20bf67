/* SPDX-License-Identifier: BSD-2-Clause */
#include "line.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "cli/complete.h"
#include "cli/options.h"
#include "cli/parse/arg.h"
#include "cli/parse/parse.h"
#include "cli/parse/parser.h"

#define OWN_WORDS 12 /* at most, after the command's name */

/* A line that grows. What completion needs of it is without the options that are complete. */
struct maker {
	struct supply *s;
	struct line *line;
	struct parser p;
	char *asked[LINE_WORDS + 1]; /* bpflens __complete ... */
	int nasked, nplain;	     /* words in @asked; those before a pending option */
	bool objects;		     /* object files, not archives, where a file is wanted */
};

static uint32_t below(struct supply *s, size_t n)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (uint32_t)((s->random >> 16) % n);
}

static bool one_in(struct supply *s, unsigned n)
{
	return !below(s, n);
}

#define PICK(s, array) ((array)[below(s, ARRAY_SIZE(array))])

static void put(struct line *l, const char *word)
{
	if (l->argc < LINE_WORDS)
		l->argv[l->argc++] = (char *)(uintptr_t)word;
	l->argv[l->argc] = NULL;
}

/* The damaged ones are small. */
static const char *an_archive(struct supply *s)
{
	size_t a = below(s, s->narchives), b = below(s, s->narchives);

	return s->archives[a > b ? a : b];
}

static const char *a_file(const struct maker *m)
{
	struct supply *s = m->s;

	return m->objects != one_in(s, 6) ? s->files[below(s, s->nfiles)] : an_archive(s);
}

static const char *a_number(struct supply *s)
{
	static const char *const small[] = { "1", "2" };
	static const char *const any[] = { "0", "1", "2", "3", "7", "50", "1000", "0x10", "4K", "4294967295" };

	return s->live ? PICK(s, small) : PICK(s, any);
}

static const char *a_text(struct supply *s)
{
	static const char *const texts[] = { "x",   "*",   "",	  "a b", "-1",	"'\"\\",     "lo",
					     "key", "0x0", "id",  "1,2", "=",	"\xff\x1b[", "18446744073709551616",
					     "a=b", "l_*", "any", "all", "raw", "-" };

	return PICK(s, texts);
}

/* One of the candidates for the next word; NULL: there are none. */
static const char *candidate(struct maker *m, const char *typed)
{
	const char *const *words;
	const char *word;
	size_t n = 0;

	m->asked[m->nasked] = (char *)(uintptr_t)typed;
	m->asked[m->nasked + 1] = NULL;
	words = m->s->complete(m->asked);
	while (words[n])
		n++;
	if (!n)
		return NULL;
	word = words[below(m->s, n)];
	return !strcmp(word, ":files") ? a_file(m) : arena_fmt(m->s->arena, "%s", word);
}

static const char *candidate_or_text(struct maker *m)
{
	const char *word = candidate(m, "");

	return word ? word : a_text(m->s);
}

static const char *a_filter(struct maker *m)
{
	static const char *const operators[] = { "==", "!=", "<", "<=", ">", ">=", "=~" };
	static const char *const values[] = {
		"0", "1", "10K", "xdp", "true", "'a b'", "\"\"", "-1", "1.5", "x*", "5m"
	};
	const char *name = candidate_or_text(m), *term;

	term = one_in(m->s, 5) ? name :
				 arena_fmt(m->s->arena, "%s %s %s", name, PICK(m->s, operators), PICK(m->s, values));
	if (one_in(m->s, 4))
		term = arena_fmt(m->s->arena, "!(%s)", term);
	if (one_in(m->s, 4))
		term = arena_fmt(m->s->arena, "%s %s %s", term, one_in(m->s, 2) ? "&&" : "||", candidate_or_text(m));
	return term;
}

static const char *some_columns(struct maker *m, bool sort)
{
	const char *list = candidate_or_text(m);

	for (unsigned n = sort ? 0 : below(m->s, 4); n--;)
		list = arena_fmt(m->s->arena, "%s,%s", list, candidate_or_text(m));
	return one_in(m->s, 3) ? arena_fmt(m->s->arena, "%c%s", sort ? '-' : '+', list) : list;
}

static const char *a_value(struct maker *m, const struct arg *a)
{
	const char *word;

	if (one_in(m->s, 15))
		return a_text(m->s);
	if (a->name && !strcmp(a->name, "--filter"))
		return a_filter(m);
	if (a->type == ARG_COLUMNS || (a->name && !strcmp(a->name, "--columns")))
		return some_columns(m, strcmp(a->name, "--columns") != 0);
	word = candidate(m, "");
	if (word)
		return word;
	if (a->type == ARG_U32 || a->type == ARG_U64 || m->p.by == SEL_ID)
		return a_number(m->s);
	if (a->type == ARG_PATH)
		return a_file(m);
	return one_in(m->s, 2) ? a_number(m->s) : a_text(m->s);
}

/* An option of the command, or with @keywords a keyword, that may come next; NULL: there is none. --watch would not
 * end. */
static const char *an_option(struct maker *m, bool keywords)
{
	const struct arg *may[64];
	size_t n = 0;

	for (size_t i = 0; i < m->p.c->nargs && n < ARRAY_SIZE(may); i++)
		if (m->p.c->args[i].name && arg_is_option(&m->p.c->args[i]) != keywords &&
		    parser_may(&m->p, &m->p.c->args[i]) && !(m->s->live && m->p.c->args[i].flags & ARG_OPTIONAL))
			may[n++] = &m->p.c->args[i];
	if (!n)
		return NULL;
	n = below(m->s, n);
	return may[n]->alias && one_in(m->s, 2) ? may[n]->alias : may[n]->name;
}

static const char *next_word(struct maker *m)
{
	const struct arg *a = parser_positional(&m->p);
	const char *word;

	if (m->p.pending)
		return a_value(m, m->p.pending);
	if (!a || !(a->flags & ARG_REQUIRED) || one_in(m->s, 6)) {
		word = an_option(m, one_in(m->s, 3));
		if (word)
			return word;
	}
	word = candidate(m, "");
	return word || !a ? word : a_value(m, a);
}

/* Returns false if nothing more can follow: the line is complete, or wrong. */
static bool more(struct maker *m)
{
	struct err e = { 0 };
	bool option = m->p.pending && arg_is_option(m->p.pending);
	const char *word;

	if (!m->p.pending && !parser_end(&m->p, &e) && one_in(m->s, 3))
		return false;
	word = next_word(m);
	/* On the running kernel, it would not end. */
	if (!word || (m->s->live && !strcmp(word, "--listen")))
		return false;
	put(m->line, word);
	if (parser_word(&m->p, word, &e) || (word[0] == '-' && !word[1]))
		return false;
	if (m->p.pending || (!option && word[0] != '-')) {
		m->asked[m->nasked++] = (char *)(uintptr_t)word;
		m->nplain = m->p.pending && arg_is_option(m->p.pending) ? m->nplain : m->nasked;
	} else
		m->nasked = m->nplain;
	return true;
}

/* Commands that change the system end at once if a machine is given. */
static bool is_wanted(struct supply *s, const struct group *g, const struct command *c)
{
	if (s->live)
		return !(c->flags & (CMD_WRITE | CMD_STREAM)) && c->flags & (CMD_READ | CMD_NOSOURCE);
	return !(c->flags & CMD_WRITE || c == &command_help) || one_in(s, 20);
}

static void choose_command(struct supply *s, struct line *ret)
{
	size_t n = 0;

	/* Each is taken with the same probability. */
	for (const struct group *g = groups; g->name; g++) {
		const struct command *c;

		for (size_t i = 0; !g->raw && (c = group_command(g, i)); i++)
			if (is_wanted(s, g, c) && one_in(s, (unsigned)++n)) {
				ret->group = g;
				ret->command = c;
			}
	}
}

static void choose_machine(struct supply *s, struct line *l)
{
	unsigned froms = one_in(s, l->command->flags & CMD_MANY ? 4 : 25) ? 2 + below(s, 2) : 1;
	const char *archive = "";

	if (s->live || (l->command->flags & CMD_NOSOURCE && one_in(s, 2)))
		return;
	for (unsigned i = 0; i < froms; i++) {
		archive = one_in(s, 100) ? "archives" : an_archive(s);
		put(l, "--from");
		put(l, archive);
	}
	if (one_in(s, strstr(archive, "recording") || strstr(archive, "sampled") ? 2 : 20)) {
		static const char *const times[] = { "0", "0.2", "1.5", "100", "-1", "2026-11-23T00:47:32Z", "x" };

		put(l, "--at");
		put(l, PICK(s, times));
	}
}

static void choose_format(struct supply *s, struct line *l)
{
	static const char *const formats[] = { "-j", "-p", "--ndjson" };
	static const char *const others[] = { "-f", "--wide", "--color=always", "-d", "-m", "--no-load", "--no-pager" };
	unsigned format = below(s, 6);

	l->bpftool = one_in(s, 25);
	put(l, l->bpftool ? "bpftool" : "bpflens");
	l->columns = 20 + below(s, 181);
	l->json = format < ARRAY_SIZE(formats);
	l->ndjson = format == 2;
	if (l->json)
		put(l, formats[format]);
	while (one_in(s, 4)) {
		const char *other = PICK(s, others);

		put(l, other);
		l->color |= !strncmp(other, "--color", strlen("--color"));
	}
}

void line_make(struct supply *s, struct line *ret)
{
	struct maker m = { .s = s, .line = ret, .p.arena = s->arena };

	*ret = (struct line){ 0 };
	choose_format(s, ret);
	choose_command(s, ret);
	choose_machine(s, ret);
	m.objects = one_in(s, 2);
	m.p.c = ret->command;
	m.p.kind = ret->group->kind;
	m.asked[m.nasked++] = (char *)(uintptr_t) "bpflens";
	m.asked[m.nasked++] = (char *)(uintptr_t) "__complete";
	for (int i = 1; i + 1 < ret->argc; i++)
		if (!strcmp(ret->argv[i], "--from") && m.nasked == 2) {
			m.asked[m.nasked++] = ret->argv[i];
			m.asked[m.nasked++] = ret->argv[i + 1];
		}
	put(ret, ret->group->name);
	m.asked[m.nasked++] = (char *)(uintptr_t)ret->group->name;
	if (ret->group->alone != ret->command) {
		put(ret, ret->command->name);
		m.asked[m.nasked++] = (char *)(uintptr_t)ret->command->name;
	}
	m.nplain = m.nasked;
	for (unsigned i = 0; i < OWN_WORDS && more(&m); i++)
		;
}
