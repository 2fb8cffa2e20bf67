/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/value/value.h"

#include <math.h>

#include "types/value/number.h"
#include "types/value/plan.h"
#include "cli/env.h"
#include "render/doc.h"
#include "render/jsonw.h"

static void hex_print(struct jsonw *w, enum value_form form, uint64_t hi, uint64_t lo)
{
	char buf[40], *start = buf + 1, *p = start;

	buf[0] = '"';
	*p++ = '0';
	*p++ = 'x';
	if (hi) {
		p = num_hex(p, hi);
		for (int shift = 56; shift >= 0; shift -= 8, p += 2)
			memcpy(p, num_hex2[(lo >> shift) & 0xff], 2);
	} else {
		p = num_hex(p, lo);
	}
	*p = '"';
	if (form == VALUE_TYPED)
		jsonw_raw(w, start, (size_t)(p - start));
	else
		jsonw_raw(w, buf, (size_t)(p + 1 - buf));
}

static const struct step_word *word_find(const struct step *s, int64_t v)
{
	const size_t at = ARRAY_LOWER(s->n, i, s->words[i].value < v);

	return at < s->n && s->words[at].value == v ? &s->words[at] : NULL;
}

static void bits_print(struct jsonw *w, enum value_form form, const struct step *s, const unsigned char *p)
{
	struct wide v = step_bits(s, p);
	int64_t i = (int64_t)step_number(s, p).lo;
	const struct step_word *word;

	if (!(s->flags & STEP_OWN))
		return hex_print(w, form, v.hi, v.lo);
	word = word_find(s, i);
	if (word)
		jsonw_raw(w, word->text, word->len);
	else if (step_bits_signed(s))
		jsonw_int(w, i);
	else
		jsonw_uint(w, v.lo);
}

/* A string for users, a number for programs. */
static void pointer_print(struct jsonw *w, enum value_form form, uint64_t v)
{
	char buf[24] = "\"0x", *p;

	if (form == VALUE_FORMATTED)
		return jsonw_uint(w, v);
	if (!v)
		return jsonw_raw(w, "\"(nil)\"", 7);
	p = num_hex(buf + 3, v);
	*p++ = '"';
	jsonw_raw(w, buf, (size_t)(p - buf));
}

/* Compilers up to clang 14 do not record whether an enum is signed, so names are searched for both ways. */
static void enum_print(struct jsonw *w, const struct step *s, const unsigned char *p)
{
	const struct step_word *word;
	uint64_t u = step_uint(s, p);
	int64_t i = load_int(p, s->size, step_is_big(s));

	word = word_find(s, i);
	if (!word)
		word = word_find(s, (int64_t)u);
	if (word)
		jsonw_raw(w, word->text, word->len);
	else if (s->flags & STEP_SIGNED)
		jsonw_int(w, i);
	else
		jsonw_uint(w, u);
}

static bool printable(unsigned char c)
{
	return c > 0x1f && c < 0x7f;
}

static void char_print(struct jsonw *w, enum value_form form, unsigned char c)
{
	char utf8[2] = { (char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f)) };
	char hex[4] = "0x";

	if (c < 0x80 && (printable(c) || form == VALUE_FORMATTED))
		jsonw_strn(w, (const char *)&c, 1);
	else if (form == VALUE_FORMATTED)
		jsonw_strn(w, utf8, sizeof(utf8));
	else
		jsonw_raw(w, hex, (size_t)(num_hex(hex + 2, c) - hex));
}

/* Length of the text at p: its NUL is within n, and all characters before it are printable. -1: it is not text. */
static ssize_t text_len(const unsigned char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n && p[i]; i++)
		if (!printable(p[i]))
			return -1;
	return i < n ? (ssize_t)i : -1;
}

