/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/value/scalar_read.h"

#include <math.h>

#include "types/value/path.h"
#include "types/value/integer_read.h"
#include "types/value/number.h"

static int bits_put(struct reader *rd, unsigned char *p, const unsigned char *v, const unsigned char *mask, size_t n)
{
	unsigned char *known = rd->known ? rd->known + (p - rd->bytes) : NULL;
	size_t i;

	if (rd->second)
		return 0;
	for (i = 0; i < n; i++) {
		if (known && (p[i] ^ v[i]) & known[i] & mask[i])
			return err_set(rd->e, -EINVAL, "contradicts another member of the same union");
		p[i] = (unsigned char)((p[i] & ~mask[i]) | (v[i] & mask[i]));
		if (known)
			known[i] |= mask[i];
	}
	return 0;
}

static int scalar_store(struct reader *rd, unsigned char *p, const void *v, size_t n)
{
	static const unsigned char all[16] = { 255, 255, 255, 255, 255, 255, 255, 255,
					       255, 255, 255, 255, 255, 255, 255, 255 };
	const unsigned char *from = v;
	size_t i, part;
	int err;

	if (!rd->known) {
		memcpy(p, v, n);
		return 0;
	}
	for (i = 0; i < n; i += part) {
		part = n - i < sizeof(all) ? n - i : sizeof(all);
		err = bits_put(rd, p + i, from + i, all, part);
		if (err)
			return err;
	}
	return 0;
}

static int put_uint(struct reader *rd, const struct step *s, unsigned char *p, uint64_t v)
{
	unsigned char bytes[16];

	store_uint(bytes, s->size, v, step_is_big(s));
	return scalar_store(rd, p, bytes, s->size);
}

/* The most frequent numbers: few digits, no sign. */
static bool small_number(const struct jsonr *r, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i;

	if (r->len > 18 || (r->text[0] == '0' && r->len > 1))
		return false;
	for (i = 0; i < r->len; i++) {
		unsigned d = (unsigned)(r->text[i] - '0');

		if (d > 9)
			return false;
		v = v * 10 + d;
	}
	*ret = v;
	return true;
}

static int int_read(struct reader *rd, const struct step *s, enum jsonr_token t, unsigned char *p)
{
	bool is_signed = s->op < STEP_U8;
	unsigned bits = 8u << (s->op & 3);
	uint64_t small;
	struct wide v;
	int err;

	if (t == JSONR_NUM && small_number(rd->r, &small) && small <= ~0ull >> (64 - bits) >> is_signed)
		return put_uint(rd, s, p, small);
	err = integer_read(rd, t, bits, is_signed, !is_signed, &v);
	return err ? err : put_uint(rd, s, p, v.lo);
}

/* The name in the last string, wherever it is in the list; NULL: no such name. */
static const struct step_word *word_of(const struct reader *rd, const struct step *s)
{
	uint32_t i;

	for (i = 0; i < s->n; i++)
		if (jsonr_equal(rd->r, s->words[i].text, s->words[i].len))
			return &s->words[i];
	return NULL;
}

static int word_error(struct reader *rd, const struct step *s)
{
	err_set(rd->e, -EINVAL, "'%.*s' is neither a number nor a name of this enum", integer_shown(rd->r),
		rd->r->text);
	return path_words_hint(s, rd->e);
}

/* The value of an enum of @bits bits. */
static int enum_value(struct reader *rd, const struct step *s, enum jsonr_token t, unsigned bits, struct wide *ret)
{
	const struct step_word *word = t == JSONR_STR ? word_of(rd, s) : NULL;
	bool minus;

	if (t == JSONR_STR && !word && integer_parse(rd->r->text, rd->r->len, &minus, ret) == -EINVAL)
		return word_error(rd, s);
	if (!word)
		return integer_read(rd, t, bits, true, true, ret);
	/* A 64-bit value of an unsigned enum looks negative. */
	*ret = wide_s(word->value);
	if (bits < 64 && (word->value < 0 ? word->value < -(1ll << (bits - 1)) : word->value >> bits))
		return integer_range_error(rd, bits, false);
	return 0;
}

static int enum_read(struct reader *rd, const struct step *s, enum jsonr_token t, unsigned char *p)
{
	struct wide v;
	int err = enum_value(rd, s, t, (unsigned)s->size * 8, &v);

	return err ? err : put_uint(rd, s, p, v.lo);
}

