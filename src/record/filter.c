/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/filter.h"

#include "record/column.h"
#include "record/field.h"

#define FILTER_DEPTH 64
#define FILTER_TEXT 4096

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

enum filter_node { NODE_OR, NODE_AND, NODE_NOT, NODE_TERM };
struct filter {
	enum filter_node node;
	const struct filter *left, *right; /* NODE_NOT: left only */
	const void *term;		   /* NODE_TERM */
};

struct filter_parser {
	const char *p;
	const struct filter_terms *terms;
	void *ctx;
	struct arena *a;
	struct err *e;
	unsigned depth;
};

/* A term about a field of a record. */
struct filter_term {
	const char *field;
	bool compare; /* or else: is it known and not zero? */
	bool null;    /* compared with null: is it known? */
	enum operator op;
	struct operand operand;
};
struct names_of {
	const struct schema *s;
	const struct schema *const *parts;
	struct filter_uses uses;
	struct filter_word *words;
	size_t cap, words_cap;
};
struct record {
	const struct schema *s;
	const void *rec;
	uint64_t now;
};

static void filter_blanks_skip(struct filter_parser *p)
{
	p->p += strspn(p->p, " \t\n");
}

static bool accept(struct filter_parser *p, const char *token)
{
	filter_blanks_skip(p);
	if (!str_starts(p->p, token))
		return false;
	p->p += strlen(token);
	return true;
}

static int unexpected(struct filter_parser *p, const char *wanted)
{
	filter_blanks_skip(p);
	if (!*p->p)
		err_usage(p->e, "filter: %s expected at the end", wanted);
	else
		err_usage(p->e, "filter: %s expected at '%.40s'", wanted, p->p);
	return err_hint(
		p->e,
		"NAME OPERATOR VALUE, joined by &&, || and !, as in 'name =~ \"^tcp\" && id > 7'; operators: == != =~ < <= > >=");
}

static struct filter *filter_new(struct filter_parser *p, enum filter_node node, const struct filter *left,
				 const struct filter *right)
{
	struct filter *f = arena_alloc(p->a, sizeof(*f));

	f->node = node;
	f->left = left;
	f->right = right;
	return f;
}

static bool parse_operator(struct filter_parser *p, enum operator* ret)
{
	static const struct {
		const char *text;
		enum operator op;
	} rows[] = {
		{ "==", OP_EQ }, { "!=", OP_NE }, { "=~", OP_MATCH }, { "<=", OP_LE },
		{ ">=", OP_GE }, { "<", OP_LT },  { ">", OP_GT },     { "=", OP_EQ },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (accept(p, rows[i].text)) {
			*ret = rows[i].op;
			return true;
		}
	return false;
}

/*
 * Within "double quotes", a backslash before a quote or a backslash quotes it; any other backslash is kept (for regular
 * expressions).
 */
static int parse_quoted(struct filter_parser *p, char **ret)
{
	char quote = *p->p++, *text = arena_alloc(p->a, strlen(p->p) + 1), *to = text;

	for (; *p->p && *p->p != quote; p->p++) {
		if (quote == '"' && *p->p == '\\' && (p->p[1] == '"' || p->p[1] == '\\'))
			p->p++;
		*to++ = *p->p;
	}
	if (!*p->p) {
		err_usage(p->e, "filter: a string is not closed");
		return err_hint(p->e, "it begins with %c and ends with another", quote);
	}
	p->p++;
	*ret = text;
	return 0;
}

static int parse_text(struct filter_parser *p, char **ret)
{
	size_t n;

	filter_blanks_skip(p);
	if (*p->p == '"' || *p->p == '\'')
		return parse_quoted(p, ret);
	n = when_words(p->p);
	n = n ? n : strcspn(p->p, WORD_STOPS);
	if (!n)
		return unexpected(p, "a value");
	*ret = arena_str(p->a, p->p, n);
	p->p += n;
	return 0;
}

static int parse_term(struct filter_parser *p, struct filter **ret)
{
	enum operator op = OP_EQ;
	char *name, *text = NULL;
	size_t n;
	int err = 0;

	filter_blanks_skip(p);
	n = isalpha((unsigned char)*p->p) ? strspn(p->p, p->terms->name_chars) : 0;
	if (!n)
		return unexpected(p, p->terms->noun);
	name = arena_str(p->a, p->p, n);
	p->p += n;
	if (parse_operator(p, &op))
		err = parse_text(p, &text);
	if (err)
		return err;
	*ret = filter_new(p, NODE_TERM, NULL, NULL);
	return p->terms->parse(p->ctx, name, op, text, &(*ret)->term, p->a, p->e);
}

static int parse_or(struct filter_parser *p, struct filter **ret);

static int parse_not(struct filter_parser *p, struct filter **ret)
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
		err = parse_term(p, ret);
	}
	p->depth--;
	return err;
}

static int parse_and(struct filter_parser *p, struct filter **ret)
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

