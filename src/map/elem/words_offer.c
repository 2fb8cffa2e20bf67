/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "cli/parse.h"
#include "cli/select.h"
#include "map/elem/words.h"
#include "map/map.h"

/* "prog" or "map", where the values of the map are such objects; NULL: they are bytes. */
static const char *value_kind(struct env *env, const struct object_ref *map)
{
	static const struct { const char *type, *kind; } rows[] = {
		{ "prog_array", "prog" }, { "array_of_maps", "map" }, { "hash_of_maps", "map" },
	};
	const char *type, *name, *tag;
	struct err none = { 0 };
	uint32_t id;

	if (select_one(env, &kind_map, map, &id, &none) ||
	    kind_map.label(env, env->arena, id, &type, &name, &tag, &none))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].type, type))
			return rows[i].kind;
	return NULL;
}

static void offer_data(struct env *env, const struct object_ref *map, bool value, arg_offer *offer, void *ctx)
{
	const char *kind = value ? value_kind(env, map) : NULL;

	for (unsigned i = 0; kind && selector_at(i); i++)
		if ((!strcmp(kind, "prog") ? &kind_prog : &kind_map)->selectors & selector_at(i))
			offer(ctx, selector_word(selector_at(i)), kind);
	if (!kind)
		offer(ctx, "hex", "bytes in hexadecimal digits");
}

static void offer_words(struct env *env, const struct arg_list *before, unsigned allowed, arg_offer *offer, void *ctx)
{
	bool key = false, value = false, flags = false;
	struct object_ref map;
	struct err none = { 0 };
	const size_t begin = parser_ref(env, &kind_map, before, &map, &none);

	if (!begin)
		return;
	for (size_t i = begin; i < before->n; i++) {
		key |= !strcmp(before->word[i], "key");
		value |= !strcmp(before->word[i], "value");
		flags |= !strcmp(before->word[i], "any") || !strcmp(before->word[i], "exist") || !strcmp(before->word[i], "noexist");
	}
	if (before->n > begin && (!strcmp(before->word[before->n - 1], "key") || !strcmp(before->word[before->n - 1], "value"))) {
		offer_data(env, &map, !strcmp(before->word[before->n - 1], "value"), offer, ctx);
		return;
	}
	if (allowed & WORDS_KEY && !key)
		offer(ctx, "key", "the key of the element");
	if (allowed & WORDS_VALUE && !value)
		offer(ctx, "value", "its value");
	if (allowed & WORDS_FLAGS && !flags && value) {
		offer(ctx, "any", "whether there is such an element or not");
		offer(ctx, "exist", "only if there is one with this key");
		offer(ctx, "noexist", "only if there is none");
	}
}

void words_offer_key(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	(void)typed;
	offer_words(env, before, WORDS_KEY, offer, ctx);
}

void words_offer_both(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	(void)typed;
	offer_words(env, before, WORDS_KEY | WORDS_VALUE, offer, ctx);
}

void words_offer_element(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	(void)typed;
	offer_words(env, before, WORDS_KEY | WORDS_VALUE | WORDS_FLAGS, offer, ctx);
}

void words_offer_value(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	(void)typed;
	offer_words(env, before, WORDS_VALUE, offer, ctx);
}