static int bits_read(struct reader *rd, const struct step *s, enum jsonr_token t, unsigned char *p)
{
	unsigned char bytes[17] = { 0 }, mask[17] = { 0 };
	bool minus;
	struct wide v = { 0 };
	unsigned i;
	int err;

	/* Numbers are read as printed, even if a name of the enum looks like one. */
	if (t == JSONR_STR && s->n && integer_parse(rd->r->text, rd->r->len, &minus, &v) == -EINVAL)
		err = enum_value(rd, s, t, s->bits, &v);
	else
		err = integer_read(rd, t, s->bits, s->flags & STEP_SIGNED, true, &v);
	if (err)
		return err;
	for (i = 0; i < s->bits; i++) {
		unsigned at = step_is_big(s) ? s->shift + s->bits - 1u - i : s->shift + i;
		unsigned char bit = (unsigned char)(step_is_big(s) ? 0x80 >> at % 8 : 1 << at % 8);

		mask[at / 8] |= bit;
		if (wide_shr(v, i).lo & 1)
			bytes[at / 8] |= bit;
	}
	return bits_put(rd, p, bytes, mask, s->size);
}

static int bool_open(struct reader *rd, const struct step *s, unsigned char *p)
{
	const unsigned char *known = rd->known + (p - rd->bytes);
	size_t i;

	rd->open = true;
	for (i = 0; i < s->size && rd->second; i++)
		if (p[i])
			return 0;
	for (i = 0; i < s->size && rd->second; i++) {
		unsigned free = (unsigned char)~known[i];

		p[i] = (unsigned char)(free & -free);
		if (p[i])
			return 0;
	}
	return rd->second ? err_set(rd->e, -EINVAL, "contradicts another member of the same union") : 0;
}

static int bool_read(struct reader *rd, const struct step *s, enum jsonr_token t, unsigned char *p)
{
	uint64_t v = t == JSONR_TRUE || (t == JSONR_STR && jsonr_equal(rd->r, "\"true\"", 6));
	struct wide number;
	int err;

	if (!v && t != JSONR_FALSE && !(t == JSONR_STR && jsonr_equal(rd->r, "\"false\"", 7))) {
		if (t != JSONR_NUM && t != JSONR_STR)
			return shape_error(rd, t, "true or false");
		err = integer_read(rd, t, 1, false, true, &number);
		if (err)
			return err_hint(rd->e, "true or false");
		v = number.lo;
	}
	return v && rd->known ? bool_open(rd, s, p) : put_uint(rd, s, p, v);
}

static int char_read(struct reader *rd, const struct step *s, enum jsonr_token t, unsigned char *p)
{
	unsigned char byte;
	uint32_t c;
	struct wide v;
	int err;

	if (t == JSONR_STR && rd->r->len && jsonr_char(rd->r, &c) == rd->r->len) {
		if (c > 0xff)
			return err_set(rd->e, -EINVAL, "'%.*s' is not a character of 8 bits", integer_shown(rd->r),
				       rd->r->text);
		byte = (unsigned char)c;
		return scalar_store(rd, p, &byte, 1);
	}
	err = integer_read(rd, t, 8, true, true, &v);
	return err ? err : put_uint(rd, s, p, v.lo);
}

static int pointer_read(struct reader *rd, const struct step *s, enum jsonr_token t, unsigned char *p)
{
	struct wide v = { 0 };
	int err = 0;

	if (t != JSONR_NULL && !(t == JSONR_STR && jsonr_equal(rd->r, "\"(nil)\"", 7)))
		err = integer_read(rd, t, 64, false, true, &v);
	return err ? err : put_uint(rd, s, p, v.lo);
}

/*
 * Reads "nan", or null, which older versions also printed for infinity. Inside a union, the unknown bits make it one of
 * these.
 */
static int float_open(struct reader *rd, const struct step *s, bool is_null, unsigned char *p)
{
	static const unsigned char ones[8] = { 255, 255, 255, 255, 255, 255, 255, 255 };
	const unsigned char *known = rd->known ? rd->known + (p - rd->bytes) : NULL;

	rd->open = true;
	if (!known)
		return scalar_store(rd, p, ones, s->size);
	if (!rd->second || isnan(step_double(s, p)) || (is_null && isinf(step_double(s, p))))
		return 0;
	for (size_t i = 0; i < s->size; i++)
		p[i] |= (unsigned char)~known[i];
	return isfinite(step_double(s, p)) || (!is_null && isinf(step_double(s, p))) ?
		       err_set(rd->e, -EINVAL, "contradicts another member of the same union") :
		       0;
}

static int float_read(struct reader *rd, const struct step *s, enum jsonr_token t, unsigned char *p)
{
	char text[64], *end;
	uint32_t u32;
	uint64_t v = 0;
	double d;
	float f;

	if (t == JSONR_NULL)
		return float_open(rd, s, true, p);
	if (t != JSONR_NUM && t != JSONR_STR)
		return shape_error(rd, t, "a number");
	if (!rd->r->len || rd->r->len >= sizeof(text))
		return err_set(rd->e, -EINVAL, "'%.*s' is not a number", integer_shown(rd->r), rd->r->text);
	memcpy(text, rd->r->text, rd->r->len);
	text[rd->r->len] = '\0';
	d = strtod(text, &end);
	if (*end) {
		err_set(rd->e, -EINVAL, "'%s' is not a number", text);
		return err_hint(rd->e, "a number, which may have a fraction, such as 1.5 or 2e9");
	}
	if (isnan(d))
		return float_open(rd, s, false, p);
	f = (float)d;
	if (isfinite(d) && s->op == STEP_FLOAT && !isfinite(f))
		return err_set(rd->e, -EINVAL, "%s does not fit in a float", text);
	if (s->op == STEP_FLOAT)
		memcpy(&u32, &f, sizeof(f));
	else
		memcpy(&v, &d, sizeof(d));
	return put_uint(rd, s, p, s->op == STEP_FLOAT ? u32 : v);
}

