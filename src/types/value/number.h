/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/bytes.h"
#include "base/wide.h"
#include "types/value/plan.h"

/* The kind of a step, and the number in its bytes, all of which must be there. */

static inline bool step_is_number(const struct step *s)
{
	switch (s->op) {
	case STEP_OBJECT:
	case STEP_ARRAY:
	case STEP_END:
	case STEP_LIST:
	case STEP_TEXT:
	case STEP_EMPTY:
	case STEP_NULL:
	case STEP_FLOAT:
	case STEP_DOUBLE:
		return false;
	case STEP_FORMAT:
		return s->size <= sizeof(uint64_t) && s->format != FORMAT_MAC && s->format != FORMAT_STR;
	default:
		return true;
	}
}

static inline bool step_is_enum(const struct step *s)
{
	return s->op == STEP_ENUM || (s->op == STEP_BITS && s->n);
}

/*
 * True if the top bit of a bit field is a sign. For an enum it is only if a value is negative: clang up to 14 marks all
 * enums as signed.
 */
static inline bool step_bits_signed(const struct step *s)
{
	return s->flags & STEP_SIGNED && (!s->n || s->words[0].value < 0);
}

static inline bool step_is_big(const struct step *s)
{
	return s->flags & STEP_BIG;
}
/* A number of up to 8 bytes, unsigned. */
static inline uint64_t step_uint(const struct step *s, const unsigned char *p)
{
	return load_uint(p, s->size, step_is_big(s));
}

/*
 * A bit field of up to 128 bits, unsigned. If the most significant byte comes first, so does the most significant bit.
 */
static inline struct wide step_bits(const struct step *s, const unsigned char *p)
{
	bool big = step_is_big(s);
	size_t low = s->size < 16 ? s->size : 16, rest = s->size - low, first = low < 8 ? low : 8;
	unsigned shift = big ? 8 * (unsigned)s->size - s->shift - s->bits : s->shift;
	struct wide v = { 0 };

	p += big ? rest : 0;
	v.lo = load_uint(big ? p + low - first : p, first, big);
	v.hi = load_uint(big ? p : p + first, low - first, big);
	v = wide_shr(v, shift);
	if (rest && shift)
		v.hi |= (uint64_t)p[big ? -1 : 16] << (64 - shift);
	if (s->bits <= 64)
		return wide_u(v.lo & ~0ull >> (64 - s->bits));
	v.hi &= ~0ull >> (128 - s->bits);
	return v;
}

/*
 * The value of a number, which step_number_cmp() compares. Enums are sign-extended from their bytes, because clang up
 * to 14 does not record whether they are signed.
 */
static inline struct wide step_number(const struct step *s, const unsigned char *p)
{
	struct wide v;

	switch (s->op) {
	case STEP_S8:
	case STEP_S16:
	case STEP_S32:
	case STEP_S64:
	case STEP_ENUM:
		return wide_s(load_int(p, s->size, step_is_big(s)));
	case STEP_BOOL:
		return wide_u(step_uint(s, p) != 0);
	case STEP_BITS:
		v = step_bits(s, p);
		if (s->bits == 128 || !step_bits_signed(s) || !(wide_shr(v, s->bits - 1u).lo & 1))
			return v;
		return wide_sub(v, wide_shl(wide_u(1), s->bits));
	case STEP_FORMAT:
		if (format_is_number((enum format)s->format))
			return wide_u(format_number((enum format)s->format, p, s->size));
		/* fall through */
	default:
		return wide_u(step_uint(s, p));
	}
}

/* Compares two numbers of a step, as memcmp(). Only unsigned ones of 128 bits do not fit in a signed number. */
static inline int step_number_cmp(const struct step *s, struct wide a, struct wide b)
{
	return s->op == STEP_BITS && s->bits == 128 && !step_bits_signed(s) ? wide_cmp_u(a, b) : wide_cmp(a, b);
}

static inline double step_double(const struct step *s, const unsigned char *p)
{
	uint64_t u64 = step_uint(s, p);
	uint32_t u32 = (uint32_t)u64;
	double d;
	float f;

	if (s->op == STEP_DOUBLE) {
		memcpy(&d, &u64, sizeof(d));
		return d;
	}
	memcpy(&f, &u32, sizeof(f));
	return f;
}
