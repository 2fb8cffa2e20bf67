/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* Integers in memory, of any alignment. The byte order is an argument; @big: the most significant byte comes first. */
#define BIG_HERE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Read an unsigned integer of 0 to 8 bytes; of a longer one, the 8 least significant bytes. */
static inline uint64_t load_uint(const void *bytes, size_t size, bool big)
{
	const unsigned char *p = bytes;
	uint64_t v = 0;

	if (size > sizeof(v)) {
		p += big ? size - sizeof(v) : 0;
		size = sizeof(v);
	}
	if (size == 4) {
		uint32_t u32;

		memcpy(&u32, p, sizeof(u32));
		return big == BIG_HERE ? u32 : __builtin_bswap32(u32);
	}
	if (size == sizeof(v)) {
		memcpy(&v, p, sizeof(v));
		return big == BIG_HERE ? v : __builtin_bswap64(v);
	}
	for (size_t i = 0; i < size; i++)
		v = v << 8 | p[big ? i : size - 1 - i];
	return v;
}

/* Read a signed integer of 1 to 8 bytes. */
static inline int64_t load_int(const void *bytes, size_t size, bool big)
{
	unsigned above = size < 8 ? 64 - 8 * (unsigned)size : 0;

	return (int64_t)(load_uint(bytes, size, big) << above) >> above;
}

/* Write the integer @v in @size bytes; bytes above the eighth become zero. */
static inline void store_uint(void *bytes, size_t size, uint64_t v, bool big)
{
	unsigned char *p = bytes;

	for (size_t i = 0; i < size; i++, v = i < 8 ? v >> 8 : 0)
		p[big ? size - 1 - i : i] = (unsigned char)v;
}

/* Reverse the bytes of each uint32_t; a shorter rest at the end is not changed. */
static inline void words_swap(void *bytes, size_t n)
{
	unsigned char *p = bytes;

	for (uint32_t word; n >= sizeof(word); p += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		word = __builtin_bswap32(word);
		memcpy(p, &word, sizeof(word));
	}
}
