/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/series.h"

void series_init(struct series_set *s, struct arena *keep)
{
	*s = (struct series_set){ .keep = keep };
	keys_init(&s->found, keep);
}

static void key_add(struct str *key, unsigned i, const char *label)
{
	const size_t n = strlen(label);
	char head[1 + 21], *end = num_dec(head + 1, n);

	head[0] = (char)('a' + i);
	*end++ = ' ';
	str_add(key, head, (size_t)(end - head));
	str_add(key, label, n);
}

struct series *series_of(struct series_set *s, const struct series_limit *l, const char *const label[LABELS])
{
	struct series *one;
	STR key = { 0 };
	void **slot;

	str_puts(&key, "");
	for (unsigned i = 0; i < LABELS; i++)
		if (label[i])
			key_add(&key, i, label[i]);
	if (!l->room)
		return keys_get(&s->found, key.p);
	slot = keys_put(&s->found, key.p);
	if (!slot || *slot)
		return slot ? *slot : NULL;
	one = *slot = arena_alloc(s->keep, sizeof(*one));
	for (unsigned i = 0; i < LABELS; i++)
		one->label[i] = label[i] ? arena_str(s->keep, label[i], SIZE_MAX) : NULL;
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
