/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/operand.h"

#include "base/near.h"
#include "record/field.h"

bool operator_holds(enum operator op, int order)
{
	switch (op) {
	case OP_EQ:
		return order == 0;
	case OP_NE:
		return order != 0;
	case OP_LT:
		return order < 0;
	case OP_GT:
		return order > 0;
	case OP_LE:
		return order <= 0;
	case OP_GE:
		return order >= 0;
	case OP_MATCH:
		return false;
	}
	return false;
}

/* 1 or 0; -1 if it is neither. */
static int truth(const char *text)
{
	if (strcmp(text, "true") == 0 || strcmp(text, "yes") == 0 || strcmp(text, "1") == 0)
		return 1;
	if (strcmp(text, "false") == 0 || strcmp(text, "no") == 0 || strcmp(text, "0") == 0)
		return 0;
	return -1;
}

static bool digits_parse(struct operand *o, const struct field *f, const char *digits)
{
	char size[32]; /* as "280B" or "1.5KB" */
	const size_t n = strlen(digits);

	if (f->unit == FU_SIZE && n > 1 && n < sizeof(size) && digits[n - 1] == 'B') {
		memcpy(size, digits, n);
		size[n - 1] = '\0';
		digits = size;
	}
	return !num_parse_size(digits, &o->num) || (f->unit == FU_NSEC && !num_parse_nsec(digits, &o->num));
}

static void regex_free(void *p)
{
	regfree(p);
}

int regex_compile(regex_t **ret, const char *text, struct arena *a, struct err *e)
{
	regex_t *re = arena_alloc(a, sizeof(*re));
	const int rc = regcomp(re, text, REG_EXTENDED | REG_NOSUB);
	char why[128];

	if (rc) {
		regerror(rc, re, why, sizeof(why));
		return err_usage(e, "the regular expression '%.64s' is wrong: %s", text, why);
	}
	arena_defer(a, regex_free, re);
	*ret = re;
	return 0;
}

/* Is it one of the words that the field may have? Regular expressions and orders may name others. */
static int word_check(const struct field *f, enum operator op, const char *text, struct err *e)
{
	struct near near = { 0 };

	if (!f->names || !*text || (op != OP_EQ && op != OP_NE) || str_starts(text, "unknown("))
		return 0;
	for (unsigned i = 0; i < f->names->n; i++) {
		if (f->names->word[i] && !strcmp(f->names->word[i], text))
			return 0;
		if (f->names->word[i])
			near_offer(&near, text, f->names->word[i]);
	}
	err_usage(e, "filter: no %s is named '%.64s'", f->name, text);
	return near_hint(&near, e);
}

int operand_parse(struct operand *ret, const struct field *f, enum operator op, const char *text, struct arena *a,
		  struct err *e)
{
	enum field_type type = f->type == FT_LIST ? f->elem : f->type;
	struct operand o = { .text = text, .negative = text[0] == '-' };
	int err;

	if (op == OP_MATCH) {
		err = regex_compile(&o.re, text, a, e);
		if (err)
			return err;
		*ret = o;
		return 0;
	}
	o.is_time = field_is_time(f);
	if (o.is_time && when_parse(text, &o.when))
		return err_usage(e, "filter: '%.64s' is not a time, which %s is compared with: " WHEN_FORMS, text,
				 f->name);
	o.is_num = !o.is_time && digits_parse(&o, f, text + o.negative);
	if (o.is_num)
		o.real = o.negative ? -(double)o.num : (double)o.num;
	else if (type == FT_REAL)
		o.is_num = !num_parse_real(text, &o.real);
	if (!o.is_num && (type == FT_UINT || type == FT_INT || type == FT_REAL)) {
		err_usage(e, "filter: '%.64s' is not a number, which %s is compared with", text, f->name);
		return err_hint(
			e, f->unit == FU_NSEC ?
				   "nanoseconds, or a number and ns, us, ms, s, m, h, d or w, as in 1.5ms or 1h30m" :
				   "a number, in decimal or as 0x..., optionally followed by K, M, G or T");
	}
	if (!o.is_num && word_check(f, op, text, e))
		return e->code;
	if (type == FT_BOOL && truth(text) < 0)
		return err_usage(e, "filter: %s is compared with true or false, not '%.64s'", f->name, text);
	if (op != OP_EQ && op != OP_NE && (type == FT_BOOL || type == FT_ROWS))
		return err_usage(e, "filter: %s has no order; == != and =~ work", f->name);
	*ret = o;
	return 0;
}

static int order_uint(uint64_t v, const struct operand *o)
{
	if (o->negative && o->num)
		return 1;
	return (v > o->num) - (v < o->num);
}

