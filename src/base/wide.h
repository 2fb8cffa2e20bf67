/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Signed integers of 128 bits in two's complement: for every 64-bit number, signed or not, and for sums and differences
 * of them. Compilers for 32 bits have no __int128.
 */
struct wide {
	uint64_t lo, hi;
};
#define WIDE_U(v) ((struct wide){ (v), 0 }) /* of a uint64_t, also in initializers */

static inline struct wide wide_u(uint64_t v)
{
	return (struct wide){ v, 0 };
}
static inline struct wide wide_s(int64_t v)
{
	return (struct wide){ (uint64_t)v, v < 0 ? UINT64_MAX : 0 };
}
static inline bool wide_is_neg(struct wide v)
{
	return v.hi >> 63;
}
static inline bool wide_is_zero(struct wide v)
{
	return !(v.lo | v.hi);
}

static inline struct wide wide_add(struct wide a, struct wide b)
{
	uint64_t lo = a.lo + b.lo;

	return (struct wide){ lo, a.hi + b.hi + (lo < a.lo) };
}

static inline struct wide wide_neg(struct wide v)
{
	return (struct wide){ 0 - v.lo, ~v.hi + !v.lo };
}
static inline struct wide wide_sub(struct wide a, struct wide b)
{
	return wide_add(a, wide_neg(b));
}
static inline struct wide wide_abs(struct wide v)
{
	return wide_is_neg(v) ? wide_neg(v) : v;
}

/* Less than 0, 0 or more than 0, as memcmp(). */
static inline int wide_cmp(struct wide a, struct wide b)
{
	if (a.hi != b.hi)
		return (int64_t)a.hi < (int64_t)b.hi ? -1 : 1;
	return (a.lo > b.lo) - (a.lo < b.lo);
}

/* The same for unsigned numbers. */
static inline int wide_cmp_u(struct wide a, struct wide b)
{
	if (a.hi != b.hi)
		return a.hi < b.hi ? -1 : 1;
	return (a.lo > b.lo) - (a.lo < b.lo);
}

static inline struct wide wide_min(struct wide a, struct wide b)
{
	return wide_cmp(a, b) < 0 ? a : b;
}
static inline struct wide wide_max(struct wide a, struct wide b)
{
	return wide_cmp(a, b) > 0 ? a : b;
}

/* Shift by 0 to 127 bits; zeros are shifted in. */
static inline struct wide wide_shl(struct wide v, unsigned n)
{
	if (n >= 64)
		return (struct wide){ 0, v.lo << (n - 64) };
	return n ? (struct wide){ v.lo << n, v.hi << n | v.lo >> (64 - n) } : v;
}

static inline struct wide wide_shr(struct wide v, unsigned n)
{
	if (n >= 64)
		return (struct wide){ v.hi >> (n - 64), 0 };
	return n ? (struct wide){ v.lo >> n | v.hi << (64 - n), v.hi >> n } : v;
}

/* The product of two unsigned numbers. */
static inline struct wide wide_mul(uint64_t a, uint64_t b)
{
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t low = al * bl, mid = ah * bl + (low >> 32), mid2 = al * bh + (uint32_t)mid;

	return (struct wide){ mid2 << 32 | (uint32_t)low, ah * bh + (mid >> 32) + (mid2 >> 32) };
}

/* The low 128 bits of the product. */
static inline struct wide wide_times(struct wide v, uint64_t by)
{
	struct wide ret = wide_mul(v.lo, by);

	ret.hi += v.hi * by;
	return ret;
}

struct wide wide_div(struct wide v, uint64_t by);	/* towards zero; @by is not 0 */
struct wide wide_div_floor(struct wide v, uint64_t by); /* downwards */
double wide_double(struct wide v);
