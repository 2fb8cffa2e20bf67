/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/live/walked.h"

#include <sys/auxv.h>
#include "base/wide.h"

#define WALKED_MIN 1024

static uint64_t mix(uint64_t a, uint64_t b)
{
	struct wide m = wide_mul(a, b);

	return m.lo ^ m.hi;
}

/* Seeded, so that colliding keys cannot be chosen. Never 0. */
static uint64_t fingerprint(const unsigned char *p, size_t n)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t seed[2] = { 0x9e3779b97f4a7c15ull, 0xd1b54a32d192ed03ull }, h, word;

	if (random)
		memcpy(seed, random, sizeof(seed));
	h = seed[0] ^ n;
	for (; n; p += sizeof(word) < n ? sizeof(word) : n, n -= sizeof(word) < n ? sizeof(word) : n) {
		word = 0;
		memcpy(&word, p, sizeof(word) < n ? sizeof(word) : n);
		h = mix(h ^ word, seed[1] | 1) + seed[0];
	}
	h = mix(h, 0x9e3779b97f4a7c15ull);
	return h ? h : 1;
}

static uint64_t *slot_find(const struct walked *w, uint64_t print)
{
	size_t i = (size_t)print & (w->cap - 1);

	while (w->slots[i] && w->slots[i] != print)
		i = (i + 1) & (w->cap - 1);
	return &w->slots[i];
}

static void walked_grow(struct walked *w)
{
	struct walked old = *w;

	w->cap = old.cap ? old.cap * 2 : WALKED_MIN;
	w->slots = calloc(w->cap, sizeof(*w->slots));
	if (!w->slots)
		arena_die(w->cap * sizeof(*w->slots));
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i])
			*slot_find(w, old.slots[i]) = old.slots[i];
	free(old.slots);
}

void walked_reset(struct walked *w, uint32_t map_id)
{
	walked_release(w);
	w->map_id = map_id;
}

bool walked_add(struct walked *w, const void *key, size_t n)
{
	uint64_t print = fingerprint(key, n), *slot;

	if (w->n >= w->cap / 8 * 7)
		walked_grow(w);
	slot = slot_find(w, print);
	if (*slot)
		return false;
	*slot = print;
	w->n++;
	return true;
}

void walked_release(struct walked *w)
{
	free(w->slots);
	*w = (struct walked){ 0 };
}

/* Length of the common prefix of a and b in bits, at most max. */
static uint32_t bits_common(const unsigned char *a, const unsigned char *b, uint32_t max)
{
	uint32_t i = 0;

	for (; i + 8 <= max && a[i / 8] == b[i / 8]; i += 8)
		;
	for (; i < max && !((a[i / 8] ^ b[i / 8]) & 0x80 >> i % 8); i++)
		;
	return i;
}

int lpm_cmp(const unsigned char *a, const unsigned char *b, size_t n)
{
	const uint32_t room = (uint32_t)(n - sizeof(uint32_t)) * 8;
	uint32_t la, lb, min, same;

	memcpy(&la, a, sizeof(la));
	memcpy(&lb, b, sizeof(lb));
	la = la < room ? la : room;
	lb = lb < room ? lb : room;
	min = la < lb ? la : lb;
	a += sizeof(la);
	b += sizeof(lb);
	same = bits_common(a, b, min);
	if (same == min)
		return NUM_CMP(lb, la);
	return a[same / 8] & 0x80 >> same % 8 ? 1 : -1;
}
