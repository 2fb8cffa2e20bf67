/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/jsonw.h"

#include <math.h>

#define STRING_STEP ((size_t)8 << 10) /* bytes of a string per request for room; each may become six */
#define HEX_STEP ((size_t)8 << 10)
#define MEMBER_NAME 256 /* bytes of a name; longer ones take the slow path */

/*
 * Every byte as an element of an array of "0xNN": eight bytes are stored, of which the next element overwrites the
 * last.
 */
#define HEX_CELL(a, b) \
	{ \
		'"', '0', 'x', a, b, '"', ',', ' ' \
	}
#define HEX_CELLS(h) \
	HEX_CELL(h, '0'), HEX_CELL(h, '1'), HEX_CELL(h, '2'), HEX_CELL(h, '3'), HEX_CELL(h, '4'), HEX_CELL(h, '5'), \
		HEX_CELL(h, '6'), HEX_CELL(h, '7'), HEX_CELL(h, '8'), HEX_CELL(h, '9'), HEX_CELL(h, 'a'), \
		HEX_CELL(h, 'b'), HEX_CELL(h, 'c'), HEX_CELL(h, 'd'), HEX_CELL(h, 'e'), HEX_CELL(h, 'f')
static const char hex_cell[256][8] = {
	HEX_CELLS('0'), HEX_CELLS('1'), HEX_CELLS('2'), HEX_CELLS('3'), HEX_CELLS('4'), HEX_CELLS('5'),
	HEX_CELLS('6'), HEX_CELLS('7'), HEX_CELLS('8'), HEX_CELLS('9'), HEX_CELLS('a'), HEX_CELLS('b'),
	HEX_CELLS('c'), HEX_CELLS('d'), HEX_CELLS('e'), HEX_CELLS('f'),
};

/*
 * How a byte of a string is written: unchanged, after a backslash, as \u00NN, or as part of the UTF-8 sequence it
 * begins.
 */
enum { PLAIN = 0, UNICODE = 1, UTF8 = 2 };
static const char escape[256] = {
	[0 ... 7] = UNICODE, ['\b'] = 'b',	    ['\t'] = 't', ['\n'] = 'n',	 [11] = UNICODE,  ['\f'] = 'f',
	['\r'] = 'r',	     [14 ... 31] = UNICODE, ['"'] = '"',  ['\\'] = '\\', [127] = UNICODE, [128 ... 255] = UTF8,
};

void jsonw_init(struct jsonw *w, struct out *o, bool pretty)
{
	*w = (struct jsonw){ .out = o, .pretty = pretty };
}

static uint64_t level_bit(const struct jsonw *w)
{
	return 1ull << (w->depth - 1);
}

static void newline(struct jsonw *w)
{
	char *p = out_room(w->out, 1 + 4 * JSONW_DEPTH);

	*p = '\n';
	memset(p + 1, ' ', 4 * (size_t)w->depth);
	out_added(w->out, p + 1 + 4 * (size_t)w->depth);
}

/* The comma before a value or, in an object, before a member. */
static void comma(struct jsonw *w)
{
	if (w->has_value & level_bit(w))
		out_char(w->out, ',');
	w->has_value |= level_bit(w);
}

/* False: nested too deeply, nothing may be written. */
static bool begin_value(struct jsonw *w)
{
	if (w->skipped)
		return false;
	w->values++;
	if (w->named) {
		w->named = false;
		return true;
	}
	if (!w->depth)
		return true;
	if (w->is_array & level_bit(w)) {
		comma(w);
	} else {
		/* A value without a name in an object: a caller's mistake must not make the document invalid. */
		jsonw_name(w, "");
		w->named = false;
	}
	return true;
}

static void begin_container(struct jsonw *w, bool array)
{
	if (w->skipped || w->depth == JSONW_DEPTH) {
		if (!w->skipped)
			jsonw_null(w);
		w->skipped++;
		return;
	}
	begin_value(w);
	w->depth++;
	w->has_value &= ~level_bit(w);
	w->is_array &= ~level_bit(w);
	if (array)
		w->is_array |= level_bit(w);
	out_char(w->out, array ? '[' : '{');
}

void jsonw_object(struct jsonw *w)
{
	begin_container(w, false);
}

