/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys of tries: the number of bits, then the bits. */
#include "fake.h"

uint32_t prefix_of(const unsigned char *key)
{
	uint32_t ret;

	memcpy(&ret, key, sizeof(ret));
	return ret;
}

/* Of the first @max bits, how many are equal? */
uint32_t prefix_common(const unsigned char *a, const unsigned char *b, uint32_t max)
{
	uint32_t n = 0;

	while (n < max && !((a[4 + n / 8] ^ b[4 + n / 8]) >> (7 - n % 8) & 1))
		n++;
	return n;
}

/* The order of trie_get_next_key(): prefixes after those that begin with them, else 0 before 1. */
bool prefix_is_before(const unsigned char *a, const unsigned char *b)
{
	const uint32_t na = prefix_of(a), nb = prefix_of(b), min = na < nb ? na : nb, n = prefix_common(a, b, min);

	return n == min ? na > nb : !(a[4 + n / 8] >> (7 - n % 8) & 1);
}
