/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/query.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/err.h"
#include "base/near.h"
#include "base/str.h"
#include "btf/value/format.h"
#include "cli/command.h"
#include "record/filter.h"

/* A comparison of a filter. */
struct query_term {
	const struct member_test *test;
	bool of_value;
};
struct element {
	const struct elem_form *form;
	const unsigned char *key;
};

/* "bytes": a member of the value or of the key, if only one of them has it. 1: neither has it; 0 or -EINVAL. */
static int short_find(const struct query_names *n, const char *name, struct member *ret, bool *ret_of_value,
		      struct err *e)
{
	const char *path = *name == '[' ? name : NULL;
	struct member of_key, of_value;
	bool key, value;
	char dotted[256];

	if (!path && (size_t)snprintf(dotted, sizeof(dotted), ".%s", name) >= sizeof(dotted))
		return 1;
	path = path ? path : dotted;
	key = n->key && !n->key_bare && !member_find(&of_key, n->key, "key", path, NULL);
	value = n->value && !n->value_bare && !member_find(&of_value, n->value, "value", path, NULL);
	if (key && value)
		return err_usage(e, "'%.64s' is a member of key and of value: use key.%.64s or value.%.64s", name, name,
				 name);
	if (!key && !value)
		return 1;
	*ret = value ? of_value : of_key;
	*ret_of_value = value;
	return 0;
}

/* The path after "key" or "value"; NULL: it begins with neither. */
static const char *root_skip(const char *name, bool *ret_of_value)
{
	const bool of_value = str_starts(name, "value");
	const char *path = name + (of_value ? strlen("value") : strlen("key"));

	if ((!of_value && !str_starts(name, "key")) || (*path && *path != '.' && *path != '['))
		return NULL;
	*ret_of_value = of_value;
	return path;
}

/* Members whose names are near to an unknown one. */
struct similar {
	const char *name;
	struct near near;
	struct arena *arena;
};

static void similar_offer(void *ctx, const char *path)
{
	struct similar *s = ctx;

	if (*path == '.' && near_is(s->name, path + 1))
		near_offer(&s->near, s->name, arena_str(s->arena, path + 1, strlen(path + 1)));
}

static int no_member(const struct query_names *n, const char *name, struct err *e)
{
	ARENA a = arena_new();
	struct similar s = { .name = name, .arena = a };
	STR list = { 0 };

	/* Too many names are near to a single character. */
	if (n->key && !n->key_bare && strlen(name) > 1)
		members_each(n->key, similar_offer, &s);
	if (n->value && !n->value_bare && strlen(name) > 1)
		members_each(n->value, similar_offer, &s);
	near_list(&s.near, &list);
	err_usage(e, "'%.64s' is neither key, value, nor a member of them", name);
	if (list.n)
		return err_hint(e, "similar: %s", list.p);
	return err_hint(e, "members are named key.MEMBER and value.MEMBER, or MEMBER if only one of them has it");
}

/* "peers[9]" of a list of 4: -EINVAL. 1: no such list has that name. */
static int list_end(const struct query_names *n, const char *name, struct err *e)
{
	char list[256], path[256];
	struct member m;
	bool of_value;

	str_fit(path, sizeof(path), ".%s", name);
	for (size_t len = strlen(name); len--;) {
		if (name[len] != '[')
			continue;
		str_fit(list, sizeof(list), "%.*s", (int)len, name);
		if (!short_find(n, list, &m, &of_value, NULL))
			return member_find(&m, of_value ? n->value : n->key, of_value ? "value" : "key", path, e);
	}
	return 1;
}

/* "value.in.x": the plan of its first word, and the rest. */
static int name_find(const struct query_names *n, const char *name, struct member *ret, bool *ret_of_value,
		     struct err *e)
{
	const struct value_plan *plan;
	bool of_value;
	const char *path = root_skip(name, &of_value);
	int err;

	if (!path) {
		err = short_find(n, name, ret, ret_of_value, e);
		err = err > 0 ? list_end(n, name, e) : err;
		return err > 0 ? no_member(n, name, e) : err;
	}
	plan = of_value ? n->value : n->key;
	if (!plan)
		return err_usage(e, "the map has no %s", of_value ? "values" : "keys");
	*ret_of_value = of_value;
	err = member_find(ret, plan, of_value ? "value" : "key", path, e);
	if (err && (of_value ? n->value_bare : n->key_bare))
		err_hint(e, "without type information, key and value are integers, or bytes as in value[2]");
	return err;
}

