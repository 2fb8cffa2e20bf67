/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "record/column.h"
#include "record/field.h"
#include "record/operand.h"

#define FILTER_DEPTH 64
#define FILTER_TEXT 4096

enum node { NODE_OR, NODE_AND, NODE_NOT, NODE_IS, NODE_COMPARE };
struct filter {
	enum node node;
	const struct filter *left, *right;	/* NODE_NOT: left only */
	const char *field;			/* NODE_IS, NODE_COMPARE */
	enum operator op;
	struct operand operand;
};

struct parser {
	const char *p;
	const struct schema *s;
	const struct schema *const *parts;
	struct arena *a;
	struct err *e;
	unsigned need, depth;
};

static void skip_blanks(struct parser *p)
{
	p->p += strspn(p->p, " \t\n");
}

static bool accept(struct parser *p, const char *token)
{
	skip_blanks(p);
	if (!str_starts(p->p, token))
		return false;
	p->p += strlen(token);
	return true;
}

static int unexpected(struct parser *p, const char *wanted)
{
	skip_blanks(p);
	if (!*p->p)
		return err_usage(p->e, "filter: %s expected at the end", wanted);
	return err_usage(p->e, "filter: %s expected at '%.40s'", wanted, p->p);
}

static struct filter *filter_new(struct parser *p, enum node node, const struct filter *left, const struct filter *right)
{
	struct filter *f = arena_alloc(p->a, sizeof(*f));

	f->node = node;
	f->left = left;
	f->right = right;
	return f;
}

static bool parse_operator(struct parser *p, enum operator *ret)
{
	static const struct { const char *text; enum operator op; } rows[] = {
		{ "==", OP_EQ }, { "!=", OP_NE }, { "=~", OP_MATCH }, { "<=", OP_LE }, { ">=", OP_GE }, { "<", OP_LT },
		{ ">", OP_GT },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (accept(p, rows[i].text)) {
			*ret = rows[i].op;
			return true;
		}
	return false;
}

/* In "double quotes" a backslash before a quote or a backslash takes it as it is; every other one stays (it is regex). */
static int parse_quoted(struct parser *p, char **ret)
{
	char quote = *p->p++, *text = arena_alloc(p->a, strlen(p->p) + 1), *to = text;

	for (; *p->p && *p->p != quote; p->p++) {
		if (quote == '"' && *p->p == '\\' && (p->p[1] == '"' || p->p[1] == '\\'))
			p->p++;
		*to++ = *p->p;
	}
	if (!*p->p)
		return err_usage(p->e, "filter: a string is not closed");
	p->p++;
	*ret = text;
	return 0;
}

static int parse_text(struct parser *p, char **ret)
{
	size_t n;

	skip_blanks(p);
	if (*p->p == '"' || *p->p == '\'')
		return parse_quoted(p, ret);
	n = strcspn(p->p, " \t\n()!&|<>=\"'");
	if (!n)
		return unexpected(p, "a value");
	*ret = arena_str(p->a, p->p, n);
	p->p += n;
	return 0;
}

static int parse_field(struct parser *p, struct filter **ret)
{
	const struct field *field;
	struct filter *f;
	unsigned need;
	char *text;
	size_t n;
	int err;

	skip_blanks(p);
	n = isalpha((unsigned char)*p->p) ? strspn(p->p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") : 0;
	if (!n)
		return unexpected(p, "a column");
	text = arena_str(p->a, p->p, n);
	field = column_find(p->s, p->parts, text, &need);
	if (!field)
		return column_unknown(p->e, p->s, p->parts, text);
	p->p += n;
	p->need |= need;
	f = filter_new(p, NODE_IS, NULL, NULL);
	f->field = field->name;
	if (parse_operator(p, &f->op)) {
		f->node = NODE_COMPARE;
		err = parse_text(p, &text);
		if (!err)
			err = operand_parse(&f->operand, field, f->op, text, p->a, p->e);
		if (err)
			return err;
	}
	*ret = f;
	return 0;
}

static int parse_or(struct parser *p, struct filter **ret);

static int parse_not(struct parser *p, struct filter **ret)
{
	int err;

	if (++p->depth > FILTER_DEPTH)
		return err_usage(p->e, "filter: nested deeper than %d", FILTER_DEPTH);
	if (accept(p, "!")) {
		err = parse_not(p, ret);
		if (!err)
			*ret = filter_new(p, NODE_NOT, *ret, NULL);
	} else if (accept(p, "(")) {
		err = parse_or(p, ret);
		if (!err && !accept(p, ")"))
			err = unexpected(p, "')'");
	} else {
		err = parse_field(p, ret);
	}
	p->depth--;
	return err;
}

static int parse_and(struct parser *p, struct filter **ret)
{
	struct filter *right;
	int err = parse_not(p, ret);

	while (!err && accept(p, "&&")) {
		err = parse_not(p, &right);
		if (!err)
			*ret = filter_new(p, NODE_AND, *ret, right);
	}
	return err;
}

static int parse_or(struct parser *p, struct filter **ret)
{
	struct filter *right;
	int err = parse_and(p, ret);

	while (!err && accept(p, "||")) {
		err = parse_and(p, &right);
		if (!err)
			*ret = filter_new(p, NODE_OR, *ret, right);
	}
	return err;
}

int filter_parse(struct filter **ret, const struct schema *s, const struct schema *const *parts, const char *text,
		 unsigned *ret_need, struct arena *a, struct err *e)
{
	struct parser p = { .p = text, .s = s, .parts = parts, .a = a, .e = e };
	struct filter *f;
	int err;

	if (strnlen(text, FILTER_TEXT + 1) > FILTER_TEXT)
		return err_usage(e, "filter: longer than %d bytes", FILTER_TEXT);
	err = parse_or(&p, &f);
	if (err)
		return err;
	skip_blanks(&p);
	if (*p.p)
		return unexpected(&p, "an operator");
	*ret = f;
	if (ret_need)
		*ret_need = p.need;
	return 0;
}

static bool match_field(const struct filter *f, const struct schema *s, const void *rec)
{
	const struct schema *in;
	const struct field *field = schema_find(s, rec, f->field, &in);
	struct value v;

	if (!field)
		return false;
	v = field_get(in, field, rec);
	if (f->node == NODE_IS)
		return !value_is_zero(&v);
	return operand_match(&f->operand, field, f->op, &v);
}

bool filter_match(const struct filter *f, const struct schema *s, const void *rec)
{
	switch (f->node) {
	case NODE_OR:
		return filter_match(f->left, s, rec) || filter_match(f->right, s, rec);
	case NODE_AND:
		return filter_match(f->left, s, rec) && filter_match(f->right, s, rec);
	case NODE_NOT:
		return !filter_match(f->left, s, rec);
	case NODE_IS:
	case NODE_COMPARE:
		return match_field(f, s, rec);
	}
	return false;
}
