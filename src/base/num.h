/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define NSEC_PER_SEC INT64_C(1000000000) /* unsigned together with unsigned operands */
#define NSEC_PER_MSEC INT64_C(1000000)
#define NSEC_PER_USEC INT64_C(1000)

/* <0, 0, >0, as qsort(3) needs it; both are evaluated twice. NUM_CMP(a->x, b->x) ?: NUM_CMP(a->y, b->y) orders by x,
 * then y. */
#define NUM_CMP(a, b) (((a) > (b)) - ((a) < (b)))
int num_order_u32(const void *a, const void *b); /* for qsort(3) and bsearch(3) of an array of uint32_t */

/* For %llu and %llx: uint64_t is another type on some machines. */
static inline unsigned long long llu(uint64_t v)
{
	return v;
}

/*
 * Numbers to text and back, without locale or printf's cost. Parsers accept decimal, 0x hex and 0 octal, the whole
 * string and nothing else: no sign, no blanks, no overflow. They return 0, -EINVAL or -ERANGE.
 */
int num_parse_u32(const char *s, uint32_t *ret);
int num_parse_u64(const char *s, uint64_t *ret);
/* With an optional suffix K, M, G or T (powers of 1024), before which there may be one decimal place: "1.5K". */
int num_parse_size(const char *s, uint64_t *ret);

/* 0..15, in either case; -1: not a hexadecimal digit. */
static inline int num_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * The byte written as two hexadecimal digits, 0..255; -1: they are not. The second is not read if the first is not a
 * digit.
 */
static inline int num_hex_byte(const char *p)
{
	const int high = num_hex_digit(p[0]), low = high < 0 ? -1 : num_hex_digit(p[1]);

	return low < 0 ? -1 : high << 4 | low;
}

/* A finite number with an optional fraction and exponent: the whole string. 0 or -EINVAL. */
int num_parse_real(const char *s, double *ret);
/* A span of time, 90s, 5m, 1h30m, 2d or 1w, to seconds: the whole string. 0, -EINVAL or -ERANGE. */
int num_parse_span(const char *s, uint64_t *ret);
/* The same, or a fraction of a unit, as num_nsec() writes it, "1.2ms" and "870ns" also, to nanoseconds. */
int num_parse_nsec(const char *s, uint64_t *ret);
/* A number of seconds in one unit, rounded down: "59s", "5m", "47h", "99d"; returns buf. */
#define NUM_SPAN 32
char *num_span(char buf[NUM_SPAN], uint64_t seconds);
/* The shortest text that reads back equal, as in JSON, with an exponent from 1e+15 on; returns buf. size >= NUM_REAL */
#define NUM_REAL 40
char *num_real(char *buf, size_t size, double v);

/* Write v at p, no NUL; returns the position after it. At most 20 (dec) or 16 (hex) bytes. */
char *num_dec(char *p, uint64_t v);
char *num_hex(char *p, uint64_t v); /* lower case, no 0x, no leading zeros */
extern const char num_hex2[256][2]; /* "00".."ff" */

/* "0", "999", "1.5K", "12M", ... for tables; returns buf. size >= 8 */
char *num_human(char *buf, size_t size, uint64_t bytes);
/* "870ns", "1.2ms", "3.4s", "5m07s", ... ; returns buf. size >= 16 */
char *num_nsec(char *buf, size_t size, uint64_t ns);