static int parse_or(struct filter_parser *p, struct filter **ret)
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

int filter_parse_terms(struct filter **ret, const struct filter_terms *t, void *ctx, const char *text, struct arena *a,
		       struct err *e)
{
	struct filter_parser p = { .p = text, .terms = t, .ctx = ctx, .a = a, .e = e };
	struct filter *f;
	int err;

	if (strnlen(text, FILTER_TEXT + 1) > FILTER_TEXT)
		return err_usage(e, "filter: longer than %d bytes", FILTER_TEXT);
	err = parse_or(&p, &f);
	if (err)
		return err;
	filter_blanks_skip(&p);
	if (*p.p)
		return unexpected(&p, "an operator");
	*ret = f;
	return 0;
}

bool filter_match_terms(const struct filter *f, const struct filter_terms *t, const void *thing)
{
	switch (f->node) {
	case NODE_OR:
		return filter_match_terms(f->left, t, thing) || filter_match_terms(f->right, t, thing);
	case NODE_AND:
		return filter_match_terms(f->left, t, thing) && filter_match_terms(f->right, t, thing);
	case NODE_NOT:
		return !filter_match_terms(f->left, t, thing);
	case NODE_TERM:
		return t->match(f->term, thing);
	}
	return false;
}

static int term_parse(void *ctx, const char *name, enum operator op, const char *text, const void **ret,
		      struct arena *a, struct err *e)
{
	struct names_of *c = ctx;
	unsigned need;
	const struct field *field = column_find(c->s, c->parts, name, &need);
	struct filter_term *t;

	if (!field)
		return column_unknown(e, c->s, c->parts, name);
	c->uses.need |= need;
	ARENA_MORE(a, c->uses.fields, c->uses.n, c->cap);
	c->uses.fields[c->uses.n++] = field->name;
	t = arena_alloc(a, sizeof(*t));
	*t = (struct filter_term){ .field = field->name, .compare = text, .op = op };
	t->null = text && !strcmp(text, "null") && (op == OP_EQ || op == OP_NE);
	*ret = t;
	if (text && !t->null && field->among && (op == OP_EQ || op == OP_NE)) {
		ARENA_MORE(a, c->words, c->uses.nwords, c->words_cap);
		c->words[c->uses.nwords++] = (struct filter_word){ field, text };
		c->uses.words = c->words;
	}
	if (text && !t->null && operand_parse(&t->operand, field, op, text, a, e))
		return e->code;
	c->uses.need |= t->operand.is_time && when_is_relative(&t->operand.when) ? NEED_NOW : 0;
	return 0;
}

/* Does one of the texts that the field stands for match? */
static bool match_also(const struct operand *o, const struct field *f, enum operator op, const void *rec)
{
	const char *const *text;
	uint32_t n;

	if (!f->also_is)
		return false;
	memcpy(&text, (const char *)rec + f->also_is, sizeof(text));
	memcpy(&n, (const char *)rec + f->nalso_is, sizeof(n));
	for (uint32_t i = 0; i < n; i++)
		if (operand_match(o, f, op, &(struct value){ .avail = AVAIL_YES, .type = FT_STR, .s = text[i] }, 0))
			return true;
	return false;
}

static bool term_match(const void *term, const void *thing)
{
	const struct filter_term *t = term;
	const struct record *r = thing;
	const struct schema *in;
	const struct field *field = schema_find(r->s, r->rec, t->field, &in);
	const struct operand *o = &t->operand;
	struct value v;

	if (!field)
		return t->null && t->op == OP_EQ;
	v = field_get(in, field, r->rec);
	if (t->null)
		return (t->op == OP_EQ) ==
		       (v.avail != AVAIL_YES || ((v.type == FT_LIST || v.type == FT_ROWS) && !v.list.n));
	if (!t->compare)
		return !value_is_zero(&v);
	if (t->op == OP_NE)
		return operand_match(o, field, OP_NE, &v, r->now) && !match_also(o, field, OP_EQ, r->rec);
	return operand_match(o, field, t->op, &v, r->now) ||
	       ((t->op == OP_EQ || t->op == OP_MATCH) && match_also(o, field, t->op, r->rec));
}

static const struct filter_terms record_terms = { LETTERS "0123456789_%/", "a column", term_parse, term_match };

int filter_parse(struct filter **ret, const struct schema *s, const struct schema *const *parts, const char *text,
		 struct filter_uses *ret_uses, struct arena *a, struct err *e)
{
	struct names_of c = { .s = s, .parts = parts };
	int err = filter_parse_terms(ret, &record_terms, &c, text, a, e);

	if (!err && ret_uses)
		*ret_uses = c.uses;
	return err;
}

bool filter_match(const struct filter *f, const struct schema *s, const void *rec, uint64_t now)
{
	return filter_match_terms(f, &record_terms, &(struct record){ s, rec, now });
}
