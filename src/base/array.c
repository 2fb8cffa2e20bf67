/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/base.h"

#define ARRAY_FIRST 16u

void *array_resize(void *p, size_t n, size_t size)
{
	void *bigger = reallocarray(p, n, size);

	if (!bigger && n && size)
		arena_die(n > SIZE_MAX / size ? SIZE_MAX : n * size);
	return bigger;
}

void *array_more(void *p, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return p;
	*cap = *cap ? 2 * *cap : ARRAY_FIRST;
	return array_resize(p, *cap, size);
}
