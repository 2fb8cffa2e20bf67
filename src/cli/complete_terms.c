/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/complete.h"

#include "kernel/names.h"
#include "record/field.h"

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

static unsigned words_count(const struct field *f)
{
	return f->names ? f->names->n : f->among ? f->among->n : 0;
}

static const char *field_word(const struct field *f, unsigned i)
{
	return f->names ? f->names->word[i] : names_of(f->among, i);
}

/* "NAME ==" or "NAME !=", and perhaps the beginning of a word. */
static void offer_words(struct env *env, const char *typed, const struct term *terms, size_t n, arg_offer *offer,
			void *ctx)
{
	const char *value = complete_name(typed), *end = value, *name;
	const char *head = arena_str(env->keep, typed, (size_t)(value - typed));

	while (end > typed && end[-1] == ' ')
		end--;
	if (end - typed < 2 || end[-1] != '=' || !strchr("=!", end[-2]))
		return;
	for (end -= 2; end > typed && end[-1] == ' ';)
		end--;
	name = complete_name(arena_str(env->keep, typed, (size_t)(end - typed)));
	for (size_t i = 0; i < n; i++) {
		const struct field *f = terms[i].field;

		for (unsigned w = 0; f && !strcmp(f->name, name) && w < words_count(f); w++)
			if (field_word(f, w) && str_starts(field_word(f, w), value))
				offer(ctx, arena_fmt(env->keep, "%s%s", head, field_word(f, w)), NULL);
	}
}

void complete_terms(struct env *env, const char *typed, const struct term *terms, size_t n, arg_offer *offer, void *ctx)
{
	size_t before = before_name(typed), fit = 0;
	const struct term *one = NULL;
	const char *head;

	if (before == SIZE_MAX)
		return offer_words(env, typed, terms, n, offer, ctx);
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
