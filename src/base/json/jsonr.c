/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/json/jsonr.h"

#include "base/base.h"

enum jsonr_state { VALUE_DUE, FIRST_DUE, COMMA_DUE, WORD_DUE, BROKEN };

void jsonr_init(struct jsonr *r, const char *what, unsigned flags, const char *text, size_t n)
{
	*r = (struct jsonr){ .what = what, .start = text, .p = text, .end = text + n, .flags = (uint8_t)flags };
	if (flags & JSONR_TEXT || (flags & JSONR_WORD && !(n && strchr("[{\"", *text))))
		r->state = WORD_DUE;
}

static enum jsonr_token bad(struct jsonr *r, const char *why)
{
	if (r->state != BROKEN)
		r->why = why;
	r->state = BROKEN;
	return JSONR_BAD;
}

static void json_blanks_skip(struct jsonr *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r'))
		r->p++;
}

static bool in_array(const struct jsonr *r)
{
	return r->arrays & 1ull << (r->depth - 1);
}

static enum jsonr_token open_container(struct jsonr *r, bool array)
{
	if (r->depth == JSONR_DEPTH)
		return bad(r, "it is nested too deeply");
	r->arrays = (r->arrays & ~(1ull << r->depth)) | (uint64_t)array << r->depth;
	r->depth++;
	r->p++;
	r->state = FIRST_DUE;
	return array ? JSONR_ARRAY : JSONR_OBJECT;
}

/* The value of the four digits of \uXXXX at p; -1: they are not hexadecimal digits. */
static int hex4(const char *p, const char *end)
{
	int v = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int d = num_hex_digit(p[i]);

		if (d < 0)
			return -1;
		v = v << 4 | d;
	}
	return v;
}

static bool is_high(int v)
{
	return v >= 0xd800 && v < 0xdc00;
}
static bool is_low(int v)
{
	return v >= 0xdc00 && v < 0xe000;
}

