/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/complete.h"

#include "cli/completion.h"
#include "cli/parse/arg.h"
#include "cli/select.h"
#include "record/edge.h"
#include "record/field.h"
#include "source/facts.h"

static void offer_selectors(const struct completion *c, const struct kind *k)
{
	unsigned i;

	for (i = 0; k && selector_at(i); i++)
		if (k->selectors & selector_at(i))
			completion_offer(c, selector_word(selector_at(i)), NULL);
}

static const struct kind *kind_of_edge(const struct edge *edge)
{
	for (const struct kind *const *k = kinds; *k; k++)
		if (!strcmp((*k)->name, edge_words[edge->to]))
			return *k;
	return NULL;
}

/* An object without a name, such as a link, is described by its program or map, if its info has them. */
static const char *object_name(struct env *env, const struct kind *k, uint32_t id)
{
	struct err why = { 0 };
	struct edge_iter it;
	struct edge edge;
	void *rec;

	if (!edge_any(k->schema, ~0u))
		return "";
	rec = arena_alloc(env->arena, k->schema->rec_size);
	if (k->read(env, env->arena, id, 0, rec, &why))
		return "";
	edge_begin(&it, k->schema, rec, ~0u);
	while (edge_next(&it, &edge)) {
		const struct kind *to = kind_of_edge(&edge);
		const char *name = to ? kind_label(env, to, (uint32_t)edge.id).name : "";

		if (*name)
			return name;
	}
	return "";
}

static void offer_label(const struct completion *c, const struct kind *k, enum selector by, uint32_t id,
			const char *number)
{
	struct env *env = c->env;
	ARENA_SCOPE(env->arena);
	/* An object that cannot be read still has an id. */
	struct object_label l = kind_label(env, k, id);
	const char *help;

	if (by == SEL_ID && !*l.name)
		l.name = object_name(env, k, id);
	help = arena_fmt(env->arena, "%s%s%s", l.type, *l.type && *l.name ? "  " : "", l.name);
	if (by == SEL_ID)
		completion_offer(c, number, help);
	else if (by == SEL_NAME && *l.name)
		completion_offer(c, l.name, arena_fmt(env->arena, "%s  id %s", l.type, number));
	else if (by == SEL_TAG && *l.tag)
		completion_offer(c, l.tag, help);
}

/* Objects are read only if needed: an id that does not match is not read. */
static void offer_objects(const struct completion *c, const struct kind *k, enum selector by)
{
	struct err why = { 0 };
	char number[24];
	const uint32_t *ids;
	size_t i, n;

	if (env_open(c->env, &why) || select_all(c->env, k, &ids, &n, &why))
		return;
	for (i = 0; i < n && !out_dead(c->env->report->out); i++) {
		*num_dec(number, ids[i]) = '\0';
		if (by != SEL_ID || str_starts(number, c->typed))
			offer_label(c, k, by, ids[i], number);
	}
}

static bool is_typed(const struct completion *c, const char *word)
{
	for (size_t i = 0; i < c->before.n; i++)
		if (!strcmp(c->before.word[i], word))
			return true;
	return false;
}

static void offer_pins(const struct completion *c, const struct kind *k)
{
	struct err why = { 0 };
	const struct pin *pins;
	size_t i, n, found = 0;

	if (!env_open(c->env, &why) && !facts_all_pins(c->env->machine, &pins, &n)) {
		for (i = 0; i < n; i++) {
			if ((k && pins[i].kind != k->object) || is_typed(c, pins[i].path))
				continue;
			found += completion_offer(
				c, pins[i].path,
				arena_fmt(c->env->keep, "%s %u", object_kind_names[pins[i].kind], pins[i].id));
		}
	}
	if (!found)
		completion_files(c);
}

void complete_pins(struct env *env, const struct arg_list *before, const char *typed, arg_offer *one, void *ctx)
{
	offer_pins(ctx, env->kind);
}

/* Offer what needs no selector, by the first letter. If nothing is typed yet, offer names, or ids of objects without
 * names. */
static void offer_bare(const struct completion *c, const struct kind *k)
{
	if (isdigit((unsigned char)*c->typed) || (!*c->typed && !(k->selectors & SEL_NAME)))
		offer_objects(c, k, SEL_ID);
	else if (k->selectors & SEL_PINNED && *c->typed && strchr("./", *c->typed))
		offer_pins(c, k);
	else if (k->selectors & SEL_NAME)
		offer_objects(c, k, SEL_NAME);
}

void completion_ref(const struct completion *c, const struct kind *k, enum selector by)
{
	if (k && by == SEL_PINNED)
		offer_pins(c, k);
	else if (k && by)
		offer_objects(c, k, by);
	else
		offer_selectors(c, k);
	if (k && !by)
		offer_bare(c, k);
}

void complete_object(const struct kind *k, const struct arg_list *words, void *ctx)
{
	const enum selector by = words->n == 1 ? selector_named(words->word[0]) & k->selectors : 0;

	if (!words->n || by)
		completion_ref(ctx, k, by);
}
