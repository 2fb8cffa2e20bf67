/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/num.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "cli/parse.h"
#include "cli/select.h"
#include "map/elem/words.h"
#include "map/map.h"

#define MAP_WORDS 2		/* "id 7", before the words of the element */

/* "prog" or "map", where the values of the map that was named are such objects; NULL: they are bytes. */
static const char *value_kind(struct env *env, const struct arg_list *before)
{
	static const struct { const char *type, *kind; } rows[] = {
		{ "prog_array", "prog" }, { "array_of_maps", "map" }, { "hash_of_maps", "map" },
	};
	struct object_ref ref = { .text = before->word[1] };
	const char *type, *name, *tag;
	struct err none = { 0 };
	uint32_t id;

	for (unsigned i = 0; selector_at(i) && !ref.by; i++)
		if (!strcmp(selector_word(selector_at(i)), before->word[0]))
			ref.by = selector_at(i);
	if (!ref.by || (ref.by == SEL_ID && num_parse_u32(ref.text, &ref.id)) || select_one(env, &kind_map, &ref, &id, &none) ||
	    kind_map.label(env, env->arena, id, &type, &name, &tag, &none))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].type, type))
			return rows[i].kind;
	return NULL;
}

static void offer_data(struct env *env, const struct arg_list *before, bool value, arg_offer *offer, void *ctx)
{
	const char *kind = value ? value_kind(env, before) : NULL;

	for (unsigned i = 0; kind && selector_at(i); i++)
		if ((!strcmp(kind, "prog") ? &kind_prog : &kind_map)->selectors & selector_at(i))
			offer(ctx, selector_word(selector_at(i)), kind);
	if (!kind)
		offer(ctx, "hex", "bytes in hexadecimal digits");
}

static void offer_words(struct env *env, const struct arg_list *before, unsigned allowed, arg_offer *offer, void *ctx)
{
	bool key = false, value = false, flags = false;

	for (size_t i = MAP_WORDS; i < before->n; i++) {
		key |= !strcmp(before->word[i], "key");
		value |= !strcmp(before->word[i], "value");
		flags |= !strcmp(before->word[i], "any") || !strcmp(before->word[i], "exist") || !strcmp(before->word[i], "noexist");
	}
	if (before->n > MAP_WORDS && (!strcmp(before->word[before->n - 1], "key") || !strcmp(before->word[before->n - 1], "value"))) {
		offer_data(env, before, !strcmp(before->word[before->n - 1], "value"), offer, ctx);
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
