/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>

/*
 * Arrays from malloc(3) that grow. Out of memory ends the program as in an arena (base/arena.h).
 */
void *array_resize(void *p, size_t n, size_t size);
/* Room for one more than the @n elements of @size bytes that are there; *cap is for how many there is room. */
void *array_more(void *p, size_t n, size_t *cap, size_t size);

/*
 * Binary search: the first index @i below @n for which the expression @before is false, as it is for all behind that
 * one; @n: it is true for all.
 */
#define ARRAY_LOWER(n, i, before) \
	({ \
		size_t low_ = 0, high_ = (n); \
\
		while (low_ < high_) { \
			const size_t i = low_ + (high_ - low_) / 2; \
\
			if (before) \
				low_ = i + 1; \
			else \
				high_ = i; \
		} \
		low_; \
	})

#endif
