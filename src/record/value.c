/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/value.h"

#include "base/when.h"
#include "base/json/jsonr.h"

/* snprintf() in pieces: continues to count when the buffer is full. */
struct sink {
	char *buf;
	size_t size, n;
};

static void sink_add(struct sink *k, const char *s, size_t n)
{
	size_t room = k->n + 1 < k->size ? k->size - 1 - k->n : 0;

	if (room) {
		memcpy(k->buf + k->n, s, n < room ? n : room);
		k->buf[k->n + (n < room ? n : room)] = '\0';
	}
	k->n += n;
}

static void sink_puts(struct sink *k, const char *s)
{
	sink_add(k, s, strlen(s));
}

static void sink_dec(struct sink *k, uint64_t v)
{
	char num[20];

	sink_add(k, num, (size_t)(num_dec(num, v) - num));
}

static void sink_uint(struct sink *k, enum field_unit unit, uint64_t v, enum value_style style)
{
	char num[32];

	if (unit == FU_HEX || unit == FU_ADDR) {
		memcpy(num, "0x", 2);
		sink_add(k, num, (size_t)(num_hex(num + 2, v) - num));
	} else if (unit == FU_CODE) {
		sink_add(k, num, (size_t)(num_hex(num, v) - num));
	} else if (unit == FU_BYTE) {
		sink_add(k, num_hex2[v & 0xff], 2);
	} else if (unit == FU_SIZE && style == VALUE_TABLE) {
		sink_puts(k, num_human(num, sizeof(num), v));
	} else if (unit == FU_NSEC && style == VALUE_TABLE) {
		sink_puts(k, num_nsec(num, sizeof(num), v));
	} else {
		sink_dec(k, v);
	}
}

static void sink_int(struct sink *k, enum field_unit unit, int64_t v, enum value_style style)
{
	if (v >= 0) {
		sink_uint(k, unit, (uint64_t)v, style);
		return;
	}
	sink_puts(k, "-");
	sink_dec(k, 0 - (uint64_t)v);
}

/* Tables show two digits after the point, unless the number is large. */
static void sink_real(struct sink *k, double v, enum value_style style)
{
	char num[NUM_REAL];

	if (style == VALUE_TABLE && v > -1e9 && v < 1e9)
		snprintf(num, sizeof(num), "%.*f", v <= -1000 || v >= 1000 ? 0 : 2, v);
	else
		num_real(num, sizeof(num), v);
	sink_puts(k, num);
}

#define TO_THE_MINUTE 16

static void sink_time(struct sink *k, uint64_t seconds, bool brief)
{
	char text[WHEN_TEXT];
	const size_t n = (size_t)(when_print(text, seconds, 0, 0, false) - text);

	sink_add(k, text, brief && n > TO_THE_MINUTE ? TO_THE_MINUTE : n);
}

/* The time of day, in local time as in other tables. */
static void sink_clock(struct sink *k, const char *s)
{
	char text[WHEN_TEXT];
	const char *point = strchr(s, '.');
	struct when w;

	if (when_parse(s, &w) || w.base != WHEN_DATE) {
		sink_puts(k, s);
		return;
	}
	when_print(text, when_at(&w, 0) / NSEC_PER_SEC, 0, 0, false);
	sink_add(k, text + strlen("2026-11-21T"), strlen("09:30:00"));
	sink_add(k, point ? point : "", point ? strcspn(point, "Z") : 0);
}

static void sink_enum(struct sink *k, const struct names *names, uint64_t v)
{
	const char *word = names_word(names, v);

	if (word) {
		sink_puts(k, word);
		return;
	}
	sink_puts(k, "unknown(");
	sink_dec(k, v);
	sink_puts(k, ")");
}

static void sink_value(struct sink *k, const struct field *f, const struct value *v, enum value_style style);

static void sink_list(struct sink *k, const struct field *f, const struct value *v, enum value_style style)
{
	uint32_t i;

	for (i = 0; i < v->list.n; i++) {
		struct value elem = value_elem(f, v, i);

		if (i)
			sink_puts(k, f->unit == FU_BYTE ? " " : ",");
		sink_value(k, f, &elem, style);
	}
}

/* One row: its own text, "key=value", or its values. */
static void sink_row(struct sink *k, const struct field *f, const void *row, enum value_style style)
{
	struct schema_iter it = SCHEMA_ITER(f->rows, row);
	const struct field *cell;
	bool first = true;

	if (f->rows->text) {
		size_t room = k->n < k->size ? k->size - k->n : 0;

		k->n += f->rows->text(row, room ? k->buf + k->n : NULL, room);
		return;
	}
	while ((cell = schema_next(&it))) {
		struct value v = schema_value(&it, cell);

		if (v.avail == AVAIL_NO)
			continue;
		if (!first)
			sink_puts(k, f->flags & FIELD_KEYED ? "=" : " ");
		first = false;
		sink_value(k, cell, &v, style);
	}
}

