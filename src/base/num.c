/* SPDX-License-Identifier: BSD-2-Clause */

#include <math.h>

#include "base/base.h"

#define HEX_ROW(h) \
	{ h, '0' }, { h, '1' }, { h, '2' }, { h, '3' }, { h, '4' }, { h, '5' }, { h, '6' }, { h, '7' }, { h, '8' }, \
		{ h, '9' }, { h, 'a' }, { h, 'b' }, { h, 'c' }, { h, 'd' }, { h, 'e' }, \
	{ \
		h, 'f' \
	}
const char num_hex2[256][2] = {
	HEX_ROW('0'), HEX_ROW('1'), HEX_ROW('2'), HEX_ROW('3'), HEX_ROW('4'), HEX_ROW('5'), HEX_ROW('6'), HEX_ROW('7'),
	HEX_ROW('8'), HEX_ROW('9'), HEX_ROW('a'), HEX_ROW('b'), HEX_ROW('c'), HEX_ROW('d'), HEX_ROW('e'), HEX_ROW('f'),
};

#define DEC_ROW(d) \
	{ d, '0' }, { d, '1' }, { d, '2' }, { d, '3' }, { d, '4' }, { d, '5' }, { d, '6' }, { d, '7' }, { d, '8' }, \
	{ \
		d, '9' \
	}
static const char dec2[100][2] = {
	DEC_ROW('0'), DEC_ROW('1'), DEC_ROW('2'), DEC_ROW('3'), DEC_ROW('4'),
	DEC_ROW('5'), DEC_ROW('6'), DEC_ROW('7'), DEC_ROW('8'), DEC_ROW('9'),
};

int num_order_u32(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return NUM_CMP(*x, *y);
}

/* The number at the start of s; *end is the text after it, also if the number is too large. */
static int parse_prefix(const char *s, const char **end, uint64_t *ret)
{
	unsigned base = 10, digits = 0;
	bool overflow = false;
	uint64_t v = 0;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	} else if (s[0] == '0') {
		base = 8;
	}
	for (; (unsigned)num_hex_digit(*s) < base; s++, digits++)
		overflow = overflow || __builtin_mul_overflow(v, (uint64_t)base, &v) ||
			   __builtin_add_overflow(v, (uint64_t)num_hex_digit(*s), &v);
	if (!digits)
		return -EINVAL;
	*end = s;
	if (overflow)
		return -ERANGE;
	*ret = v;
	return 0;
}

int num_parse_u64(const char *s, uint64_t *ret)
{
	const char *end;
	uint64_t v = 0;
	int err = parse_prefix(s, &end, &v);

	if (err == -EINVAL || *end)
		return -EINVAL;
	if (err)
		return err;
	*ret = v;
	return 0;
}

static const struct time_span {
	char unit;
	uint64_t seconds, most;
} spans[] = {
	{ 's', 1, 60 },
	{ 'm', 60, 60 * 60 },
	{ 'h', 60 * 60, 2 * 24 * 60 * 60 },
	{ 'd', 24 * 60 * 60, UINT64_MAX },
	{ 'w', 7 * 24 * 60 * 60, 0 },
};

int num_parse_span(const char *s, uint64_t *ret)
{
	uint64_t sum = 0, v;

	if (!*s)
		return -EINVAL;
	while (*s) {
		const struct time_span *u = spans;
		char *end;

		if (!isdigit((unsigned char)*s))
			return -EINVAL;
		errno = 0;
		v = strtoull(s, &end, 10);
		while (u < spans + ARRAY_SIZE(spans) && u->unit != *end)
			u++;
		if (u == spans + ARRAY_SIZE(spans))
			return -EINVAL;
		if (errno || __builtin_mul_overflow(v, u->seconds, &v) || __builtin_add_overflow(sum, v, &sum))
			return -ERANGE;
		s = end + 1;
	}
	*ret = sum;
	return 0;
}

char *num_span(char buf[NUM_SPAN], uint64_t seconds)
{
	const struct time_span *u = spans;

	while (seconds >= u->most)
		u++;
	snprintf(buf, NUM_SPAN, "%llu%c", llu(seconds / u->seconds), u->unit);
	return buf;
}

int num_parse_real(const char *s, double *ret)
{
	char *end;
	double v;

	/* strtod() also takes blanks, words and hexadecimal fractions. */
	if (!*s || s[strspn(s, "+-.0123456789eE")])
		return -EINVAL;
	v = strtod(s, &end);
	if (*end || !isfinite(v))
		return -EINVAL;
	*ret = v;
	return 0;
}

