/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/value/padding.h"

#include "types/value/leaves.h"

#define PADDING_MAX (1u << 20) /* maximum size of a value that is examined */

void padding_find(struct padding *ret, const struct value_plan *p, size_t n, struct arena *a)
{
	struct leaves l = { 0 };
	unsigned char *taken;
	uint32_t *at;

	*ret = (struct padding){ 0 };
	if (!p || !n || n > PADDING_MAX)
		return;
	leaves_find(&l, p, a);
	if (!l.n || l.n >= LEAVES_MAX)
		return;
	taken = arena_alloc(a, n);
	for (size_t i = 0; i < l.n; i++)
		if (l.leaf[i].off < n)
			memset(taken + l.leaf[i].off, 1,
			       l.leaf[i].size < n - l.leaf[i].off ? l.leaf[i].size : n - l.leaf[i].off);
	at = arena_array(a, n, sizeof(*at));
	for (uint32_t i = 0; i < n; i++)
		if (!taken[i])
			at[ret->n++] = i;
	ret->at = at;
}

int padding_dirty(const struct padding *p, const void *bytes)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (((const unsigned char *)bytes)[p->at[i]])
			return 1;
	return 0;
}

void padding_get(const struct padding *p, const void *bytes, unsigned char *list)
{
	for (uint32_t i = 0; i < p->n; i++)
		list[i] = ((const unsigned char *)bytes)[p->at[i]];
}

void padding_set(const struct padding *p, void *bytes, const unsigned char *list)
{
	for (uint32_t i = 0; i < p->n; i++)
		((unsigned char *)bytes)[p->at[i]] = list[i];
}
