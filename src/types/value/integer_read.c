/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/value/integer_read.h"

static const char *token_words(enum jsonr_token t)
{
	switch (t) {
	case JSONR_OBJECT:
		return "an object";
	case JSONR_ARRAY:
		return "an array";
	case JSONR_STR:
		return "text";
	case JSONR_NUM:
		return "a number";
	case JSONR_TRUE:
		return "true";
	case JSONR_FALSE:
		return "false";
	case JSONR_NULL:
		return "null";
	default:
		return "nothing";
	}
}

int shape_error(struct reader *rd, enum jsonr_token t, const char *wanted)
{
	if (t == JSONR_BAD) {
		rd->located = true;
		return jsonr_error(rd->r, rd->e);
	}
	return err_set(rd->e, -EINVAL, "%s is needed here, not %s", wanted, token_words(t));
}

int integer_parse(const char *p, size_t n, bool *ret_minus, struct wide *ret)
{
	const char *end = p + n;
	bool minus = p < end && *p == '-';
	unsigned base = 10;
	struct wide v = { 0 }, more;

	p += minus;
	if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
	}
	/* A leading 0 could mean octal or decimal, so it is refused. */
	if (p == end || (base == 10 && *p == '0' && end - p > 1))
		return -EINVAL;
	for (; p < end; p++) {
		unsigned d = (unsigned)num_hex_digit(*p);

		if (d >= base)
			return -EINVAL;
		more = wide_mul(v.hi, base);
		v = wide_add(wide_times(v, base), wide_u(d));
		if (more.hi || v.hi < more.lo)
			return -ERANGE;
	}
	*ret_minus = minus && !wide_is_zero(v);
	*ret = v;
	return 0;
}

int integer_range_error(struct reader *rd, unsigned bits, bool is_signed)
{
	uint64_t top = bits > 64 ? 0 : ~0ull >> (64 - bits);

	if (!top)
		return err_set(rd->e, -EINVAL, "%.*s does not fit in %u bits", integer_shown(rd->r), rd->r->text, bits);
	if (is_signed)
		return err_set(rd->e, -EINVAL, "%.*s does not fit in %u bits (-%llu to %llu)", integer_shown(rd->r),
			       rd->r->text, bits, llu(top / 2 + 1), llu(top / 2));
	return err_set(rd->e, -EINVAL, "%.*s does not fit in %u bits (0 to %llu)", integer_shown(rd->r), rd->r->text,
		       bits, llu(top));
}

static int number_error(struct reader *rd, unsigned bits, bool is_signed, bool is_unsigned)
{
	uint64_t most = ~0ull >> (bits > 64 ? 0 : 64 - bits), top = is_unsigned ? most : most / 2;

	err_set(rd->e, -EINVAL, "'%.*s' is not an integer", integer_shown(rd->r), rd->r->text);
	if (bits > 64)
		return err_hint(rd->e, "a number of %u bits, in decimal or as 0x...", bits);
	return err_hint(rd->e, "a number, %s%llu to %llu, in decimal or as 0x...", is_signed ? "-" : "",
			is_signed ? llu(most / 2 + 1) : 0, llu(top));
}

/* A size as tables show it, 64K or 1.5M. */
static int size_parse(const struct jsonr *r, bool *ret_minus, struct wide *ret)
{
	char text[32];
	uint64_t v;
	int err;

	/* Without a suffix it is a number that integer_parse() refused. */
	if (!r->len || r->len >= sizeof(text) || num_hex_digit(r->text[r->len - 1]) >= 0)
		return -EINVAL;
	memcpy(text, r->text, r->len);
	text[r->len] = '\0';
	*ret_minus = *text == '-';
	err = num_parse_size(text + *ret_minus, &v);
	*ret = wide_u(v);
	return err;
}

int integer_read(struct reader *rd, enum jsonr_token t, unsigned bits, bool is_signed, bool is_unsigned,
		 struct wide *ret)
{
	struct wide half = wide_shl(wide_u(1), bits - 1), v,
		    most = wide_sub(is_unsigned ? wide_shl(half, 1) : half, wide_u(1));
	bool minus;
	int err;

	if (t != JSONR_NUM && t != JSONR_STR)
		return shape_error(rd, t, "a number");
	err = integer_parse(rd->r->text, rd->r->len, &minus, &v);
	if (err == -EINVAL && t == JSONR_STR)
		err = size_parse(rd->r, &minus, &v);
	if (err == -EINVAL)
		return number_error(rd, bits, is_signed, is_unsigned);
	if (err || (minus && (!is_signed || wide_cmp_u(v, half) > 0)) || (!minus && wide_cmp_u(v, most) > 0))
		return integer_range_error(rd, bits, is_signed && !is_unsigned);
	*ret = minus ? wide_neg(v) : v;
	return 0;
}
