/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdio.h>
#include <string.h>
#include "base/base.h"
#include "base/bytes.h"

/* Handmade tar files, right or wrong on purpose. */

#if BIG_HERE
#define META "bpflens 0\nendian big\npointer 8\n"
#else
#define META "bpflens 0\nendian little\npointer 8\n"
#endif

static inline void ball_sum(char *block)
{
	unsigned sum = 0;

	memset(block + 148, ' ', 8);
	for (int i = 0; i < 512; i++)
		sum += (unsigned char)block[i];
	snprintf(block + 148, 8, "%06o", sum & 0777777);
}

/* Append a header; returns its offset, so that the caller can change it and renew its checksum. @size: below 8 GiB. */
static inline size_t ball_header(struct str *s, char type, const char *name, unsigned long long size)
{
	char h[512] = { 0 };

	memcpy(h, name, strlen(name) < 100 ? strlen(name) : 100);
	memcpy(h + 100, "0000600", 8);
	snprintf(h + 124, 12, "%011llo", size & 077777777777);
	memcpy(h + 136, "00000000000", 12);
	h[156] = type;
	memcpy(h + 257, "ustar\00000", 8);
	ball_sum(h);
	str_add(s, h, sizeof(h));
	return s->n - sizeof(h);
}

static inline void ball_data(struct str *s, const void *p, size_t n)
{
	static const char zeros[512];

	str_add(s, p, n);
	str_add(s, zeros, (512 - n % 512) % 512);
}

static inline void ball_member(struct str *s, char type, const char *name, const void *p, size_t n)
{
	ball_header(s, type, name, n);
	ball_data(s, p, n);
}

static inline void ball_text(struct str *s, const char *name, const char *text)
{
	ball_member(s, '0', name, text, strlen(text));
}

/* The member that every archive starts with; returns the offset after it. */
static inline size_t ball_meta(struct str *s)
{
	ball_text(s, "meta", META);
	return s->n;
}

static inline void ball_end(struct str *s)
{
	static const char zeros[1024];

	str_add(s, zeros, sizeof(zeros));
}
