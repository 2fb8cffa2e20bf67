/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/parse/arg.h"
#include "cli/parse/usage.h"
#include "record/field.h"

static char *capitals(const struct kind *k, struct arena *a)
{
	char *s = arena_fmt(a, "%s", k ? k->name : "object");
	size_t i;

	for (i = 0; s[i]; i++)
		s[i] = (char)toupper((unsigned char)s[i]);
	return s;
}

static char *choices(const struct names *n, bool braces, struct arena *a)
{
	STR s = { 0 };
	unsigned i;

	for (i = 0; i < n->n; i++)
		if (n->word[i])
			str_fmt(&s, "%s%s", s.n ? "|" : "", n->word[i]);
	return strchr(s.p, '|') && braces ? arena_fmt(a, "{%s}", s.p) : arena_fmt(a, "%s", s.p);
}

char *arg_metavar(const struct arg *arg, const struct kind *kind, struct arena *a)
{
	if (arg->metavar)
		return arena_fmt(a, "%s", arg->metavar);
	if (arg->name && arg_is_positional(arg) && arg->type != ARG_WORD)
		return arena_fmt(a, "%s", arg->name);
	switch (arg->type) {
	case ARG_WORD:
		return choices(arg->words, !(arg->flags & ARG_FOLLOWS), a);
	case ARG_OBJECT:
		return capitals(arg_kind(arg, kind), a);
	case ARG_TYPES:
		return arena_fmt(a, "SOURCE");
	case ARG_REUSE:
		return arena_fmt(a, "{idx N|name NAME} %s", capitals(arg_kind(arg, kind), a));
	case ARG_U32:
	case ARG_U64:
		return arena_fmt(a, "N");
	case ARG_PATH:
		return arena_fmt(a, "PATH");
	case ARG_COLUMNS:
		return arena_fmt(a, "COL");
	default:
		return arena_fmt(a, "TEXT");
	}
}

const char *arg_help(const struct arg *arg, const struct kind *kind, struct arena *a)
{
	const struct kind *k = arg->type == ARG_OBJECT ? arg_kind(arg, kind) : NULL;
	unsigned i, left = k ? (unsigned)__builtin_popcount(k->selectors) : 0;
	char *s = arena_fmt(a, "%s:", arg->help);

	if (arg->type == ARG_TYPES)
		return arena_fmt(a, "%s: [id] N, [name] NAME, prog PROG, map MAP or [file] PATH", arg->help);
	if (!left)
		return arg->help;
	for (i = 0; selector_at(i); i++)
		if (k->selectors & selector_at(i))
			s = arena_fmt(a, "%s %s%s", s, selector_usage(selector_at(i), a),
				      --left > 1 ? "," :
				      left	 ? " or" :
						   "");
	return s;
}

char *arg_usage(const struct arg *arg, const struct kind *kind, struct arena *a)
{
	char *s = arg_is_positional(arg) ? arg_metavar(arg, kind, a) :
		  arg->alias		 ? arena_fmt(a, "%s | %s", arg->alias, arg->name) :
					   arena_fmt(a, "%s", arg->name);

	if (!arg_is_positional(arg) && arg->type != ARG_FLAG)
		s = arena_fmt(a, arg->flags & ARG_OPTIONAL ? "%s [%s]" : "%s %s", s, arg_metavar(arg, kind, a));
	if (arg_is_grammar(arg))
		return s;
	if (arg->type == ARG_REST)
		s = arena_fmt(a, "%s%s ...", arg->flags & ARG_LITERAL ? "-- " : "", s);
	if (!(arg->flags & (ARG_REQUIRED | ARG_CHOICE)))
		s = arena_fmt(a, "[%s]", s);
	return arg->flags & ARG_REPEAT ? arena_fmt(a, "%s...", s) : s;
}

/* Is @arg the first of its alternatives? */
static bool first_choice(const struct command *c, const struct arg *arg)
{
	while (arg > c->args && arg[-1].flags & ARG_FOLLOWS)
		arg--;
	return arg == c->args || !(arg[-1].flags & ARG_CHOICE);
}

/* Each alternative is a part, with its punctuation: "{BTF |", "prog PROG |", "file PATH...}". */
char *command_usage_part(const struct group *g, const struct command *c, size_t *i, struct arena *a)
{
	const struct arg *arg, *end = c->args + c->nargs, *next;
	char *s;

	if (*i >= c->nargs)
		return NULL;
	arg = &c->args[*i];
	s = arg_usage(arg, g->kind, a);
	++*i;
	if (!(arg->flags & ARG_CHOICE))
		return s;
	for (next = arg + 1; next < end && next->flags & ARG_FOLLOWS; next++, ++*i)
		s = arena_fmt(a, "%s %s", s, arg_usage(next, g->kind, a));
	return arena_fmt(a, "%s%s%s", first_choice(c, arg) ? "{" : "", s,
			 next < end && next->flags & ARG_CHOICE ? " |" : "}");
}

char *command_usage(const struct group *g, const struct command *c, struct arena *a)
{
	char *s = g->alone == c ? arena_fmt(a, "%s", c->name) : arena_fmt(a, "%s %s", g->name, c->name);
	const char *part;
	size_t i = 0;

	while ((part = command_usage_part(g, c, &i, a)))
		s = arena_fmt(a, "%s %s", s, part);
	return s;
}

char *command_example(const struct group *g, const struct command *c, struct arena *a)
{
	if (c->example && str_starts(c->example, "KIND"))
		return arena_fmt(a, "%s%s", g->name, c->example + strlen("KIND"));
	return c->example ? arena_fmt(a, "%s", c->example) : NULL;
}

/* Length of a shell word, including quoted parts. */
static size_t shell_word(const char *text)
{
	bool quoted = false;
	size_t n;

	for (n = 0; text[n] && (quoted || text[n] != ' '); n++)
		quoted ^= text[n] == '\'';
	return n;
}

const char *shell_lines(const char *line, size_t at, size_t indent, size_t width, struct arena *a)
{
	STR s = { 0 };

	for (size_t n; *line; line += n + (line[n] == ' ')) {
		n = shell_word(line);
		if (s.n && at + 1 + n + (line[n] ? strlen(" \\") : 0) > width) {
			str_fmt(&s, " \\\n%*s", (int)indent, "");
			at = indent;
		} else if (s.n) {
			str_puts(&s, " ");
			at++;
		}
		str_add(&s, line, n);
		at += n;
	}
	return arena_str(a, s.p, s.n);
}
