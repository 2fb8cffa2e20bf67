/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/parse/parser.h"

#include "cli/parse/arg.h"
#include "record/field.h"

int parser_find_word(const struct names *n, const char *word)
{
	unsigned i;

	for (i = 0; i < n->n; i++)
		if (n->word[i] && !strcmp(n->word[i], word))
			return (int)i;
	for (i = 0; i < n->n; i++)
		if (*word && n->word[i] && str_starts(n->word[i], word))
			return (int)i;
	return -1;
}

/* 0: the command has no alternatives; 1: one is expected; 2: it was given. */
static int choice_state(const struct parser *p)
{
	const struct arg *a;
	int state = 0;

	for (a = p->c->args; a < args_end(p->c); a++) {
		if (!(a->flags & ARG_CHOICE))
			continue;
		if (p->seen & arg_bit(p, a))
			return 2;
		state = 1;
	}
	return state;
}

bool parser_choice(const struct parser *p)
{
	return choice_state(p) == 1;
}

/* An alternative excludes the others. Until one is given, no other keyword is allowed. */
static bool choice_allows(const struct parser *p, const struct arg *a)
{
	int state = choice_state(p);

	if (!(a->flags & ARG_CHOICE))
		return state != 1;
	return state == 1 || (a->flags & ARG_REPEAT && p->seen & arg_bit(p, a));
}

const struct arg *parser_following(const struct parser *p)
{
	const struct arg *next = p->last ? p->last + 1 : NULL;

	return next && next < args_end(p->c) && next->flags & ARG_FOLLOWS ? next : NULL;
}

const struct arg *parser_positional(const struct parser *p)
{
	const struct arg *a;

	for (a = p->c->args; a < args_end(p->c); a++)
		if (arg_is_positional(a) && !(a->flags & ARG_FOLLOWS) &&
		    (a->flags & ARG_REQUIRED || choice_allows(p, a)) &&
		    (a->type == ARG_REST || !(p->seen & arg_bit(p, a))))
			return a;
	return NULL;
}

const struct arg *parser_again(const struct parser *p)
{
	const struct arg *a;

	for (a = p->c->args; a < args_end(p->c) && !p->bpftool; a++)
		if ((a->type == ARG_OBJECT || a->type == ARG_PATH) && a->flags & ARG_REPEAT && arg_is_positional(a) &&
		    p->seen & arg_bit(p, a))
			return a;
	return NULL;
}

bool parser_is_file_before(const struct parser *p, const struct arg *a)
{
	return a && a->type == ARG_PATH && arg_is_positional(a) && !(a->flags & ARG_REQUIRED) &&
	       a + 1 < args_end(p->c) && a[1].type == ARG_OBJECT && a[1].flags & ARG_REQUIRED;
}

bool parser_may(const struct parser *p, const struct arg *a)
{
	const struct arg *other;

	if (arg_is_positional(a) || (p->seen & arg_bit(p, a) && !(a->flags & ARG_REPEAT)))
		return false;
	if (!arg_is_option(a) && !choice_allows(p, a))
		return false;
	for (other = p->c->args; other < args_end(p->c); other++)
		if (p->seen & arg_bit(p, other) &&
		    (arg_rejects(a, other) || arg_rejects(other, a) || (arg_is_grammar(other) && !arg_is_option(a))))
			return false;
	return true;
}

void parser_store(struct parser *p, const struct arg *a, const void *value, size_t n)
{
	if (p->opts)
		memcpy((char *)p->opts + a->off, value, n);
}

/* The list, with room for one more entry. It is copied to twice its size when its length is a power of two, so its
 * capacity need not be stored. */
void *parser_list_room(struct parser *p, const void *list, size_t n, size_t size)
{
	void *more;

	if (n & (n - 1))
		return (void *)list;
	more = arena_array(p->arena, n ? n * 2 : 1, size);
	if (n)
		memcpy(more, list, n * size);
	return more;
}

static const struct arg *keyword_find(const struct parser *p, const char *word)
{
	const struct arg *a, *found = NULL;

	for (a = p->c->args; a < args_end(p->c); a++) {
		if (arg_is_positional(a) || arg_is_option(a) || !choice_allows(p, a))
			continue;
		if (!strcmp(a->name, word))
			return a;
		if (!found && *word && str_starts(a->name, word))
			found = a;
	}
	return found;
}

const struct arg *parser_keyword(const struct parser *p, const char *word)
{
	const struct arg *found = keyword_find(p, word);
	const char *named = found || !p->c->word_named ? NULL : p->c->word_named(word);

	return named ? keyword_find(p, named) : found;
}
