/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_VALUE_INTEGER_READ_H
#define BTF_VALUE_INTEGER_READ_H

#include <stdbool.h>
#include "btf/reader.h"
#include "btf/value/number.h"

/* The last number or string as an integer without its sign. 0; -EINVAL: it is none; -ERANGE: it has more than 128 bits.
 */
int integer_parse(const struct jsonr *r, bool *ret_minus, struct wide *ret);
/* An integer of so many bits that may be signed, unsigned or (what is printed of an enum) either. 0 or -EINVAL with a
 * sentence. */
int integer_read(struct reader *rd, enum jsonr_token t, unsigned bits, bool is_signed, bool is_unsigned,
		 struct wide *ret);
/* Says that the last number does not fit in so many bits: -EINVAL. */
int integer_range_error(struct reader *rd, unsigned bits, bool is_signed);
/* How many characters of a refused text a sentence shows, for %.*s. */
static inline int integer_shown(const struct jsonr *r)
{
	return (int)(r->len < 40 ? r->len : 40);
}

#endif
