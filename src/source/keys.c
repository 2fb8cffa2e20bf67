/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/keys.h"

struct keys_entry {
	struct keys_entry *next;
	void *val;
	const char *key;
};

void keys_init(struct keys *k, struct arena *a)
{
	hash_init(&k->hash, a);
}

void *keys_get(const struct keys *k, const char *key)
{
	const struct keys_entry *e = hash_get(&k->hash, hash_text(HASH_TEXT, key));

	while (e && strcmp(e->key, key) != 0)
		e = e->next;
	return e ? e->val : NULL;
}

void **keys_put(struct keys *k, const char *key)
{
	void **slot = hash_put(&k->hash, hash_text(HASH_TEXT, key));
	struct keys_entry *e;
	unsigned n = 0;

	for (e = *slot; e; e = e->next) {
		if (!strcmp(e->key, key))
			return &e->val;
		if (++n >= KEYS_CHAIN)
			return NULL;
	}
	e = arena_alloc(k->hash.arena, sizeof(*e));
	e->key = arena_str(k->hash.arena, key, SIZE_MAX);
	e->next = *slot;
	*slot = e;
	return &e->val;
}
