/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/value/member.h"

#include <arpa/inet.h>
#include <math.h>

#include "base/when.h"
#include "types/value/path.h"
#include "types/value/integer_read.h"
#include "types/value/number.h"
#include "source/facts.h"

enum test { TEST_TRUE, TEST_NUMBER, TEST_DOUBLE, TEST_BYTES, TEST_TEXT, TEST_MATCH };
struct member_test {
	struct member m;
	enum test test;
	enum operator op;
	const struct step *step;
	struct wide number;
	double real;
	unsigned char bytes[FORMAT_TEXT]; /* of which the first @bits are compared, as in an address */
	unsigned bits;
	const char *text;
	regex_t *re;
};

/* True for an array of characters, signed or unsigned. */
static bool is_text(const struct member *m)
{
	const struct step *s = &m->plan->step[m->step];

	if (s->op == STEP_TEXT || (s->op == STEP_FORMAT && s->format == FORMAT_STR))
		return true;
	return s->op == STEP_LIST && s->stride == 1 &&
	       (s[1].op == STEP_S8 || s[1].op == STEP_U8 || s[1].op == STEP_CHAR);
}

/* Reads an address of the member's size, in network order; a MAC address has no prefix length. */
static bool address_parse(struct member_test *t, const char *text)
{
	char addr[INET6_ADDRSTRLEN + 1];
	size_t n = strcspn(text, "/");
	uint32_t bits = (uint32_t)t->m.size * 8;

	if (n >= sizeof(addr) || (text[n] && (num_parse_u32(text + n + 1, &bits) || bits > t->m.size * 8)))
		return false;
	memcpy(addr, text, n);
	addr[n] = '\0';
	t->bits = bits;
	switch (t->m.size) {
	case 4:
		return strchr(addr, '.') && format_read(FORMAT_IP, NULL, addr, t->bytes, 4, true);
	case 16:
		return format_read(FORMAT_IP, NULL, addr, t->bytes, 16, true);
	case 6:
		return !text[n] && format_read(FORMAT_MAC, NULL, addr, t->bytes, 6, true);
	default:
		return false;
	}
}

static bool enum_word(const struct step *s, const char *text, struct wide *ret)
{
	size_t n = strlen(text);

	for (uint32_t i = 0; i < s->n; i++) {
		if (s->words[i].len != n + 2 || memcmp(s->words[i].text + 1, text, n))
			continue;
		*ret = wide_s(s->words[i].value);
		return true;
	}
	return false;
}

/* A number of up to 128 bits, or of 64 with a suffix, as it is printed for a step. */
static bool literal_parse(const struct step *s, const char *text, struct wide *ret)
{
	bool minus = text[0] == '-';
	uint64_t v;

	if (!num_parse_size(text + minus, &v)) {
		/* Sign-extended, as the bytes of the enum are loaded. */
		if (s->op == STEP_ENUM && !minus && s->size < 8 && v >> (8 * s->size - 1) == 1)
			v |= ~0ull << 8 * s->size;
		*ret = s->op == STEP_ENUM && !minus ? wide_s((int64_t)v) : wide_u(v);
	} else if (s->op != STEP_BITS || s->bits <= 64 || integer_parse(text, strlen(text), &minus, ret)) {
		return false;
	}
	if (minus && s->op == STEP_BITS && s->bits == 128 && !step_bits_signed(s))
		return false;
	/* Bit fields are printed without a sign. */
	if (s->op == STEP_BITS && !minus && s->bits < 128 && step_bits_signed(s) &&
	    wide_cmp(wide_shr(*ret, s->bits - 1u), wide_u(1)) == 0)
		*ret = wide_sub(*ret, wide_shl(wide_u(1), s->bits));
	*ret = minus ? wide_neg(*ret) : *ret;
	return true;
}

