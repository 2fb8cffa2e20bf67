/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/complete.h"

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.[]", c));
}

const char *complete_name(const char *typed)
{
	const char *p = typed + strlen(typed);

	while (p > typed && is_name(p[-1]))
		p--;
	return p;
}

/* Bytes before the name at the end of an expression; SIZE_MAX: a value or an operator is expected there. */
static size_t before_name(const char *typed)
{
	size_t name = (size_t)(complete_name(typed) - typed), n;

	for (n = name; n && typed[n - 1] == ' '; n--)
		;
	return !n || strchr("(!&|", typed[n - 1]) ? name : SIZE_MAX;
}

/* Offer several comparisons even for one name, so that the shell does not end the word. */
static void offer_compared(struct env *env, const char *head, const struct term *t, arg_offer *offer, void *ctx)
{
	static const char *const numbers[] = { "==", "!=", "<", ">", "<=", ">=" }, *const texts[] = { "==", "!=",
												      "=~" };
	const char *const *op = t->is == TERM_TEXT ? texts : numbers;
	size_t n = t->is == TERM_TEXT ? ARRAY_SIZE(texts) : ARRAY_SIZE(numbers);

	if (t->is == TERM_FLAG) {
		offer(ctx, arena_fmt(env->keep, "%s%s", head, t->name), t->help);
		return;
	}
	for (size_t i = 0; i < n; i++)
		offer(ctx, arena_fmt(env->keep, "%s%s %s", head, t->name, op[i]), t->help);
}

void complete_terms(struct env *env, const char *typed, const struct term *terms, size_t n, arg_offer *offer, void *ctx)
{
	size_t before = before_name(typed), fit = 0;
	const struct term *one = NULL;
	const char *head;

	if (before == SIZE_MAX)
		return;
	head = arena_str(env->keep, typed, before);
	for (size_t i = 0; i < n; i++)
		if (str_starts(terms[i].name, typed + before)) {
			fit++;
			one = &terms[i];
		}
	if (fit == 1) {
		offer_compared(env, head, one, offer, ctx);
		return;
	}
	for (size_t i = 0; i < n; i++)
		offer(ctx, arena_fmt(env->keep, "%s%s", head, terms[i].name), terms[i].help);
}
