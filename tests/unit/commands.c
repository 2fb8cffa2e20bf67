/* SPDX-License-Identifier: BSD-2-Clause */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "cli/command.h"
#include "cli/parse/parse.h"
#include "cli/parse/usage.h"

static bool has_row(const struct command *c, const char *name, size_t n)
{
	for (size_t i = 0; i < c->nargs; i++)
		if (c->args[i].name && strlen(c->args[i].name) == n && !strncmp(c->args[i].name, name, n))
			return true;
	return false;
}

static void each_command(void (*fn)(const struct group *g, const struct command *c))
{
	const struct command *c;

	for (const struct group *g = groups; g->name; g++) {
		for (size_t i = 0; (c = group_command(g, i)); i++)
			fn(g, c);
	}
}

static void rejects_rows(const struct group *g, const struct command *c)
{
	for (size_t i = 0; i < c->nargs; i++)
		for (const char *p = c->args[i].rejects; p && *p; p += strcspn(p, " "), p += strspn(p, " "))
			if (!has_row(c, p, strcspn(p, " ")))
				fail_msg("%s %s: %s rejects '%s', which it does not have", g->name, c->name,
					 c->args[i].name, p);
}

/* An argument rejects others by their names. */
static void test_rejects(void **state)
{
	(void)state;
	each_command(rejects_rows);
}

static void usage_fits(const struct group *g, const struct command *c)
{
	ARENA a = arena_new();
	struct err e = { 0 };

	err_usage(&e, "x");
	err_hint(&e, "usage: bpflens %s", command_usage(g, c, a));
	assert_string_equal(e.hint + strlen("usage: bpflens "), command_usage(g, c, a));
}

/* The answer to a wrong command line is complete. */
static void test_usage(void **state)
{
	(void)state;
	each_command(usage_fits);
}

/* The option without its third letter from the end: "--dry-un". */
static char *misspelt(struct arena *a, const char *option)
{
	char *ret = arena_str(a, option, SIZE_MAX), *at = ret + strlen(ret) - 3;

	memmove(at, at + 1, strlen(at));
	return ret;
}

static void misspelling_hinted(const struct group *g, const struct command *c, const char *option)
{
	ARENA a = arena_new();
	const char *typed = misspelt(a, option);
	struct parser p = { .c = c, .kind = g->kind, .arena = a };
	struct err e = { 0 };

	if (parser_word(&p, typed, &e) != -EINVAL || !str_starts(e.msg, "unknown option '--") ||
	    !strstr(e.hint, option))
		fail_msg("%s %s: '%s' does not lead to %s: %s (%s)", g->name, c->name, typed, option, e.msg, e.hint);
}

static void options_misspelt(const struct group *g, const struct command *c)
{
	for (size_t i = 0; i < c->nargs && !g->raw; i++)
		if (c->args[i].name && str_starts(c->args[i].name, "--") && strlen(c->args[i].name) > 4)
			misspelling_hinted(g, c, c->args[i].name);
	if (g->listing && c == g->alone)
		misspelling_hinted(g, c, g->listing->name);
}

/* A misspelt option of any command leads to the right one, unless it has two letters. */
static void test_misspelt(void **state)
{
	(void)state;
	each_command(options_misspelt);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rejects),
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_misspelt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