char *num_real(char *buf, size_t size, double v)
{
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(buf, size, "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	/* 100, not 1e+02 */
	if (strchr(buf, 'e') && (v >= 1 || v <= -1) && v > -1e15 && v < 1e15)
		snprintf(buf, size, "%.15g", v);
	return buf;
}

int num_parse_u32(const char *s, uint32_t *ret)
{
	uint64_t v;
	int err = num_parse_u64(s, &v);

	if (err)
		return err;
	if (v > UINT32_MAX)
		return -ERANGE;
	*ret = (uint32_t)v;
	return 0;
}

int num_parse_size(const char *s, uint64_t *ret)
{
	static const char suffix[] = "KMGT";
	const char *end, *at;
	unsigned shift = 0, tenths = 0;
	uint64_t v = 0;
	int err = parse_prefix(s, &end, &v);

	if (err == -EINVAL)
		return err;
	if (*end == '.' && isdigit((unsigned char)end[1]) && end[2]) {
		tenths = (unsigned)(end[1] - '0');
		end += 2;
	}
	if (*end) {
		at = strchr(suffix, *end);
		if (!at || end[1])
			return -EINVAL;
		shift = 10 * (unsigned)(at - suffix + 1);
	}
	if (err || v > UINT64_MAX >> shift)
		return -ERANGE;
	v <<= shift;
	return __builtin_add_overflow(v, tenths * (UINT64_C(1) << shift) / 10, ret) ? -ERANGE : 0;
}

char *num_dec(char *p, uint64_t v)
{
	char tmp[20], *q = tmp + sizeof(tmp);

	while (v >= 100) {
		q -= 2;
		memcpy(q, dec2[v % 100], 2);
		v /= 100;
	}
	if (v >= 10) {
		q -= 2;
		memcpy(q, dec2[v], 2);
	} else {
		*--q = (char)('0' + v);
	}
	memcpy(p, q, (size_t)(tmp + sizeof(tmp) - q));
	return p + (tmp + sizeof(tmp) - q);
}

char *num_hex(char *p, uint64_t v)
{
	unsigned digits = v ? (67 - (unsigned)__builtin_clzll(v)) / 4 : 1, i;

	for (i = digits; i-- > 0; v >>= 4)
		p[i] = num_hex2[v & 0xf][1];
	return p + digits;
}

/* Both round down: a size or time shown was reached, and 1023.99K never becomes 1024K. */
char *num_human(char *buf, size_t size, uint64_t bytes)
{
	static const char suffix[] = " KMGTPE";
	unsigned unit = 0, tenth;
	uint64_t whole = bytes;

	while (whole >= 1024) {
		whole >>= 10;
		unit++;
	}
	if (!unit) {
		snprintf(buf, size, "%" PRIu64, whole);
		return buf;
	}
	tenth = (unsigned)(((bytes >> (10 * (unit - 1))) & 1023) * 10 / 1024);
	if (whole < 10 && tenth)
		snprintf(buf, size, "%u.%u%c", (unsigned)whole, tenth, suffix[unit]);
	else
		snprintf(buf, size, "%u%c", (unsigned)whole, suffix[unit]);
	return buf;
}

static const struct {
	uint64_t ns;
	const char *word;
} nsec_units[] = { { NSEC_PER_SEC, "s" }, { NSEC_PER_MSEC, "ms" }, { NSEC_PER_USEC, "us" }, { 1, "ns" } };

char *num_nsec(char *buf, size_t size, uint64_t ns)
{
	uint64_t s = ns / NSEC_PER_SEC;
	unsigned i, tenth;

	if (s >= 86400)
		snprintf(buf, size, "%" PRIu64 "d%02uh", s / 86400, (unsigned)(s % 86400 / 3600));
	else if (s >= 3600)
		snprintf(buf, size, "%uh%02um", (unsigned)(s / 3600), (unsigned)(s % 3600 / 60));
	else if (s >= 60)
		snprintf(buf, size, "%um%02us", (unsigned)(s / 60), (unsigned)(s % 60));
	else if (ns < 1000)
		snprintf(buf, size, "%uns", (unsigned)ns);
	else {
		for (i = 0; ns < nsec_units[i].ns; i++)
			;
		tenth = (unsigned)(ns / (nsec_units[i].ns / 10) % 10);
		if (ns / nsec_units[i].ns < 100 && tenth)
			snprintf(buf, size, "%u.%u%s", (unsigned)(ns / nsec_units[i].ns), tenth, nsec_units[i].word);
		else
			snprintf(buf, size, "%u%s", (unsigned)(ns / nsec_units[i].ns), nsec_units[i].word);
	}
	return buf;
}

int num_parse_nsec(const char *s, uint64_t *ret)
{
	const size_t digits = strspn(s, "0123456789"),
		     point = s[digits] == '.' && isdigit((unsigned char)s[digits + 1]);
	uint64_t v, sum;
	char *end;
	int err;

	for (size_t i = 0; digits && i < ARRAY_SIZE(nsec_units); i++) {
		if (strcmp(s + digits + 2 * point, nsec_units[i].word) != 0)
			continue;
		errno = 0;
		v = strtoull(s, &end, 10);
		sum = point ? (uint64_t)(s[digits + 1] - '0') * nsec_units[i].ns / 10 : 0;
		if (errno || __builtin_mul_overflow(v, nsec_units[i].ns, &v) || __builtin_add_overflow(sum, v, ret))
			return -ERANGE;
		return 0;
	}
	err = num_parse_span(s, &v);
	return err ? err : __builtin_mul_overflow(v, (uint64_t)NSEC_PER_SEC, ret) ? -ERANGE : 0;
}