static int order_int(int64_t v, const struct operand *o)
{
	if (v >= 0)
		return order_uint((uint64_t)v, o);
	if (!o->negative)
		return -1;
	return -order_uint(0 - (uint64_t)v, &(struct operand){ .num = o->num });
}

/* Compare as text, used for OP_MATCH and for values without another order. Longer texts are truncated. */
static bool match_text(const struct operand *o, enum operator op, const char *text)
{
	if (op == OP_MATCH)
		return o->re && regexec(o->re, text, 0, NULL, 0) == 0;
	return operator_holds(op, strcmp(text, o->text));
}

static bool match_value_text(const struct operand *o, const struct field *f, enum operator op, const struct value *v)
{
	char text[1024];

	if (v->type == FT_STR)
		return match_text(o, op, v->s);
	/* The quotes of a JSON string are not part of the text. */
	value_text(f, v, v->type == FT_JSON ? VALUE_TABLE : VALUE_PLAIN, text, sizeof(text));
	return match_text(o, op, text);
}

/*
 * Does a table show this number as the user typed it? Then it is equal, because that is all that the user can see: 14K
 * are 14336 to 15359 bytes.
 */
static bool is_shown_as(const struct operand *o, const struct field *f, const struct value *v)
{
	char text[64];

	if (!o->text[strspn(o->text, "-0123456789")])
		return false;
	value_text(f, v, VALUE_TABLE, text, sizeof(text));
	return !strcmp(text, o->text);
}

static bool match_number(const struct operand *o, const struct field *f, enum operator op, const struct value *v,
			 int order)
{
	if (!o->is_num)
		return false;
	if (order && (op == OP_EQ || op == OP_NE) && is_shown_as(o, f, v))
		order = 0;
	return operator_holds(op, order);
}

static bool match_list(const struct operand *o, const struct field *f, enum operator op, const struct value *v)
{
	uint32_t i;

	for (i = 0; i < v->list.n; i++) {
		struct value elem = value_elem(f, v, i);

		if (operand_match(o, f, op, &elem, 0))
			return true;
	}
	return false;
}

/* A row is equal or matches if its text or that of one of its members does. */
static bool match_row(const struct operand *o, const struct schema *s, enum operator op, const void *row)
{
	struct schema_iter it = SCHEMA_ITER(s, row);
	const struct field *f;
	char text[1024];

	if (s->text) {
		text[0] = '\0';
		s->text(row, text, sizeof(text));
		if (match_text(o, op, text))
			return true;
	}
	while ((f = schema_next(&it))) {
		struct value v = schema_value(&it, f);

		if (v.avail == AVAIL_YES && v.type != FT_ROWS && v.type != FT_LIST && match_value_text(o, f, op, &v))
			return true;
	}
	return false;
}

static bool match_rows(const struct operand *o, const struct field *f, enum operator op, const struct value *v)
{
	const char *row = v->list.p;
	uint32_t i;

	for (i = 0; i < v->list.n; i++, row += v->list.stride)
		if (op == OP_NE ? !match_row(o, f->rows, OP_EQ, row) : match_row(o, f->rows, op, row))
			return true;
	return false;
}

static bool match_time(const struct operand *o, enum operator op, const struct value *v, uint64_t now)
{
	const uint64_t at = when_at(&o->when, when_seconds(now));
	struct when w = { .base = WHEN_EPOCH, .ns = when_seconds(v->type == FT_TIME ? v->u : 0) };
	uint64_t ns;

	if (v->type == FT_STR && when_parse(v->s, &w))
		return false;
	ns = when_at(&w, 0);
	/* Equal is what is printed as it was typed. */
	if (op == OP_EQ || op == OP_NE)
		return operator_holds(op, !when_has(&o->when, when_seconds(now), ns));
	return operator_holds(op, (ns > at) - (ns < at));
}

bool operand_match(const struct operand *o, const struct field *f, enum operator op, const struct value *v,
		   uint64_t now)
{
	if (v->avail != AVAIL_YES)
		return false;
	if (v->type == FT_LIST)
		return match_list(o, f, op, v);
	if (v->type == FT_ROWS)
		return match_rows(o, f, op, v);
	if (op == OP_MATCH)
		return match_value_text(o, f, op, v);
	if (o->is_time)
		return match_time(o, op, v, now);
	switch (v->type) {
	case FT_UINT:
		return match_number(o, f, op, v, order_uint(v->u, o));
	case FT_INT:
		return match_number(o, f, op, v, order_int(v->i, o));
	case FT_REAL:
		return match_number(o, f, op, v, (v->d > o->real) - (v->d < o->real));
	case FT_BOOL:
		return operator_holds(op, v->b - truth(o->text));
	case FT_ENUM:
		if (o->is_num)
			return operator_holds(op, order_uint(v->u, o));
		return match_value_text(o, f, op, v);
	default:
		return match_value_text(o, f, op, v);
	}
}