/* The bytes after the text are already zero. */
int text_read(struct reader *rd, const struct step *s, unsigned char *p)
{
	size_t n = jsonr_text(rd->r, NULL, 0);
	CLEAN_PTR char *text = NULL;

	if (n >= s->n)
		return err_set(rd->e, -EINVAL, "%zu characters do not fit: there is room for %u and a NUL", n,
			       s->n - 1);
	if (!rd->known && !rd->r->escaped && !memchr(rd->r->text, '\0', n)) {
		memcpy(p, rd->r->text, n);
		return 0;
	}
	text = calloc(n + 1, 1);
	if (!text)
		return err_set(rd->e, -ENOMEM, "no memory for text");
	jsonr_text(rd->r, text, n);
	if (memchr(text, '\0', n))
		return err_set(rd->e, -EINVAL, "text cannot contain a NUL");
	return scalar_store(rd, p, text, n + 1);
}

int format_put(struct reader *rd, const struct step *s, enum jsonr_token t, unsigned char *p)
{
	unsigned char bytes[FORMAT_TEXT];
	char text[FORMAT_TEXT];
	uint64_t ntext = 0;
	size_t n = t == JSONR_STR ? jsonr_text(rd->r, text, sizeof(text)) : rd->r->len;

	if (n < sizeof(text)) {
		if (t == JSONR_NUM)
			memcpy(text, rd->r->text, n);
		text[n] = '\0';
		ntext = memchr(text, '\0', n) ?
				0 :
				format_read(s->format, rd->plan->machine, text, bytes, s->size, step_is_big(s));
	}
	if (ntext)
		return scalar_store(rd, p, bytes, ntext);
	/* Read in the byte order of this machine, it would be another number. */
	if (format_is_number(s->format))
		return err_set(rd->e, -EINVAL, "'%.*s' is not a number from 0 to %llu", integer_shown(rd->r),
			       rd->r->text, ~0ull >> (64 - 8 * s->size));
	return -ENOENT;
}

/* Follows members that fill their struct: in_addr is its s_addr, in6_addr one of three arrays. */
static const struct step *innermost(const struct value_plan *plan, uint32_t i)
{
	const struct step *s = &plan->step[i];

	while (s->op == STEP_OBJECT && i + 1 < s->end - 1 && plan->step[i + 1].off == s->off &&
	       plan->step[i + 1].size == s->size)
		s = &plan->step[++i];
	return s;
}

int address_put(struct reader *rd, uint32_t i, unsigned char *p)
{
	const struct step *s = innermost(rd->plan, i);
	enum format f = s->size == 6 ? FORMAT_MAC : FORMAT_IP;
	enum step_op op = step_op(s);
	unsigned char bytes[16];
	char text[64];
	size_t n;

	if (!format_fits(f, s->size) || (op != STEP_LIST && op != STEP_U32 && op != STEP_S32))
		return -ENOENT;
	n = jsonr_text(rd->r, text, sizeof(text));
	if (n >= sizeof(text))
		return -ENOENT;
	text[n] = '\0';
	return memchr(text, '\0', n) || !format_read(f, NULL, text, bytes, s->size, step_is_big(s)) ?
		       -ENOENT :
		       scalar_store(rd, p + s->off, bytes, s->size);
}

int scalar_read(struct reader *rd, const struct step *s, enum jsonr_token t, unsigned char *p)
{
	struct step plain;
	int err;

	if (s->op <= STEP_INT_LAST)
		return int_read(rd, s, t, p);
	switch (s->op) {
	case STEP_FORMAT:
		plain = *s;
		plain.op = s->plain;
		err = scalar_read(rd, &plain, t, p);
		if (err)
			rd->e->hint[0] = '\0';
		return err ? format_hint(s->format, s->size, rd->e) : 0;
	case STEP_CHAR:
		return char_read(rd, s, t, p);
	case STEP_BOOL:
		return bool_read(rd, s, t, p);
	case STEP_PTR:
		return pointer_read(rd, s, t, p);
	case STEP_BITS:
		return bits_read(rd, s, t, p);
	case STEP_ENUM:
		return enum_read(rd, s, t, p);
	case STEP_FLOAT:
	case STEP_DOUBLE:
		return float_read(rd, s, t, p);
	default:
		return t == JSONR_NULL ? 0 : err_set(rd->e, -EINVAL, "it has no value that can be written, only null");
	}
}
