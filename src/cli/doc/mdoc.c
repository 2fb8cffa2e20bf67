/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/doc/mdoc.h"

#include "cli/parse/arg.h"
#include "cli/parse/usage.h"

static void put_char(struct out *o, char c)
{
	if (c == '\\')
		out_str(o, "\\e");
	else
		out_char(o, c);
}

void mdoc_escaped(struct out *o, const char *text)
{
	for (; *text; text++)
		put_char(o, *text);
}

void mdoc_text(struct out *o, const char *text)
{
	bool start = true;

	for (; *text; text++) {
		if (start && (*text == '.' || *text == '\''))
			out_str(o, "\\&");
		start = text[0] == '.' && text[1] == ' ';
		put_char(o, *text);
		if (start) {
			out_char(o, '\n');
			text++;
		}
	}
	out_char(o, '\n');
}

/* Escape words that look like macros (two or three letters) or delimiters (one character), because our tables have
 * none. */
static void mdoc_word_put(struct out *o, const char *word, size_t n)
{
	size_t i;

	out_str(o, n <= 3 || !isalnum((unsigned char)word[0]) ? " \\&" : " ");
	for (i = 0; i < n; i++) {
		if (word[i] == '"')
			out_str(o, "\\(dq");
		else
			put_char(o, word[i]);
		/* A line may end between alternatives. */
		if (word[i] == '|' && i + 1 < n)
			out_str(o, "\\:");
	}
}

void mdoc_args(struct out *o, const char *words)
{
	size_t n;

	for (; *words; words += n) {
		words += strspn(words, " ");
		n = strcspn(words, " ");
		if (n)
			mdoc_word_put(o, words, n);
	}
}

/* "--long" and "-l" */
static void put_flag(struct out *o, const char *flag)
{
	out_str(o, "Fl");
	if (flag[1] == '-')
		mdoc_args(o, flag + 1);
	else
		out_fmt(o, " %s", flag + 1);
}

void mdoc_arg(struct out *o, const struct arg *a, const struct kind *k, struct arena *arena)
{
	const char *metavar = arg_metavar(a, k, arena);

	if (arg_is_positional(a)) {
		out_str(o, a->flags & ARG_LITERAL ? "Fl - Ar" : "Ar");
		mdoc_args(o, metavar);
		if (a->type == ARG_REST && !arg_is_grammar(a))
			out_str(o, " ...");
		return;
	}
	if (a->alias) {
		put_flag(o, a->alias);
		out_str(o, " | ");
	}
	if (arg_is_option(a)) {
		put_flag(o, a->name);
	} else {
		out_str(o, "Cm");
		mdoc_args(o, a->name);
	}
	if (a->type != ARG_FLAG) {
		out_str(o, a->flags & ARG_OPTIONAL ? " Oo Ar" : " Ar");
		mdoc_args(o, metavar);
		out_str(o, a->flags & ARG_OPTIONAL ? " Oc" : "");
	}
}
