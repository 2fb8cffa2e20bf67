/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/compared.h"

void pairs_init(struct pairs *p, struct arena *a, uint32_t n0, uint32_t n1)
{
	*p = (struct pairs){ .a = a, .n = { n0, n1 } };
	for (unsigned side = 0; side < 2; side++)
		p->other[side] = arena_array(a, p->n[side], sizeof(*p->other[side]));
}

/* Several may have one key: the first of them is paired with the first, the second with the second. */
static uint64_t nth_key(struct hash *count, uint64_t key)
{
	void **slot = hash_put(count, key);
	const uintptr_t nth = (uintptr_t)*slot;
	char text[24];

	*slot = (void *)(nth + 1);
	if (!nth)
		return key;
	str_snprintf(text, sizeof(text), "#%zu", (size_t)nth);
	return hash_text(key, text);
}

void pairs_find(struct pairs *p, const uint64_t *const key[2])
{
	struct hash first;

	hash_init(&first, p->a);
	for (unsigned side = 0; side < 2; side++) {
		struct hash count;

		hash_init(&count, p->a);
		for (uint32_t i = 0; i < p->n[side]; i++) {
			const uint64_t nth = p->other[side][i] ? 0 : nth_key(&count, key[side][i]);
			uint32_t at;

			if (p->other[side][i])
				continue;
			if (!side) {
				*hash_put(&first, nth) = (void *)(uintptr_t)(i + 1);
				continue;
			}
			at = (uint32_t)(uintptr_t)hash_get(&first, nth);
			p->other[1][i] = at;
			if (at)
				p->other[0][at - 1] = i + 1;
		}
	}
}