static int term_parse(void *ctx, const char *name, enum operator op, const char *text, const void **ret,
		      struct arena *a, struct err *e)
{
	struct query_term *t = arena_alloc(a, sizeof(*t));
	struct member m;
	int err = name_find(ctx, name, &m, &t->of_value, e);

	*ret = t;
	return err ? err : member_test_parse(&t->test, &m, name, op, text, a, e);
}

static bool term_match(const void *term, const void *thing)
{
	const struct element *elem = thing;
	const struct elem_form *f = elem->form;
	const struct query_term *t = term;
	const unsigned char *value = elem->key + f->key_size;
	size_t step = elem_value_step(f);

	if (!t->of_value)
		return member_match(t->test, elem->key, f->key_size);
	if (!f->cpus)
		return member_match(t->test, value, f->value_size);
	for (uint32_t cpu = 0; cpu < f->cpus; cpu++)
		if (member_match(t->test, value + cpu * step, f->value_size))
			return true;
	return false;
}

static const struct filter_terms terms = {
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]",
	"key or value",
	term_parse,
	term_match,
};

static bool number_size(uint32_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

static int aggregate_init(struct query *q, enum aggregate how, bool untyped, struct arena *a, struct err *e)
{
	int err;

	if (!q->in.value || (untyped && !number_size(q->in.value_size)))
		return err_usage(e, "the map's value has no type and is not an integer: it cannot be summed");
	err = aggregator_init(&q->aggregator, how, q->in.value, q->in.value_size, a, e);
	if (err)
		return err;
	q->out.value = q->aggregator.plan;
	q->out.value_size = (uint32_t)q->aggregator.size;
	q->out.cpus = 0;
	q->out.aggregate = how;
	q->scratch = arena_alloc(a, q->out.key_size + q->aggregator.size);
	return 0;
}

static const char *name_dotted(const char *name, struct arena *a)
{
	size_t n = strlen(name);
	char *ret = arena_alloc(a, n + 2);

	*ret = '.';
	memcpy(ret + 1, name, n + 1);
	return ret;
}

static int format_word_parse(const char *word, enum format *ret, struct err *e)
{
	*ret = format_parse(word, strlen(word));
	if (*ret)
		return 0;
	err_usage(e, "no format '%.64s'", word);
	return err_hint(e, "formats are %s", format_words());
}

/* A "value.addr=ip" of n bytes. */
static int format_one(struct elem_form *form, const char *text, size_t n, struct machine *machine, struct arena *a,
		      struct err *e)
{
	const char *word = memchr(text, '=', n), *name = arena_str(a, text, word ? (size_t)(word - text) : n), *root,
		   *path;
	const struct query_names names = { form->key, form->value, false, false };
	const struct value_plan **plan;
	struct member unused;
	enum format f;
	bool of_value;
	int err;

	if (!word) {
		err_usage(e,
			  "--format takes value.MEMBER=FORMAT or key.MEMBER=FORMAT, separated by commas, not '%.64s'",
			  name);
		return err_hint(e, "formats are %s", format_words());
	}
	path = root_skip(name, &of_value);
	if (!path) {
		err = name_find(&names, name, &unused, &of_value, e);
		if (err)
			return err;
		path = name_dotted(name, a);
	}
	err = format_word_parse(arena_str(a, word + 1, n - (size_t)(word + 1 - text)), &f, e);
	if (err)
		return err;
	plan = of_value ? &form->value : &form->key;
	root = of_value ? "value" : "key";
	if (!*plan)
		*plan = value_plan_untyped(of_value ? form->value_size : form->key_size, form->big, a);
	if (!*plan)
		return err_usage(e, "the map has no %ss", root);
	return format_apply(plan, root, path, f, machine, a, e);
}

int query_formats(struct elem_form *form, const struct arg_list *texts, struct machine *machine, struct arena *a,
		  struct err *e)
{
	int err = 0;

	for (size_t i = 0; i < texts->n; i++) {
		for (const char *text = texts->word[i]; *text && !err; text += strspn(text, ",")) {
			err = format_one(form, text, strcspn(text, ","), machine, a, e);
			text += strcspn(text, ",");
		}
	}
	return err;
}

int query_init(struct query *q, const struct query_opts *o, const struct elem_form *form, struct arena *a,
	       struct err *e)
{
	enum aggregate how = o->sum ? AGGREGATE_SUM : o->max ? AGGREGATE_MAX : o->avg ? AGGREGATE_AVG : AGGREGATE_NONE;
	int err = 0;

	*q = (struct query){ .in = *form, .out = *form, .limit = o->limit, .descending = o->sort && *o->sort == '-' };
	q->names = (struct query_names){ .key_bare = !form->key, .value_bare = !form->value };
	if (how && !form->cpus) {
		err_usage(e, "the map has a single value for all CPUs: there is nothing to combine");
		return err_hint(e, "omit --sum, --max or --avg");
	}
	if (!form->key)
		q->in.key = value_plan_untyped(form->key_size, form->big, a);
	if (!form->value)
		q->in.value = value_plan_untyped(form->value_size, form->big, a);
	if (how)
		err = aggregate_init(q, how, !form->value, a, e);
	q->names.key = q->in.key;
	q->names.value = how ? q->out.value : q->in.value;
	if (!err && o->filter)
		err = filter_parse_terms(&q->filter, &terms, &q->names, o->filter, a, e);
	if (!err && o->sort) {
		q->sorted = true;
		err = name_find(&q->names, o->sort + q->descending, &q->sort, &q->by_value, e);
	}
	q->stride = sizeof(int32_t) + q->out.key_size + (size_t)elem_value_bytes(&q->out);
	return err;
}

int query_member(const struct query *q, const char *name, struct member *ret, bool *ret_of_value, struct err *e)
{
	return name_find(&q->names, name, ret, ret_of_value, e);
}

const unsigned char *query_take(struct query *q, const unsigned char *key, int err)
{
	if (q->scratch) {
		memcpy(q->scratch, key, q->in.key_size);
		if (!err)
			aggregate(&q->aggregator, key + q->in.key_size, (size_t)elem_value_step(&q->in), q->in.cpus,
				  q->scratch + q->in.key_size);
		key = q->scratch;
	}
	if (q->filter && (err || !filter_match_terms(q->filter, &terms, &(struct element){ &q->out, key })))
		return NULL;
	return key;
}

static int held_cmp(const void *pa, const void *pb, void *ctx)
{
	const struct query *q = ctx;
	const unsigned char *a = (const unsigned char *)pa + sizeof(int32_t),
			    *b = (const unsigned char *)pb + sizeof(int32_t);
	size_t skip = q->by_value ? q->out.key_size : 0, n = q->by_value ? q->out.value_size : q->out.key_size;
	int32_t ea, eb;
	int order;

	memcpy(&ea, pa, sizeof(ea));
	memcpy(&eb, pb, sizeof(eb));
	if (q->by_value && (ea || eb)) /* elements without a value come last */
		return (ea != 0) - (eb != 0);
	order = member_cmp(&q->sort, a + skip, b + skip, n);
	if (order)
		return q->descending ? -order : order;
	return memcmp(a, b, q->out.key_size);
}

void query_sort(struct query *q)
{
	if (q->n)
		qsort_r(q->held, q->n, q->stride, held_cmp, q);
	if (q->limit && q->n > q->limit)
		q->n = q->limit;
}

int query_hold(struct query *q, const unsigned char *key, int err, struct err *e)
{
	unsigned char *at;
	int32_t code = err;

	/* Once there are twice as many as wanted, the second half is dropped. */
	if (q->limit && q->n >= 2 * (size_t)q->limit && q->n >= 1024)
		query_sort(q);
	if (q->n == q->cap) {
		size_t cap = q->cap ? 2 * q->cap : 256;

		if (cap * q->stride > QUERY_HOLD)
			cap = QUERY_HOLD / q->stride;
		if (cap <= q->n) {
			err_set(e, -E2BIG, "more than %u MiB of elements to sort", QUERY_HOLD >> 20);
			return err_hint(e, "-Q selects fewer elements, --limit keeps only the first of them");
		}
		q->held = array_resize(q->held, cap, q->stride);
		q->cap = cap;
	}
	at = q->held + q->n++ * q->stride;
	memcpy(at, &code, sizeof(code));
	memcpy(at + sizeof(code), key, q->stride - sizeof(code));
	return 0;
}

const unsigned char *query_held(const struct query *q, size_t i, int *ret_err)
{
	const unsigned char *at = q->held + i * q->stride;
	int32_t code;

	memcpy(&code, at, sizeof(code));
	*ret_err = code;
	return at + sizeof(code);
}

void query_release(struct query *q)
{
	free(q->held);
	q->held = NULL;
}
