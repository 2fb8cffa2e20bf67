/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_VALUE_NUMBER_H
#define BTF_VALUE_NUMBER_H

#include <stdbool.h>
#include <string.h>
#include "btf/value/plan.h"

/* What a step is, and the number in its bytes, which are all there. */

static inline bool step_is_number(const struct step *s)
{
	switch (s->op) {
	case STEP_OBJECT: case STEP_ARRAY: case STEP_END: case STEP_LIST: case STEP_TEXT: case STEP_EMPTY: case STEP_NULL:
	case STEP_FLOAT: case STEP_DOUBLE:
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

/* Has the top bit of a bit field of up to 64 bits a sign? Of an enum: clang up to 14 says so of all of them. */
static inline bool step_bits_signed(const struct step *s)
{
	return s->flags & STEP_SIGNED && s->bits <= 64 && (!s->n || s->words[0].value < 0);
}

/* Enums are as wide as their bytes, with a sign: clang up to 14 does not say whether they have one. */
static inline __int128 step_number(const struct step *s, const unsigned char *p)
{
	unsigned __int128 wide = 0;
	uint64_t v = 0;

	switch (s->op) {
	case STEP_S8: return (int8_t)p[0];
	case STEP_S16: { int16_t n; memcpy(&n, p, sizeof(n)); return n; }
	case STEP_S32: { int32_t n; memcpy(&n, p, sizeof(n)); return n; }
	case STEP_S64: { int64_t n; memcpy(&n, p, sizeof(n)); return n; }
	case STEP_BITS:
		memcpy(&wide, p, s->size < sizeof(wide) ? s->size : sizeof(wide));
		wide >>= s->shift;
		if (s->size > sizeof(wide))
			wide |= (unsigned __int128)p[16] << (128 - s->shift);
		if (s->bits < 128)
			wide &= ((unsigned __int128)1 << s->bits) - 1;
		if (step_bits_signed(s) && wide >> (s->bits - 1))
			return (__int128)wide - ((__int128)1 << s->bits);
		return (__int128)(wide >> 127 ? ~(unsigned __int128)0 >> 1 : wide);	/* more than any number we compare with */
	case STEP_ENUM:
		memcpy(&v, p, s->size);
		return (int64_t)(v << (64 - 8 * s->size)) >> (64 - 8 * s->size);
	case STEP_U8: case STEP_CHAR: return p[0];
	case STEP_U16: { uint16_t n; memcpy(&n, p, sizeof(n)); return n; }
	case STEP_U32: { uint32_t n; memcpy(&n, p, sizeof(n)); return n; }
	case STEP_BOOL:
		memcpy(&v, p, s->size < sizeof(v) ? s->size : sizeof(v));
		return v != 0;
	case STEP_FORMAT:
		if (format_is_number((enum format)s->format))
			return format_number((enum format)s->format, p, s->size);
		/* fall through */
	default:
		memcpy(&v, p, s->size < sizeof(v) ? s->size : sizeof(v));
		return v;
	}
}

static inline double step_double(const struct step *s, const unsigned char *p)
{
	double d;
	float f;

	if (s->op == STEP_DOUBLE) {
		memcpy(&d, p, sizeof(d));
		return d;
	}
	memcpy(&f, p, sizeof(f));
	return f;
}

#endif
