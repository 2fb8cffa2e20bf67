/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/state.h"

#define FEW 64

void state_init(struct state *s, size_t key_size, size_t value_size)
{
	*s = (struct state){ .key_size = key_size, .stride = key_size + value_size, .max = STATE_MAX };
}

static uint64_t key_hash(const unsigned char *key, size_t n)
{
	uint64_t h = n, word;

	for (; n >= sizeof(word); n -= sizeof(word), key += sizeof(word)) {
		memcpy(&word, key, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 32;
	}
	word = 0;
	memcpy(&word, key, n);
	h = (h ^ word) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 32;
}

/* The slot of the key, or the free one where it belongs. */
static size_t slot_of(const struct state *s, const unsigned char *key)
{
	size_t i = (size_t)key_hash(key, s->key_size) & (s->nslots - 1);

	while (s->slots[i] && memcmp(state_elem(s, s->slots[i] - 1), key, s->key_size))
		i = (i + 1) & (s->nslots - 1);
	return i;
}

static int state_grow(struct state *s, struct err *e)
{
	size_t cap = s->cap ? 2 * s->cap : FEW;

	if (cap > s->max / (s->stride ? s->stride : 1))
		cap = s->max / (s->stride ? s->stride : 1);
	if (cap <= s->n || cap >= UINT32_MAX) {
		err_set(e, -E2BIG, "more than %zu MiB of elements to keep in memory", s->max >> 20);
		return err_hint(e, "-Q selects fewer elements");
	}
	s->elems = array_resize(s->elems, cap * s->stride + 1, 1);
	s->cap = cap;
	s->nslots = FEW;
	while (s->nslots < 2 * cap)
		s->nslots *= 2;
	free(s->slots);
	s->slots = calloc(s->nslots, sizeof(*s->slots));
	if (!s->slots)
		arena_die(s->nslots * sizeof(*s->slots));
	for (size_t i = 0; i < s->n; i++)
		s->slots[slot_of(s, state_elem(s, i))] = (uint32_t)i + 1;
	return 0;
}

int state_add(struct state *s, const unsigned char *elem, struct err *e)
{
	int err = s->n == s->cap ? state_grow(s, e) : 0;
	size_t slot;

	if (err)
		return err;
	slot = slot_of(s, elem);
	if (s->slots[slot])
		return 0;
	memcpy(s->elems + s->n * s->stride, elem, s->stride);
	s->slots[slot] = (uint32_t)++s->n;
	return 0;
}

int state_put(struct state *s, const unsigned char *elem, struct err *e)
{
	unsigned char *there = (unsigned char *)state_find(s, elem);

	if (!there)
		return state_add(s, elem, e);
	memcpy(there, elem, s->stride);
	return 0;
}

const unsigned char *state_find(const struct state *s, const unsigned char *key)
{
	size_t slot;

	if (!s->n)
		return NULL;
	slot = slot_of(s, key);
	return s->slots[slot] ? state_elem(s, s->slots[slot] - 1) : NULL;
}

void state_clear(struct state *s)
{
	if (s->slots)
		memset(s->slots, 0, s->nslots * sizeof(*s->slots));
	s->n = 0;
}

void state_release(struct state *s)
{
	free(s->elems);
	free(s->slots);
	s->elems = NULL;
	s->slots = NULL;
	s->n = s->cap = 0;
}