static void sink_rows(struct sink *k, const struct field *f, const struct value *v, enum value_style style)
{
	const char *row = v->list.p;
	uint32_t i;

	for (i = 0; i < v->list.n; i++, row += v->list.stride) {
		if (i)
			sink_puts(k, ", ");
		sink_row(k, f, row, style);
	}
}

static void sink_value(struct sink *k, const struct field *f, const struct value *v, enum value_style style)
{
	uint32_t i;

	if (v->avail != AVAIL_YES) {
		sink_puts(k, v->avail == AVAIL_NO ? "-" : "?");
		return;
	}
	switch (v->type) {
	case FT_BOOL:
		sink_puts(k, v->b ? "true" : "false");
		break;
	case FT_UINT:
		sink_uint(k, f->unit, v->u, style);
		break;
	case FT_INT:
		sink_int(k, f->unit, v->i, style);
		break;
	case FT_REAL:
		sink_real(k, v->d, style);
		break;
	case FT_STR:
		if (style == VALUE_TABLE && f->flags & FIELD_SHORT)
			sink_clock(k, v->s);
		else
			sink_puts(k, v->s);
		break;
	case FT_JSON:
		sink_puts(k, v->s);
		break;
	case FT_ENUM:
		sink_enum(k, f->names, v->u);
		break;
	case FT_BYTES:
		for (i = 0; i < v->list.n; i++)
			sink_add(k, num_hex2[((const unsigned char *)v->list.p)[i]], 2);
		break;
	case FT_TIME:
		sink_time(k, v->u, style == VALUE_TABLE && (f->flags & FIELD_SHORT));
		break;
	case FT_LIST:
		sink_list(k, f, v, style);
		break;
	case FT_ROWS:
		sink_rows(k, f, v, style);
		break;
	}
}

/* The text of a JSON string. false: it must keep its quotes, because it contains a NUL or begins with a quote. */
static bool unquoted(const char *json, char *buf, size_t size, size_t *ret_n)
{
	const size_t room = size ? size - 1 : 0;
	struct jsonr r;
	uint32_t first;

	jsonr_init(&r, "text", 0, json, strlen(json));
	if (jsonr_next(&r) != JSONR_STR || (r.escaped && memmem(r.text, r.len, "\\u0000", 6)) ||
	    (r.len && jsonr_char(&r, &first) && first == '"'))
		return false;
	*ret_n = jsonr_text(&r, buf, room);
	if (size)
		buf[*ret_n < room ? *ret_n : room] = '\0';
	return true;
}

size_t value_text(const struct field *f, const struct value *v, enum value_style style, char *buf, size_t size)
{
	struct sink k = { .buf = buf, .size = size };

	if (size)
		buf[0] = '\0';
	/* Alone in a cell, a JSON string needs no quotes; in a row, the quotes delimit it. */
	if (style == VALUE_TABLE && v->avail == AVAIL_YES && v->type == FT_JSON && v->s[0] == '"' &&
	    unquoted(v->s, buf, size, &k.n))
		return k.n;
	sink_value(&k, f, v, style);
	return k.n;
}

bool value_keeps_quotes(const char *json)
{
	return json[0] == '"' && (json[1] == '"' || json[1] == '-');
}

struct value value_elem(const struct field *f, const struct value *v, uint32_t i)
{
	if (v->avail != AVAIL_YES || v->type != FT_LIST || i >= v->list.n)
		return (struct value){ .avail = AVAIL_NO, .type = f->elem };
	return value_scalar(f->elem, f->flags, (const char *)v->list.p + (size_t)i * v->list.stride, v->list.stride);
}

/* Of words that say how good or bad it is: changes, states and findings. @other: the role of all other words. */
static enum role word_role(const char *word, enum role other)
{
	static const struct {
		const char *word;
		enum role role;
	} words[] = {
		{ "load", ROLE_ADDED },	  { "unload", ROLE_REMOVED },  { "added", ROLE_ADDED },
		{ "new", ROLE_ADDED },	  { "removed", ROLE_REMOVED }, { "gone", ROLE_REMOVED },
		{ "ok", ROLE_OK },	  { "missing", ROLE_PROBLEM }, { "unknown", ROLE_UNKNOWN },
		{ "runs", ROLE_PROBLEM }, { "hidden", ROLE_PROBLEM },  { "dangerous", ROLE_PROBLEM },
	};

