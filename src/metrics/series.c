/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/series.h"

#define CHAIN_MAX 64 /* label sets that may share a 64-bit hash; more are an attack */

void series_init(struct series_set *s, struct arena *keep)
{
	*s = (struct series_set){ .keep = keep };
	hash_init(&s->found, keep);
}

static uint64_t labels_key(const char *const label[LABELS])
{
	uint64_t key = HASH_TEXT;

	for (unsigned i = 0; i < LABELS; i++)
		if (label[i])
			key = hash_text(key ^ (i + 1), label[i]);
	return key;
}

static bool has_labels(const struct series *one, const char *const label[LABELS])
{
	unsigned i = 0;

	while (i < LABELS && (label[i] && one->label[i] ? !strcmp(label[i], one->label[i]) : label[i] == one->label[i]))
		i++;
	return i == LABELS;
}

struct series *series_of(struct series_set *s, const struct series_limit *l, const char *const label[LABELS])
{
	const uint64_t key = labels_key(label);
	struct series *one = hash_get(&s->found, key);
	unsigned n = 0;
	void **slot;

	for (; one && !has_labels(one, label); one = one->next)
		n++;
	if (one || !l->room || n >= CHAIN_MAX)
		return one;
	one = arena_alloc(s->keep, sizeof(*one));
	for (unsigned i = 0; i < LABELS; i++)
		one->label[i] = label[i] ? arena_str(s->keep, label[i], SIZE_MAX) : NULL;
	slot = hash_put(&s->found, key);
	one->next = *slot;
	*slot = one;
	ARENA_MORE(s->keep, s->v, s->n, s->cap);
	s->v[s->n++] = one;
	return one;
}

void series_add(struct series *one, struct series_limit *l, unsigned i, uint64_t value)
{
	const bool is_new = one && !(one->known >> i & 1);

	if (!one || (is_new && !l->room)) {
		l->left_out++;
		return;
	}
	l->room -= is_new;
	one->known |= 1u << i;
	if (__builtin_add_overflow(one->value[i], value, &one->value[i]))
		one->value[i] = UINT64_MAX;
}