/* Reads the text of a format: a name, a time also as -5m, bytes. */
static bool format_parse_text(struct member_test *t, const char *text)
{
	const struct step *s = t->step;
	struct machine *m = t->m.plan->machine;
	struct when w;

	if (s->op != STEP_FORMAT || s->size > sizeof(t->bytes))
		return false;
	if (format_read(s->format, m, text, t->bytes, s->size, step_is_big(s)) == s->size) {
		t->test = step_is_number(s) ? TEST_NUMBER : TEST_BYTES;
		t->number = step_is_number(s) ? step_number(s, t->bytes) : t->number;
		t->bits = (unsigned)s->size * 8;
		return true;
	}
	if (s->format != FORMAT_KTIME || !m || !facts_boot_ns(m) || !facts_asked_at(m) || when_parse(text, &w))
		return false;
	/* A time before the boot is before all others. */
	t->test = TEST_NUMBER;
	t->number = wide_u(when_at(&w, when_seconds(facts_asked_at(m))) < facts_boot_ns(m) ? 0 : UINT64_MAX);
	return true;
}

/* A character, which is printed as UTF-8. */
static bool char_word(const char *text, struct wide *ret)
{
	const unsigned char *p = (const unsigned char *)text;

	if (p[0] && !p[1])
		*ret = wide_u(p[0]);
	else if ((p[0] == 0xc2 || p[0] == 0xc3) && (p[1] & 0xc0) == 0x80 && !p[2])
		*ret = wide_u((p[0] & 3u) << 6 | (p[1] & 0x3f));
	else
		return false;
	return true;
}

static int enum_parse(struct member_test *t, const char *name, const char *text, struct err *e)
{
	t->test = TEST_NUMBER;
	/* A digit is a character, as it is printed. */
	if (t->step->op == STEP_CHAR && char_word(text, &t->number))
		return 0;
	if (literal_parse(t->step, text, &t->number))
		return 0;
	if (step_is_enum(t->step) && enum_word(t->step, text, &t->number))
		return 0;
	if (t->step->op == STEP_PTR && !strcmp(text, "(nil)")) {
		t->number = wide_u(0);
		return 0;
	}
	if (t->step->op == STEP_BOOL && (!strcmp(text, "true") || !strcmp(text, "false"))) {
		t->number = wide_u(*text == 't');
		return 0;
	}
	if (t->step->op == STEP_FORMAT && !format_is_number(t->step->format)) {
		err_usage(e, "filter: '%.64s' cannot be compared with %s", text, name);
		return format_hint(t->step->format, t->step->size, e);
	}
	err_usage(e, "filter: '%.64s' is not a %s, as %s requires", text,
		  step_is_enum(t->step) ? "name of its type or a number" : "number", name);
	if (step_is_enum(t->step))
		path_words_hint(t->step, e);
	else
		err_hint(e, "a number, in decimal or as 0x..., or with a suffix K, M, G or T");
	return -EINVAL;
}

static int double_parse(struct member_test *t, const char *name, const char *text, struct err *e)
{
	char *end;

	t->test = TEST_DOUBLE;
	t->real = strtod(text, &end);
	if (end == text || *end)
		return err_usage(e, "filter: '%.64s' is not a number, as %s requires", text, name);
	return 0;
}

/* Reads text as it is printed. */
static const char *text_parse(const struct step *s, const char *text, struct arena *a)
{
	const size_t n = strlen(text);
	unsigned char *bytes = arena_alloc(a, n + 1);

	return s->op == STEP_FORMAT && format_read(FORMAT_STR, NULL, text, bytes, n + 1, BIG_HERE) ?
		       (char *)bytes :
		       arena_str(a, text, n);
}

static int operand(struct member_test *t, const char *name, const char *text, struct arena *a, struct err *e)
{
	bool texty = is_text(&t->m), number = step_is_number(t->step);

	if (t->op == OP_MATCH) {
		if (!texty && !number && t->step->op != STEP_FORMAT)
			return err_usage(e, "filter: %s is not text that =~ could match", name);
		t->test = TEST_MATCH;
		return regex_compile(&t->re, text, a, e);
	}
	if (t->step->op == STEP_FLOAT || t->step->op == STEP_DOUBLE)
		return double_parse(t, name, text, e);
	if (address_parse(t, text)) {
		t->test = TEST_BYTES;
		return 0;
	}
	if (!texty && format_parse_text(t, text))
		return 0;
	if (texty) {
		t->test = TEST_TEXT;
		t->text = text_parse(t->step, text, a);
		return 0;
	}
	if (number)
		return enum_parse(t, name, text, e);
	if (t->step->op == STEP_OBJECT || t->step->op == STEP_ARRAY)
		return err_usage(e, "filter: %s has members; compare one of them", name);
	if (t->step->op == STEP_LIST)
		return err_usage(e, "filter: %s is an array; compare one of its elements, as in %s[0]", name, name);
	return err_usage(e, "filter: %s has no value that can be compared", name);
}