static void signed_print(struct jsonw *w, const struct step *s, int64_t v)
{
	if (s->name_len)
		jsonw_member_num(w, s->name, s->name_len, v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
	else
		jsonw_int(w, v);
}

static void unsigned_print(struct jsonw *w, const struct step *s, uint64_t v)
{
	if (s->name_len)
		jsonw_member_num(w, s->name, s->name_len, false, v);
	else
		jsonw_uint(w, v);
}

/* Prints integers with their names, which most values consist of. */
static void int_print(struct jsonw *w, const struct step *s, const unsigned char *p)
{
	if (s->op < STEP_U8)
		signed_print(w, s, load_int(p, s->size, step_is_big(s)));
	else
		unsigned_print(w, s, step_uint(s, p));
}

/* JSON has no numbers for nan and infinity. */
static void double_print(struct jsonw *w, double v)
{
	if (isfinite(v))
		jsonw_double(w, v);
	else
		jsonw_str(w, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
}

static void scalar_print(struct jsonw *w, enum value_form form, const struct step *s, const unsigned char *p)
{
	switch (s->op) {
	case STEP_CHAR:
		return char_print(w, form, p[0]);
	case STEP_PTR:
		return pointer_print(w, form, step_uint(s, p));
	case STEP_BITS:
		return bits_print(w, form, s, p);
	case STEP_ENUM:
		return enum_print(w, s, p);
	case STEP_FLOAT:
	case STEP_DOUBLE:
		return double_print(w, step_double(s, p));
	case STEP_BOOL:
		return jsonw_bool(w, step_uint(s, p) != 0);
	default:
		return jsonw_null(w);
	}
}

static void func_print(const struct value_plan *plan, struct jsonw *w, const struct step *s, const unsigned char *p)
{
	const char *proto = s->words->text, *name;
	uint64_t id = step_uint(s, p);

	if (!id || id > UINT32_MAX)
		return id ? jsonw_fmt(w, "%s 0x%llx", proto, llu(id)) : jsonw_fmt(w, "%s 0", proto);
	name = plan->funcs->name(plan->funcs->ctx, (uint32_t)id);
	jsonw_fmt(w, "%s %s/prog_id:%u", proto, name ? name : "<unknown_prog_name>", (uint32_t)id);
}

static void format_print(const struct value_plan *plan, struct jsonw *w, const struct step *s, const unsigned char *p)
{
	const bool part = s > plan->step; /* of a struct or list */
	char text[FORMAT_TEXT];
	size_t len = format_text((enum format)s->format, plan->machine, p, s->size, step_is_big(s), text);

	if (format_is_number((enum format)s->format) && !(part && s->flags & STEP_IMPLIED))
		jsonw_raw(w, text, len);
	else
		jsonw_strn(w, text, len);
}

static void steps_run(const struct value_plan *plan, struct jsonw *w, uint32_t i, uint32_t end, const unsigned char *p,
		      size_t n);

static void list_print(const struct value_plan *plan, struct jsonw *w, uint32_t first, const struct step *s,
		       const unsigned char *p)
{
	uint32_t k;

	jsonw_array(w);
	for (k = 0; k < s->n; k++)
		steps_run(plan, w, first, s->end, p + k * s->stride, s->stride);
	jsonw_end(w);
}

static void steps_run(const struct value_plan *plan, struct jsonw *w, uint32_t i, uint32_t end, const unsigned char *p,
		      size_t n)
{
	while (i < end) {
		const struct step *s = &plan->step[i++];
		bool there = s->off <= n && s->size <= n - s->off;
		ssize_t len;

		if (s->op <= STEP_INT_LAST && there) {
			int_print(w, s, p + s->off);
			continue;
		}
		if (s->op == STEP_TEXT) {
			/* If it is not text, the array after it is printed. */
			len = there ? text_len(p + s->off, s->n) : -1;
			if (len < 0)
				continue;
			if (s->name_len)
				jsonw_name_raw(w, s->name, s->name_len);
			jsonw_strn(w, (const char *)p + s->off, (size_t)len);
			i = s->end;
			continue;
		}
		if (s->name_len)
			jsonw_name_raw(w, s->name, s->name_len);
		switch (s->op) {
		case STEP_OBJECT:
			jsonw_object(w);
			break;
		case STEP_ARRAY:
			jsonw_array(w);
			break;
		case STEP_END:
			jsonw_end(w);
			break;
		case STEP_EMPTY:
			jsonw_array(w);
			jsonw_end(w);
			break;
		case STEP_LIST:
			if (there)
				list_print(plan, w, i, s, p + s->off);
			else
				jsonw_null(w);
			i = s->end;
			break;
		case STEP_FORMAT:
			if (there)
				format_print(plan, w, s, p + s->off);
			else
				jsonw_null(w);
			i = s->end;
			break;
		case STEP_FUNC:
			if (there)
				func_print(plan, w, s, p + s->off);
			else
				jsonw_null(w);
			break;
		default:
			if (there)
				scalar_print(w, plan->form, s, p + s->off);
			else
				jsonw_null(w);
		}
	}
}

void value_print(const struct value_plan *p, struct jsonw *w, const void *bytes, size_t n)
{
	steps_run(p, w, 0, p->n, bytes, n);
}

char *value_line(const struct value_plan *p, const void *bytes, size_t n, struct arena *a)
{
	struct jsonw w;
	struct out o;
	char *text;

	out_init(&o, -1);
	jsonw_init(&w, &o, false);
	value_print(p, &w, bytes, n);
	text = arena_str(a, o.buf, o.n);
	out_close(&o, NULL);
	return text;
}

enum value_form value_form_of(const struct env *env)
{
	struct doc d;

	env_doc(env, &d);
	return doc_is_text(&d) ? VALUE_TYPED : VALUE_FORMATTED;
}
