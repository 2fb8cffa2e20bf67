/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/base.h"

#define HASH_MIN 64

uint64_t hash_text(uint64_t key, const char *s)
{
	for (; *s; s++)
		key = (key ^ (unsigned char)*s) * 0x100000001b3u;
	return key;
}

void hash_init(struct hash *h, struct arena *a)
{
	*h = (struct hash){ .arena = a };
}

/* The key's slot, or the free slot where it belongs. The loop ends because a quarter of the slots is always free. */
static struct hash_slot *hash_find(const struct hash *h, uint64_t key)
{
	uint64_t mix = key * 0x9e3779b97f4a7c15ull;
	size_t i = (size_t)(mix ^ mix >> 32) & (h->cap - 1);

	while (h->slots[i].used && h->slots[i].key != key)
		i = (i + 1) & (h->cap - 1);
	return &h->slots[i];
}

void *hash_get(const struct hash *h, uint64_t key)
{
	return h->cap ? hash_find(h, key)->val : NULL;
}

static void hash_grow(struct hash *h)
{
	struct hash old = *h;
	size_t i;

	h->cap = old.cap ? old.cap * 2 : HASH_MIN;
	h->slots = arena_array(h->arena, h->cap, sizeof(*h->slots));
	for (i = 0; i < old.cap; i++)
		if (old.slots[i].used)
			*hash_find(h, old.slots[i].key) = old.slots[i];
}

void **hash_put(struct hash *h, uint64_t key)
{
	struct hash_slot *slot;

	if (h->n >= h->cap / 4 * 3)
		hash_grow(h);
	slot = hash_find(h, key);
	if (!slot->used) {
		*slot = (struct hash_slot){ .key = key, .used = true };
		h->n++;
	}
	return &slot->val;
}