int member_test_parse(const struct member_test **ret, const struct member *m, const char *name, enum operator op,
		      const char *text, struct arena *a, struct err *e)
{
	struct member_test *t = arena_alloc(a, sizeof(*t));
	int err = 0;

	*t = (struct member_test){ .m = *m, .op = op, .step = &m->plan->step[m->step] };
	if (text)
		err = operand(t, name, text, a, e);
	if (!err)
		*ret = t;
	return err;
}

static bool match_true(const struct member_test *t, const unsigned char *p)
{
	if (step_is_number(t->step))
		return !wide_is_zero(step_number(t->step, p));
	for (uint64_t i = 0; i < t->m.size; i++)
		if (p[i])
			return true;
	return false;
}

static bool match_text(const struct member_test *t, const unsigned char *p)
{
	size_t n = strnlen((const char *)p, t->m.size), want = strlen(t->text), min = n < want ? n : want;
	int order = memcmp(p, t->text, min);

	return operator_holds(t->op, order ?: NUM_CMP(n, want));
}

static bool match_bytes(const struct member_test *t, const unsigned char *p)
{
	unsigned whole = t->bits / 8, rest = t->bits % 8;
	int order = memcmp(p, t->bytes, whole);

	if (!order && rest)
		order = (p[whole] >> (8 - rest)) - (t->bytes[whole] >> (8 - rest));
	return operator_holds(t->op, order);
}

static bool match_regex(const struct member_test *t, const unsigned char *p)
{
	char text[FORMAT_TEXT], *end = text;
	struct wide v;

	if (t->step->op == STEP_FORMAT) {
		end += format_text((enum format)t->step->format, t->m.plan->machine, p, t->m.size, step_is_big(t->step),
				   text);
	} else if (!step_is_number(t->step)) {
		end += strnlen((const char *)p, t->m.size < sizeof(text) ? t->m.size : sizeof(text) - 1);
		memcpy(text, p, (size_t)(end - text));
	} else {
		v = step_number(t->step, p);
		for (uint32_t i = 0; step_is_enum(t->step) && i < t->step->n; i++)
			if (t->step->words[i].value == (int64_t)v.lo && t->step->words[i].len - 2 < sizeof(text) &&
			    end == text)
				end = mempcpy(text, t->step->words[i].text + 1, t->step->words[i].len - 2);
		if (t->step->op == STEP_BITS && step_bits(t->step, p).hi) {
			v = step_bits(t->step, p);
			end += sprintf(text, "0x%llx%016llx", llu(v.hi), llu(v.lo));
		} else if (end == text) {
			if (wide_is_neg(v))
				*end++ = '-';
			end = num_dec(end, wide_abs(v).lo);
		}
	}
	*end = '\0';
	return regexec(t->re, text, 0, NULL, 0) == 0;
}

bool member_match(const struct member_test *t, const void *bytes, size_t n)
{
	const unsigned char *p = (const unsigned char *)bytes + t->m.off;
	double d;

	if (!t->m.size || t->m.off > n || t->m.size > n - t->m.off)
		return false;
	switch (t->test) {
	case TEST_TRUE:
		return match_true(t, p);
	case TEST_NUMBER:
		return operator_holds(t->op, step_number_cmp(t->step, step_number(t->step, p), t->number));
	case TEST_DOUBLE:
		d = step_double(t->step, p);
		if (isnan(d) || isnan(t->real))
			return t->op == OP_NE ? !isnan(d) || !isnan(t->real) :
						t->op == OP_EQ && isnan(d) && isnan(t->real);
		return operator_holds(t->op, NUM_CMP(d, t->real));
	case TEST_BYTES:
		return match_bytes(t, p);
	case TEST_TEXT:
		return match_text(t, p);
	case TEST_MATCH:
		return match_regex(t, p);
	}
	return false;
}
