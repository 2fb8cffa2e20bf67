/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>

/*
 * Arrays from malloc(3) that grow. Out of memory ends the program as in an arena (base/arena.h).
 */
void *array_resize(void *p, size_t n, size_t size);
/* Make room for one more element after the @n elements of @size bytes; *cap is the number of elements that fit. */
void *array_more(void *p, size_t n, size_t *cap, size_t size);
/* The same where @p and @cap are variables: p[n] is there afterwards. */
#define ARRAY_MORE(p, n, cap) ((p) = array_more(p, n, &(cap), sizeof(*(p))))

/*
 * Binary search: the first index @i below @n for which the expression @before is false (it must then be false for all
 * higher ones); @n if it is true for all.
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