void jsonw_array(struct jsonw *w)
{
	begin_container(w, true);
}

void jsonw_end(struct jsonw *w)
{
	bool array, filled;

	if (w->skipped) {
		w->skipped--;
		return;
	}
	if (!w->depth)
		return;
	if (w->named)
		jsonw_null(w);
	array = w->is_array & level_bit(w);
	filled = w->has_value & level_bit(w);
	w->depth--;
	if (w->pretty && filled)
		newline(w);
	out_char(w->out, array ? ']' : '}');
}

void jsonw_restart(struct jsonw *w)
{
	if (w->depth)
		w->has_value &= ~level_bit(w);
}

void jsonw_close(struct jsonw *w, unsigned depth)
{
	w->skipped = 0;
	if (w->named && w->depth == depth)
		jsonw_null(w);
	while (w->depth > depth)
		jsonw_end(w);
}

/* True if a member may begin here. */
static bool begin_name(struct jsonw *w)
{
	if (w->skipped || !w->depth || (w->is_array & level_bit(w)))
		return false;
	if (w->named)
		jsonw_null(w);
	comma(w);
	if (w->pretty)
		newline(w);
	w->named = true;
	return true;
}

static void end_name(struct jsonw *w)
{
	out_bytes(w->out, ": ", w->pretty ? 2 : 1);
}

static char *put_unicode(char *p, uint32_t code)
{
	memcpy(p, "\\u", 2);
	memcpy(p + 2, num_hex2[code >> 8], 2);
	memcpy(p + 4, num_hex2[code & 0xff], 2);
	return p + 6;
}

static char *put_escaped(char *p, const char **s, const char *end)
{
	unsigned char c = (unsigned char)**s;
	uint32_t control;
	size_t n = 1;

	if (escape[c] == UTF8) {
		n = str_utf8(*s, (size_t)(end - *s));
		control = n ? str_control(*s, n) : 0;
		if (control) {
			p = put_unicode(p, control);
		} else {
			memcpy(p, n ? *s : "\xef\xbf\xbd", n ? n : 3);
			p += n ? n : 3;
		}
		n += !n;
	} else if (escape[c] == UNICODE) {
		p = put_unicode(p, c);
	} else {
		*p++ = '\\';
		*p++ = escape[c];
	}
	*s += n;
	return p;
}

static void put_string(struct out *o, const char *s, size_t n)
{
	const char *end = s + n, *stop;
	char *p;

	out_char(o, '"');
	while (s < end) {
		stop = (size_t)(end - s) > STRING_STEP ? s + STRING_STEP : end;
		p = out_room(o, (size_t)(stop - s) * 6 + 8);
		while (s < stop) {
			if (escape[(unsigned char)*s] == PLAIN)
				*p++ = *s++;
			else
				p = put_escaped(p, &s, end);
		}
		out_added(o, p);
	}
	out_char(o, '"');
}

void jsonw_name(struct jsonw *w, const char *name)
{
	if (!begin_name(w))
		return;
	put_string(w->out, name, strlen(name));
	end_name(w);
}

void jsonw_name_raw(struct jsonw *w, const char *quoted, size_t n)
{
	if (!begin_name(w))
		return;
	out_bytes(w->out, quoted, n);
	end_name(w);
}

void jsonw_uint(struct jsonw *w, uint64_t v)
{
	if (begin_value(w))
		out_dec(w->out, v);
}

static void put_number(struct out *o, bool minus, uint64_t v)
{
	char *p = out_room(o, 21);

	*p = '-';
	out_added(o, num_dec(p + minus, v));
}

