/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "types/value/scalar_read.h"
#include "types/value/number.h"

/* Sets the error that @wanted, "an array", was expected instead of @t. */
int shape_error(struct reader *rd, enum jsonr_token t, const char *wanted);
/*
 * Parses text as an integer, in decimal or as 0x..., and its sign apart from it. 0; -EINVAL: not an integer; -ERANGE:
 * more than 128 bits.
 */
int integer_parse(const char *p, size_t n, bool *ret_minus, struct wide *ret);
/*
 * Reads an integer of @bits bits that may be signed, unsigned or (as enums are printed) either. 0, or -EINVAL with a
 * message.
 */
int integer_read(struct reader *rd, enum jsonr_token t, unsigned bits, bool is_signed, bool is_unsigned,
		 struct wide *ret);
/* Reports that the last number does not fit in @bits bits: -EINVAL. */
int integer_range_error(struct reader *rd, unsigned bits, bool is_signed);
/* How many characters of a refused text a message shows, for %.*s. */
static inline int integer_shown(const struct jsonr *r)
{
	return (int)(r->len < 40 ? r->len : 40);
}