	for (size_t i = 0; word && i < ARRAY_SIZE(words); i++)
		if (!strcmp(word, words[i].word))
			return words[i].role;
	return word ? other : ROLE_UNKNOWN;
}

enum role field_role(const struct field *f, const struct value *v)
{
	static const uint8_t by_unit[] = {
		[FU_PROG] = ROLE_ID,	   [FU_MAP] = ROLE_ID,	     [FU_BTF] = ROLE_ID,
		[FU_LINK] = ROLE_ID,	   [FU_PIN] = ROLE_PLACE,    [FU_PID] = ROLE_OWNER,
		[FU_IFINDEX] = ROLE_PLACE, [FU_CGROUP] = ROLE_PLACE, [FU_NETNS] = ROLE_PLACE,
	};
	enum role r = f->unit < sizeof(by_unit) ? by_unit[f->unit] : ROLE_NONE;

	if (v->avail == AVAIL_UNKNOWN)
		return ROLE_UNKNOWN;
	if (f->role == ROLE_CHANGED || f->role == ROLE_LIMITED)
		return word_role(v->type == FT_STR ? v->s : f->names ? names_word(f->names, v->u) : "", f->role);
	return f->role ? f->role : r ? r : f->type == FT_ENUM ? ROLE_KIND : ROLE_NONE;
}

bool value_is_zero(const struct value *v)
{
	const unsigned char *bytes;
	uint32_t i;

	if (v->avail != AVAIL_YES)
		return true;
	switch (v->type) {
	case FT_BOOL:
		return !v->b;
	case FT_UINT:
	case FT_ENUM:
	case FT_TIME:
		return !v->u;
	case FT_INT:
		return !v->i;
	case FT_REAL:
		return v->d == 0;
	case FT_STR:
		return !v->s[0];
	case FT_JSON:
		return !v->s[0] || strcmp(v->s, "{}") == 0 || strcmp(v->s, "[]") == 0;
	case FT_BYTES:
		bytes = v->list.p;
		for (i = 0; i < v->list.n; i++)
			if (bytes[i])
				return false;
		return true;
	case FT_LIST:
	case FT_ROWS:
		return !v->list.n;
	}
	return true;
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int enum_cmp(const struct names *names, uint64_t a, uint64_t b)
{
	const char *wa = names_word(names, a), *wb = names_word(names, b);

	if (wa && wb)
		return strcmp(wa, wb);
	/* Values without a name sort after those with one. */
	return wa ? -1 : wb ? 1 : order(a, b);
}

static int row_cmp(const struct schema *s, const void *a, const void *b)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		struct value va = field_get(s, &s->fields[i], a), vb = field_get(s, &s->fields[i], b);
		int c = value_cmp(&s->fields[i], &va, &vb);

		if (c)
			return c;
	}
	return 0;
}

static int list_cmp(const struct field *f, const struct value *a, const struct value *b)
{
	const char *pa = a->list.p, *pb = b->list.p;
	uint32_t i;
	int c = order(a->list.n, b->list.n);

	if (!c && a->type == FT_BYTES && a->list.n)
		return memcmp(pa, pb, a->list.n);
	for (i = 0; !c && i < a->list.n; i++) {
		if (a->type == FT_LIST) {
			struct value ea = value_elem(f, a, i), eb = value_elem(f, b, i);

			c = value_cmp(f, &ea, &eb);
		} else {
			c = row_cmp(f->rows, pa + (size_t)i * a->list.stride, pb + (size_t)i * b->list.stride);
		}
	}
	return c;
}

int value_cmp(const struct field *f, const struct value *a, const struct value *b)
{
	static const unsigned char rank[] = { [AVAIL_NO] = 0, [AVAIL_UNKNOWN] = 1, [AVAIL_YES] = 2 };

	if (a->avail != b->avail)
		return order(rank[a->avail], rank[b->avail]);
	if (a->avail != AVAIL_YES)
		return 0;
	if (a->type != b->type)
		return order(a->type, b->type);
	switch (a->type) {
	case FT_BOOL:
		return order(a->b, b->b);
	case FT_UINT:
	case FT_TIME:
		return order(a->u, b->u);
	case FT_INT:
		return (a->i > b->i) - (a->i < b->i);
	case FT_REAL:
		return (a->d > b->d) - (a->d < b->d);
	case FT_ENUM:
		return enum_cmp(f->names, a->u, b->u);
	case FT_STR:
	case FT_JSON:
		return strcmp(a->s, b->s);
	case FT_BYTES:
	case FT_LIST:
	case FT_ROWS:
		return list_cmp(f, a, b);
	}
	return 0;
}