void jsonw_int(struct jsonw *w, int64_t v)
{
	if (begin_value(w))
		put_number(w->out, v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void jsonw_member_num(struct jsonw *w, const char *quoted, size_t n, bool minus, uint64_t v)
{
	size_t indent = w->pretty ? 4 * (size_t)w->depth : 0;
	char *p;

	if (w->skipped || w->named || !w->depth || (w->is_array & level_bit(w)) || n > MEMBER_NAME) {
		jsonw_name_raw(w, quoted, n);
		if (begin_value(w))
			put_number(w->out, minus, v);
		return;
	}
	p = out_room(w->out, 4 * JSONW_DEPTH + MEMBER_NAME + 32);
	if (w->has_value & level_bit(w))
		*p++ = ',';
	w->has_value |= level_bit(w);
	w->values++;
	if (w->pretty) {
		*p = '\n';
		memset(p + 1, ' ', indent);
		p += 1 + indent;
	}
	memcpy(p, quoted, n);
	p += n;
	*p++ = ':';
	if (w->pretty)
		*p++ = ' ';
	*p = '-';
	out_added(w->out, num_dec(p + minus, v));
}

void jsonw_bool(struct jsonw *w, bool v)
{
	jsonw_raw(w, v ? "true" : "false", v ? 4 : 5);
}

void jsonw_null(struct jsonw *w)
{
	jsonw_raw(w, "null", 4);
}

void jsonw_str(struct jsonw *w, const char *s)
{
	jsonw_strn(w, s, strlen(s));
}

void jsonw_strn(struct jsonw *w, const char *s, size_t n)
{
	if (begin_value(w))
		put_string(w->out, s, n);
}

void jsonw_fmt(struct jsonw *w, const char *fmt, ...)
{
	STR s = { 0 };
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	str_reserve(&s, (size_t)n);
	va_start(ap, fmt);
	vsnprintf(s.p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	jsonw_strn(w, s.p, (size_t)n);
}

void jsonw_double(struct jsonw *w, double v)
{
	char text[NUM_REAL];

	if (!isfinite(v)) {
		jsonw_null(w);
		return;
	}
	num_real(text, sizeof(text), v);
	jsonw_raw(w, text, strlen(text));
}

void jsonw_raw(struct jsonw *w, const char *text, size_t n)
{
	if (begin_value(w))
		out_bytes(w->out, text, n);
}

/* Bytes of the string or number at the start of a JSON text. */
static size_t scalar_len(const char *s)
{
	size_t n = 1;

	if (*s != '"')
		return strcspn(s, ",:]}[{\"") ?: 1;
	while (s[n] && s[n] != '"')
		n += s[n] == '\\' && s[n + 1] ? 2 : 1;
	return n + (s[n] == '"');
}

void jsonw_embed(struct jsonw *w, const char *json)
{
	uint64_t before = w->values;
	unsigned level = 0;
	size_t n;

	for (; *json && (level || w->values == before); json += n) {
		n = 1;
		if (*json == '{' || *json == '[') {
			begin_container(w, *json == '[');
			level++;
		} else if (*json == '}' || *json == ']') {
			if (!level)
				break;
			jsonw_end(w);
			level--;
		} else if (*json != ',' && *json != ':') {
			n = scalar_len(json);
			if (*json == '"' && json[n] == ':')
				jsonw_name_raw(w, json, n);
			else
				jsonw_raw(w, json, n);
		}
		if (w->skipped && !level)
			break;
	}
	for (; level; level--)
		jsonw_end(w);
	if (w->values == before)
		jsonw_null(w);
}

void jsonw_hexbytes(struct jsonw *w, const void *bytes, size_t n)
{
	const unsigned char *b = bytes, *end = b + n, *stop;
	char *p;

	if (w->depth == JSONW_DEPTH) {
		jsonw_null(w);
		return;
	}
	if (!begin_value(w))
		return;
	out_char(w->out, '[');
	while (b < end) {
		stop = (size_t)(end - b) > HEX_STEP ? b + HEX_STEP : end;
		p = out_room(w->out, (size_t)(stop - b) * 7 + 1);
		for (; b < stop; b++, p += 7)
			memcpy(p, hex_cell[*b], 8);
		out_added(w->out, b == end ? p - 1 : p);
	}
	if (w->pretty && n)
		newline(w);
	out_char(w->out, ']');
}

struct jsonw *jsonw_text_begin(struct jsonw_text *t)
{
	out_init(&t->out, -1);
	jsonw_init(&t->w, &t->out, false);
	return &t->w;
}

const char *jsonw_text_end(struct jsonw_text *t, struct arena *a)
{
	const char *ret = arena_str(a, t->out.buf, t->out.n);

	out_close(&t->out, NULL);
	return ret;
}

const char *jsonw_text_str(const char *s, struct arena *a)
{
	struct jsonw_text t;

	jsonw_str(jsonw_text_begin(&t), s);
	return jsonw_text_end(&t, a);
}
