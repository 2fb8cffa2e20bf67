/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <string.h>

#include "base/base.h"
#include "cli/command.h"
#include "cli/parse/arg.h"
#include "cli/parse/parse.h"
#include "cli/parse/parser.h"
#include "record/field.h"

/* What comes of words that follow the operands. */
struct outcome {
	int end, words;
	uint32_t seen;
	const struct arg *pending;
	char opts[4096];
};

/* Operands and alternatives that come before @arg; words with a grammar of their own come last. */
static uint32_t seen_before(const struct parser *p, const struct arg *arg)
{
	bool chosen = arg->flags & ARG_CHOICE;
	uint32_t seen = 0;

	for (const struct arg *a = p->c->args; a < args_end(p->c); a++) {
		if (a->flags & ARG_CHOICE ? !chosen : arg_is_positional(a) && !arg_is_grammar(a))
			seen |= arg_bit(p, a);
		chosen |= a->flags & ARG_CHOICE;
	}
	return seen;
}

static void feed(struct outcome *ret, const struct group *g, const struct command *c, const struct arg *arg,
		 struct arena *a, const char *const *line)
{
	struct parser p = { .c = c, .kind = g->kind, .arena = a, .opts = ret->opts };
	struct err e = { 0 };

	memset(ret, 0, sizeof(*ret));
	assert_true(c->opts_size <= sizeof(ret->opts));
	p.seen = seen_before(&p, arg);
	for (; *line && !ret->end; line++, ret->words++)
		ret->end = parser_word(&p, *line, &e);
	ret->seen = p.seen;
	ret->pending = p.pending;
}

static const char *value_of(const struct arg *arg)
{
	for (unsigned i = 0; arg->type == ARG_WORD && i < arg->words->n; i++)
		if (arg->words->word[i])
			return arg->words->word[i];
	return arg->type == ARG_FLAG ? NULL : "1";
}

static bool is_list(const struct arg *arg)
{
	return arg->flags & ARG_REPEAT || arg->type == ARG_REUSE;
}

static bool is_number(const struct arg *arg)
{
	return !is_list(arg) && (arg->type == ARG_U32 || arg->type == ARG_U64 || arg->type == ARG_WORD);
}

/* linum and --linum, interval 1, --interval 1 and --interval=1. Lists, and text after "=", have another address each
 * time. */
static void spellings(const struct group *g, const struct command *c, const struct arg *arg, struct arena *a)
{
	static struct outcome word, option, joined;
	const char *value = value_of(arg), *dashed = arena_fmt(a, "--%s", arg->name);

	feed(&word, g, c, arg, a, (const char *const[]){ arg->name, value, NULL });
	feed(&option, g, c, arg, a, (const char *const[]){ dashed, value, NULL });
	if (word.end != option.end || word.seen != option.seen || word.pending != option.pending ||
	    (!is_list(arg) && memcmp(word.opts, option.opts, c->opts_size)))
		fail_msg("%s %s: '%s' is not '%s'", g->name, c->name, dashed, arg->name);
	if (!value || word.end)
		return;
	feed(&joined, g, c, arg, a, (const char *const[]){ arena_fmt(a, "%s=%s", dashed, value), NULL });
	if (joined.end || joined.seen != option.seen ||
	    (is_number(arg) && memcmp(joined.opts, option.opts, c->opts_size)))
		fail_msg("%s %s: '%s=%s' is not '%s %s'", g->name, c->name, dashed, value, arg->name, value);
}

static unsigned command_spellings(const struct group *g, const struct command *c)
{
	ARENA a = arena_new();
	unsigned n = 0;

	for (const struct arg *arg = c->args; arg < args_end(c); arg++) {
		if (arg_is_option(arg) || arg_is_positional(arg))
			continue;
		spellings(g, c, arg, a);
		n++;
	}
	return n;
}

static void test_keywords(void **state)
{
	const struct command *c;
	unsigned n = 0;

	(void)state;
	for (const struct group *g = groups; g->name; g++) {
		for (size_t i = 0; (c = group_command(g, i)); i++)
			n += command_spellings(g, c);
	}
	assert_true(n > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_keywords) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
