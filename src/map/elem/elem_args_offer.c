/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/complete.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "cli/parse/object.h"
#include "cli/select.h"
#include "map/elem/members.h"
#include "map/elem/elem_args.h"

/* "": unknown. */
static const char *offered_map_type(struct env *env, const struct object_ref *map)
{
	uint32_t id;

	return select_example(env, &kind_map, map, &id) ? kind_label(env, &kind_map, id).type : "";
}

/* The kind of object that the values of the map are; NULL: bytes. */
static const struct kind *value_kind(struct env *env, const struct object_ref *map)
{
	static const struct {
		const char *type;
		const struct kind *kind;
	} rows[] = {
		{ "prog_array", &kind_prog },
		{ "array_of_maps", &kind_map },
		{ "hash_of_maps", &kind_map },
	};
	const char *type = offered_map_type(env, map);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].type, type))
			return rows[i].kind;
	return NULL;
}

static bool keyless(const char *type)
{
	return !strcmp(type, "queue") || !strcmp(type, "stack") || !strcmp(type, "bloom_filter");
}

/* After a member only members follow. */
static void offer_bytes(struct env *env, const struct object_ref *map, bool value, const struct arg_list *words,
			arg_offer *offer, void *ctx)
{
	if (!words->n && !value)
		members_offer_keys(env, map, offer, ctx);
	if (!words->n || strchr(words->word[words->n - 1], '='))
		members_offer_assignments(env, map, value, offer, ctx);
	if (!words->n)
		offer(ctx, "hex", "bytes in hexadecimal digits");
}

/* After `key` or `value` and @words. False: the data is complete. */
static bool offer_data(struct env *env, const struct object_ref *map, bool value, const struct arg_list *words,
		       arg_offer *offer, void *ctx)
{
	const struct kind *kind = value ? value_kind(env, map) : NULL;
	struct object_ref ref;
	struct err none = { 0 };

	if (kind && parser_ref(env, kind, words, &ref, &none))
		return false;
	if (kind)
		complete_object(kind, words, ctx);
	else
		offer_bytes(env, map, value, words, offer, ctx);
	return kind || !words->n;
}

static void elem_words_offer(struct env *env, const struct arg_list *before, unsigned allowed, arg_offer *offer,
			     void *ctx)
{
	bool key = false, value = false, flags = false;
	size_t data = 0; /* the word after the last `key` or `value` */
	struct object_ref map;
	struct err none = { 0 };
	const size_t begin = parser_ref(env, &kind_map, before, &map, &none);

	if (!begin)
		return;
	for (size_t i = begin; i < before->n; i++) {
		if (!strcmp(before->word[i], "key") || !strcmp(before->word[i], "value"))
			data = i + 1;
		key |= !strcmp(before->word[i], "key");
		value |= !strcmp(before->word[i], "value");
		flags |= !strcmp(before->word[i], "any") || !strcmp(before->word[i], "exist") ||
			 !strcmp(before->word[i], "noexist");
	}
	if (data && offer_data(env, &map, !strcmp(before->word[data - 1], "value"),
			       &(struct arg_list){ before->word + data, before->n - data }, offer, ctx))
		return;
	/* If both are allowed, the map has only one of the two. */
	if (allowed == (ELEM_ARGS_KEY | ELEM_ARGS_VALUE))
		allowed = keyless(offered_map_type(env, &map)) ? ELEM_ARGS_VALUE : ELEM_ARGS_KEY;
	else if (keyless(offered_map_type(env, &map)))
		allowed &= ~(unsigned)ELEM_ARGS_KEY;
	if (allowed & ELEM_ARGS_KEY && !key)
		offer(ctx, "key", "the key of the element");
	if (allowed & ELEM_ARGS_VALUE && !value)
		offer(ctx, "value", "its value");
	if (allowed & ELEM_ARGS_FLAGS && !flags && value) {
		offer(ctx, "any", "whether or not the element exists");
		offer(ctx, "exist", "only if an element has this key");
		offer(ctx, "noexist", "only if no element has this key");
	}
}

void elem_args_offer_key(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	elem_words_offer(env, before, ELEM_ARGS_KEY, offer, ctx);
}

void elem_args_offer_both(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer,
			  void *ctx)
{
	elem_words_offer(env, before, ELEM_ARGS_KEY | ELEM_ARGS_VALUE, offer, ctx);
}

void elem_args_offer_element(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer,
			     void *ctx)
{
	elem_words_offer(env, before, ELEM_ARGS_KEY | ELEM_ARGS_VALUE | ELEM_ARGS_FLAGS, offer, ctx);
}

void elem_args_offer_value(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer,
			   void *ctx)
{
	elem_words_offer(env, before, ELEM_ARGS_VALUE, offer, ctx);
}