/* Length of the escape sequence at p, which begins with a backslash, and its character; 0: it is not valid. */
static size_t escape(const char *p, const char *end, uint32_t *ret)
{
	static const char letters[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	const char *l;
	int v, low;

	if (end - p < 2)
		return 0;
	if (p[1] != 'u') {
		l = memchr(letters, p[1], sizeof(letters) - 1);
		if (l)
			*ret = (unsigned char)means[l - letters];
		return l ? 2 : 0;
	}
	v = hex4(p + 2, end);
	if (v < 0 || is_low(v))
		return 0;
	*ret = (uint32_t)v;
	if (!is_high(v))
		return 6;
	low = end - p >= 12 && p[6] == '\\' && p[7] == 'u' ? hex4(p + 8, end) : -1;
	if (!is_low(low))
		return 0;
	*ret = 0x10000 + (((uint32_t)v & 0x3ff) << 10 | ((uint32_t)low & 0x3ff));
	return 12;
}

/* At the opening quote; leaves p after the closing one. */
static bool string_take(struct jsonr *r)
{
	const char *p = r->p + 1;
	uint32_t ignored;
	size_t n;

	r->text = p;
	r->escaped = false;
	for (;;) {
		while (p < r->end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80)
			p++;
		r->p = p;
		if (p == r->end)
			return bad(r, "a string is not terminated"), false;
		if (*p == '"')
			break;
		if (*p == '\\') {
			r->escaped = true;
			n = escape(p, r->end, &ignored);
			if (!n)
				return bad(r, "no such escape sequence in a string"), false;
		} else if ((unsigned char)*p < 0x20) {
			return bad(r, "control characters in a string must be escaped"), false;
		} else {
			n = str_utf8(p, (size_t)(r->end - p));
			if (!n)
				return bad(r, "a string is not UTF-8"), false;
		}
		p += n;
	}
	r->len = (size_t)(p - r->text);
	r->p = p + 1;
	return true;
}

static bool is_digit(const char *p, const char *end)
{
	return p < end && *p >= '0' && *p <= '9';
}

static const char *digits(const char *p, const char *end)
{
	while (is_digit(p, end))
		p++;
	return p;
}

static enum jsonr_token number_take(struct jsonr *r)
{
	const char *p = r->p, *end = r->end, *from;

	p += *p == '-';
	from = p;
	if (r->flags & JSONR_HEX && end - p > 2 && p[0] == '0' && p[1] == 'x' && num_hex_digit(p[2]) >= 0) {
		for (p += 2; p < end && num_hex_digit(*p) >= 0;)
			p++;
	} else {
		p = digits(p, end);
		if (p == from || (*from == '0' && p - from > 1))
			return bad(r, "malformed number");
		if (p < end && *p == '.') {
			if (!is_digit(p + 1, end))
				return bad(r, "malformed number");
			p = digits(p + 1, end);
		}
		if (p < end && (*p == 'e' || *p == 'E')) {
			p += 1 + (end - p > 1 && (p[1] == '+' || p[1] == '-'));
			if (!is_digit(p, end))
				return bad(r, "malformed number");
			p = digits(p, end);
		}
	}
	r->text = r->p;
	r->len = (size_t)(p - r->p);
	r->escaped = false;
	r->p = p;
	return JSONR_NUM;
}

static enum jsonr_token literal_take(struct jsonr *r, const char *word, size_t n, enum jsonr_token t)
{
	if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
		return bad(r, "no JSON value begins like this");
	r->p += n;
	return t;
}

static enum jsonr_token value_take(struct jsonr *r)
{
	json_blanks_skip(r);
	if (r->p == r->end)
		return bad(r, "a value is missing");
	r->state = COMMA_DUE;
	switch (*r->p) {
	case '{':
		return open_container(r, false);
	case '[':
		return open_container(r, true);
	case '"':
		return string_take(r) ? JSONR_STR : JSONR_BAD;
	case 't':
		return literal_take(r, "true", 4, JSONR_TRUE);
	case 'f':
		return literal_take(r, "false", 5, JSONR_FALSE);
	case 'n':
		return literal_take(r, "null", 4, JSONR_NULL);
	case '-':
	case '0' ... '9':
		return number_take(r);
	default:
		return bad(r, "no JSON value begins like this");
	}
}

static enum jsonr_token name_take(struct jsonr *r)
{
	json_blanks_skip(r);
	if (r->p == r->end || *r->p != '"')
		return bad(r, "a member's name in quotes is missing");
	if (!string_take(r))
		return JSONR_BAD;
	json_blanks_skip(r);
	if (r->p == r->end || *r->p != ':')
		return bad(r, "a colon is missing after a member's name");
	r->p++;
	r->state = VALUE_DUE;
	return JSONR_NAME;
}

/* Inside a container: its end, or the start of the next value. */
static enum jsonr_token inside(struct jsonr *r)
{
	bool array = in_array(r), first = r->state == FIRST_DUE;

	if (r->p < r->end && *r->p == (array ? ']' : '}')) {
		r->p++;
		r->depth--;
		r->state = COMMA_DUE;
		return JSONR_CLOSE;
	}
	if (!first) {
		if (r->p == r->end || *r->p != ',')
			return bad(r, array ? "a comma or ']' is missing" : "a comma or '}' is missing");
		r->p++;
	}
	return array ? value_take(r) : name_take(r);
}

enum jsonr_token jsonr_next(struct jsonr *r)
{
	switch (r->state) {
	case WORD_DUE:
		r->text = r->p;
		r->len = (size_t)(r->end - r->p);
		r->escaped = false;
		r->p = r->end;
		r->state = COMMA_DUE;
		return JSONR_STR;
	case VALUE_DUE:
		return value_take(r);
	case BROKEN:
		return JSONR_BAD;
	}
	json_blanks_skip(r);
	if (r->depth)
		return inside(r);
	return r->p == r->end ? JSONR_END : bad(r, "unexpected text after the value");
}

enum jsonr_token jsonr_peek(const struct jsonr *r)
{
	struct jsonr ahead = *r;

	return jsonr_next(&ahead);
}

enum jsonr_token jsonr_skip(struct jsonr *r, enum jsonr_token t)
{
	unsigned depth = r->depth;

	if (t == JSONR_NAME)
		t = jsonr_next(r);
	if (t != JSONR_OBJECT && t != JSONR_ARRAY)
		return t;
	depth = r->depth;
	do
		t = jsonr_next(r);
	while (t != JSONR_BAD && r->depth >= depth);
	return t;
}

bool jsonr_name_is(struct jsonr *r, const char *quoted, size_t n)
{
	const char *p;

	if (!r->depth || in_array(r) || (r->state != FIRST_DUE && r->state != COMMA_DUE))
		return false;
	json_blanks_skip(r);
	p = r->p;
	if (r->state == COMMA_DUE) {
		if (p == r->end || *p != ',')
			return false;
		for (p++; p < r->end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r');)
			p++;
	}
	if ((size_t)(r->end - p) <= n || p[n] != ':' || memcmp(p, quoted, n) != 0)
		return false;
	r->p = p + n + 1;
	r->state = VALUE_DUE;
	return true;
}

bool jsonr_uint(struct jsonr *r, uint64_t max, uint64_t *ret)
{
	const char *p = r->p, *from;
	uint64_t v = 0;

	if (r->state != VALUE_DUE && !(r->depth && in_array(r)))
		return false;
	if (r->state == COMMA_DUE)
		p += p < r->end && *p == ',';
	if (r->state == BROKEN || (r->state == COMMA_DUE && p == r->p))
		return false;
	from = p;
	for (; p < r->end && (unsigned)(*p - '0') < 10; p++)
		v = v * 10 + (unsigned)(*p - '0');
	/* A longer number may be too large; with any other end it is a different number or an error. */
	if (p == from || p - from > 18 || (*from == '0' && p - from > 1) || v > max || p == r->end ||
	    (*p != ',' && *p != '}' && *p != ']'))
		return false;
	r->p = p;
	r->state = COMMA_DUE;
	*ret = v;
	return true;
}

/* The character at p and its length, in a string that has been checked. */
static size_t character(const char *p, const char *end, uint32_t *ret)
{
	size_t i, n;

	if (*p == '\\')
		return escape(p, end, ret);
	n = str_utf8(p, (size_t)(end - p));
	if (n <= 1) { /* 0: not UTF-8, as a word of the command line may be */
		*ret = (unsigned char)*p;
		return 1;
	}
	*ret = (unsigned char)*p & (0x7fu >> n);
	for (i = 1; i < n; i++)
		*ret = *ret << 6 | ((unsigned char)p[i] & 0x3f);
	return n;
}

bool jsonr_equal(const struct jsonr *r, const char *quoted, size_t n)
{
	const char *a = r->text, *a_end = r->text + r->len, *b = quoted + 1, *b_end = quoted + n - 1;
	uint32_t ca, cb;

	if (!r->escaped && r->len == n - 2 && !memcmp(a, b, n - 2))
		return !memchr(b, '\\', n - 2) || !(r->flags & JSONR_WORD);
	if (!r->escaped && !memchr(b, '\\', n - 2))
		return false;
	while (a < a_end && b < b_end) {
		if (!r->escaped && *a == '\\') {
			ca = '\\';
			a++;
		} else {
			a += character(a, a_end, &ca);
		}
		b += character(b, b_end, &cb);
		if (ca != cb)
			return false;
	}
	return a == a_end && b == b_end;
}

size_t jsonr_text(const struct jsonr *r, char *buf, size_t size)
{
	const char *p = r->text, *end = r->text + r->len;
	size_t n = 0;

	if (!r->escaped) {
		if (size)
			memcpy(buf, r->text, r->len < size ? r->len : size);
		return r->len;
	}
	while (p < end) {
		char utf8[4];
		uint32_t c;
		size_t len;

		p += character(p, end, &c);
		len = str_utf8_put(utf8, c);
		if (n < size)
			memcpy(buf + n, utf8, len < size - n ? len : size - n);
		n += len;
	}
	return n;
}

size_t jsonr_char(const struct jsonr *r, uint32_t *ret)
{
	if (!r->escaped && *r->text == '\\') {
		*ret = '\\';
		return 1;
	}
	return character(r->text, r->text + r->len, ret);
}

int jsonr_error(const struct jsonr *r, struct err *e)
{
	return err_set(e, -EINVAL, "%s: byte %zu: %s", r->what, (size_t)(r->p - r->start) + 1,
		       r->why ? r->why : "it is not JSON");
}
