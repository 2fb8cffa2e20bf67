/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/parse/arg.h"

#include "record/field.h"

static const enum selector selector_order[] = { SEL_ID, SEL_TAG, SEL_NAME, SEL_PINNED };

enum selector selector_at(unsigned i)
{
	return i < ARRAY_SIZE(selector_order) ? selector_order[i] : 0;
}

const char *selector_word(enum selector s)
{
	return s == SEL_ID ? "id" : s == SEL_TAG ? "tag" : s == SEL_NAME ? "name" : "pinned";
}

enum selector selector_named(const char *word)
{
	unsigned i = 0;

	while (selector_at(i) && strcmp(selector_word(selector_at(i)), word) != 0)
		i++;
	return selector_at(i);
}

const char *selector_metavar(enum selector s)
{
	return s == SEL_ID ? "N" : s == SEL_TAG ? "TAG" : s == SEL_NAME ? "NAME" : "PATH";
}

const char *selector_usage(enum selector s, struct arena *a)
{
	return arena_fmt(a, s == SEL_TAG ? "%s %s" : "[%s] %s", selector_word(s), selector_metavar(s));
}

static const char *const reuse_words[] = { "idx", "name" };
const struct names reuse_names = NAMES(reuse_words);

static const char *const source_words[] = { "id", "prog", "map", "file", "name" };
const struct names source_names = NAMES(source_words);

const struct kind *source_kind(enum types_by by)
{
	return by == TYPES_ID || by == TYPES_NAME ? kind_of(OBJECT_BTF) :
	       by == TYPES_PROG			  ? kind_of(OBJECT_PROG) :
	       by == TYPES_MAP			  ? kind_of(OBJECT_MAP) :
						    NULL;
}
