/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/swap.h"

static void reverse(unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		unsigned char c = p[i];

		p[i] = p[n - 1 - i];
		p[n - 1 - i] = c;
	}
}

size_t swap_record(const char *record, unsigned char *p, size_t n)
{
	size_t at = 0;

	for (; *record; record++) {
		size_t count = 0, size;

		for (; *record >= '0' && *record <= '9'; record++)
			count = count * 10 + (size_t)(*record - '0');
		count = count ? count : 1;
		size = *record == 'H' ? 2 : *record == 'I' ? 4 : *record == 'Q' ? 8 : 1;
		for (; count; count--, at += size)
			if (at + size <= n)
				reverse(p + at, size);
	}
	return at;
}

void swap_records(const char *record, unsigned char *p, size_t n)
{
	for (size_t size; n; p += size, n -= size) {
		size = swap_record(record, p, n);
		size = size < n ? size : n;
	}
}
