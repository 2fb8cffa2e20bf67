/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/buckets.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"

void buckets_log2(struct buckets *b)
{
	*b = (struct buckets){ .log2 = true };
}

void buckets_linear(struct buckets *b, uint64_t step)
{
	*b = (struct buckets){ .fixed = step != 0, .step = step ? step : 1 };
}

/* Counts that do not fit stay at the largest number. */
static void count_add(uint64_t *to, uint64_t count)
{
	if (__builtin_add_overflow(*to, count, to))
		*to = UINT64_MAX;
}

static __int128 floor_div(__int128 v, __int128 by)
{
	return v / by - (v % by < 0);
}

/* Half as many buckets of twice the step. */
static void halve(struct buckets *b)
{
	uint64_t old[BUCKETS_FEW];
	__int128 first = floor_div(b->first, 2);
	size_t i, n = b->n;

	memcpy(old, b->count, n * sizeof(*old));
	memset(b->count, 0, n * sizeof(*old));
	for (i = 0; i < n; i++) {
		size_t to = (size_t)(floor_div(b->first + (__int128)i, 2) - first);

		count_add(&b->count[to], old[i]);
		b->n = to + 1;
	}
	b->first = first;
	b->step *= 2;
}

static int linear_add(struct buckets *b, __int128 value, uint64_t count, struct err *e)
{
	size_t most = b->fixed ? BUCKETS_MAX : BUCKETS_FEW;
	__int128 at, first, last;

	for (;;) {
		at = floor_div(value, b->step);
		first = b->n && b->first < at ? b->first : at;
		last = b->n && b->first + (__int128)b->n - 1 > at ? b->first + (__int128)b->n - 1 : at;
		if (last - first < (__int128)most)
			break;
		if (b->fixed) {
			err_set(e, -E2BIG, "the values need more than %u buckets of %llu", BUCKETS_MAX, (unsigned long long)b->step);
			return err_hint(e, "give a larger step, or none, or leave linear out");
		}
		halve(b);
	}
	if (first < b->first && b->n) {
		memmove(b->count + (b->first - first), b->count, b->n * sizeof(*b->count));
		memset(b->count, 0, (size_t)(b->first - first) * sizeof(*b->count));
	}
	b->first = first;
	b->n = (size_t)(last - first) + 1;
	count_add(&b->count[at - first], count);
	return 0;
}

static unsigned log2_floor(uint64_t v)
{
	return 63u - (unsigned)__builtin_clzll(v);
}

int buckets_add(struct buckets *b, __int128 value, uint64_t count, struct err *e)
{
	if (!b->log2)
		return linear_add(b, value, count, e);
	if (value > UINT64_MAX)
		value = UINT64_MAX;
	count_add(&b->count[value < 0 ? 0 : !value ? 1 : 2 + log2_floor((uint64_t)value)], count);
	return 0;
}

static __int128 pow2(size_t n)
{
	return (__int128)1 << n;
}

static void limits_log2(size_t i, __int128 *lo, __int128 *hi)
{
	*lo = i == 0 ? INT64_MIN : i == 1 ? 0 : pow2(i - 2);
	*hi = i == 0 ? -1 : i == 1 ? 0 : pow2(i - 1) - 1;
}

static void limits_linear(__int128 at, uint64_t step, __int128 *lo, __int128 *hi)
{
	*lo = at * step;
	*hi = *lo + step - 1;
	*lo = *lo < INT64_MIN ? INT64_MIN : *lo > UINT64_MAX ? UINT64_MAX : *lo;
	*hi = *hi > UINT64_MAX ? UINT64_MAX : *hi;
}

void histogram_trim(struct histogram *h)
{
	while (h->n && !h->bucket[h->n - 1].count)
		h->n--;
	while (h->n && !h->bucket->count) {
		h->bucket++;
		h->n--;
	}
	for (size_t i = 0; i < h->n; i++)
		count_add(&h->total, h->bucket[i].count);
}

void buckets_limits(struct bucket *ret)
{
	for (size_t i = 0; i < BUCKETS_LOG2; i++)
		limits_log2(i, &ret[i].lo, &ret[i].hi);
}

void buckets_histogram(const struct buckets *b, struct histogram *ret, struct arena *a)
{
	size_t i, n = b->log2 ? BUCKETS_LOG2 : b->n;

	*ret = (struct histogram){ .bucket = arena_array(a, n + 1, sizeof(*ret->bucket)), .n = n, .log2 = b->log2 };
	if (b->log2)
		buckets_limits(ret->bucket);
	for (i = 0; i < n; i++) {
		ret->bucket[i].count = b->count[i];
		if (!b->log2)
			limits_linear(b->first + (__int128)i, b->step, &ret->bucket[i].lo, &ret->bucket[i].hi);
	}
	histogram_trim(ret);
}

void slots_limits(const struct slots *how, struct bucket *ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t slot = how->bcc && i ? i - 1 : i;

		if (!how->log2) {
			limits_linear((__int128)i, how->step ? how->step : 1, &ret[i].lo, &ret[i].hi);
			continue;
		}
		ret[i].lo = slot ? pow2(slot) : 0;
		ret[i].hi = how->bcc && !i ? 0 : pow2(slot + 1) - 1;
	}
}

void slots_histogram(const struct slots *how, const uint64_t *count, size_t n, struct histogram *ret, struct arena *a)
{
	*ret = (struct histogram){ .bucket = arena_array(a, n + 1, sizeof(*ret->bucket)), .n = n, .log2 = how->log2 };
	slots_limits(how, ret->bucket, n);
	for (size_t i = 0; i < n; i++)
		ret->bucket[i].count = count[i];
	histogram_trim(ret);
}
