/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/buckets.h"

void buckets_log2(struct buckets *b)
{
	*b = (struct buckets){ .log2 = true };
}

void buckets_linear(struct buckets *b, uint64_t step)
{
	*b = (struct buckets){ .fixed = step != 0, .step = step ? step : 1 };
}

/* Counts saturate. */
static void count_add(uint64_t *to, uint64_t count)
{
	if (__builtin_add_overflow(*to, count, to))
		*to = UINT64_MAX;
}

/* The number of the bucket of count[i]. */
static struct wide bucket_number(const struct buckets *b, size_t i)
{
	return wide_add(b->first, wide_u(i));
}

/* Doubles the step, and halves the number of buckets. */
static void halve(struct buckets *b)
{
	uint64_t old[BUCKETS_FEW];
	struct wide first = wide_div_floor(b->first, 2);
	size_t i, n = b->n;

	memcpy(old, b->count, n * sizeof(*old));
	memset(b->count, 0, n * sizeof(*old));
	for (i = 0; i < n; i++) {
		size_t to = (size_t)wide_sub(wide_div_floor(bucket_number(b, i), 2), first).lo;

		count_add(&b->count[to], old[i]);
		b->n = to + 1;
	}
	b->first = first;
	b->step *= 2;
}

static int linear_add(struct buckets *b, struct wide value, uint64_t count, struct err *e)
{
	size_t most = b->fixed ? BUCKETS_MAX : BUCKETS_FEW;
	struct wide at, first, last;

	for (;;) {
		at = wide_div_floor(value, b->step);
		first = b->n ? wide_min(b->first, at) : at;
		last = b->n ? wide_max(bucket_number(b, b->n - 1), at) : at;
		if (wide_cmp(wide_sub(last, first), wide_u(most)) < 0)
			break;
		if (b->fixed) {
			err_set(e, -E2BIG, "the values need more than %u buckets of %llu", BUCKETS_MAX, llu(b->step));
			return err_hint(e, "use a larger step, or none, or omit linear");
		}
		halve(b);
	}
	if (b->n) {
		size_t before = (size_t)wide_sub(b->first, first).lo;

		memmove(b->count + before, b->count, b->n * sizeof(*b->count));
		memset(b->count, 0, before * sizeof(*b->count));
	}
	b->first = first;
	b->n = (size_t)wide_sub(last, first).lo + 1;
	count_add(&b->count[wide_sub(at, first).lo], count);
	return 0;
}

static unsigned log2_floor(uint64_t v)
{
	return 63u - (unsigned)__builtin_clzll(v);
}

int buckets_add(struct buckets *b, struct wide value, uint64_t count, struct err *e)
{
	if (!b->log2)
		return linear_add(b, value, count, e);
	if (wide_is_neg(value))
		count_add(&b->count[0], count);
	else if (wide_is_zero(value))
		count_add(&b->count[1], count);
	else
		count_add(&b->count[2 + log2_floor(value.hi ? UINT64_MAX : value.lo)], count);
	return 0;
}

static struct wide pow2(size_t n)
{
	return wide_shl(wide_u(1), (unsigned)n);
}

static struct wide below(struct wide v)
{
	return wide_sub(v, wide_u(1));
}

static void limits_log2(size_t i, struct wide *lo, struct wide *hi)
{
	*lo = i == 0 ? wide_s(INT64_MIN) : i == 1 ? wide_u(0) : pow2(i - 2);
	*hi = i == 0 ? wide_s(-1) : i == 1 ? wide_u(0) : below(pow2(i - 1));
}

static void limits_linear(struct wide at, uint64_t step, struct wide *lo, struct wide *hi)
{
	struct wide least = wide_s(INT64_MIN), most = wide_u(UINT64_MAX), from = wide_times(at, step);

	*lo = wide_min(wide_max(from, least), most);
	*hi = wide_min(wide_add(from, wide_u(step - 1)), most);
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
			limits_linear(bucket_number(b, i), b->step, &ret->bucket[i].lo, &ret->bucket[i].hi);
	}
	histogram_trim(ret);
}

void slots_limits(const struct slots *how, struct bucket *ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t slot = how->bcc && i ? i - 1 : i;

		if (!how->log2) {
			limits_linear(wide_u(i), how->step ? how->step : 1, &ret[i].lo, &ret[i].hi);
			continue;
		}
		ret[i].lo = slot ? pow2(slot) : wide_u(0);
		ret[i].hi = how->bcc && !i ? wide_u(0) : below(pow2(slot + 1));
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
