/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "record/filter.h"

/* One comparison of a filter. */
struct term {
	const struct member_test *test;
	bool of_value;
};
struct element {
	const struct elem_form *form;
	const unsigned char *key;
};
struct names {
	const struct value_plan *key, *value;
	bool typed;
};

/* "value.in.x": the plan of its first word, and the rest. */
static int name_find(const struct names *n, const char *name, struct member *ret, bool *ret_of_value, struct err *e)
{
	bool of_value = str_starts(name, "value");
	const char *path = name + (of_value ? strlen("value") : strlen("key"));
	const struct value_plan *plan = of_value ? n->value : n->key;

	if ((!of_value && !str_starts(name, "key")) || (*path && *path != '.' && *path != '[')) {
		err_usage(e, "'%.64s' is neither key nor value, nor a member of them", name);
		return err_hint(e, "members are named key.MEMBER and value.MEMBER");
	}
	if (!plan) {
		err_usage(e, "the map's %s has no type, and is no integer either", of_value ? "value" : "key");
		return n->typed ? -EINVAL : err_hint(e, "only maps with type information have members");
	}
	*ret_of_value = of_value;
	return member_find(ret, plan, of_value ? "value" : "key", path, e);
}

static int term_parse(void *ctx, const char *name, enum operator op, const char *text, const void **ret, struct arena *a,
		      struct err *e)
{
	struct term *t = arena_alloc(a, sizeof(*t));
	struct member m;
	int err = name_find(ctx, name, &m, &t->of_value, e);

	*ret = t;
	return err ? err : member_test_parse(&t->test, &m, name, op, text, a, e);
}

static bool term_match(const void *term, const void *thing)
{
	const struct element *elem = thing;
	const struct elem_form *f = elem->form;
	const struct term *t = term;
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
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]", "key or value", term_parse, term_match,
};

static int aggregate_init(struct query *q, enum aggregate how, struct arena *a, struct err *e)
{
	int err;

	if (!q->in.value)
		return err_usage(e, "the map's value has no type, and is no integer either: it cannot be added up");
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

static int sort_init(struct query *q, const char *name, const struct names *n, struct err *e)
{
	q->sorted = true;
	q->by_value = str_starts(name, "value");
	/* Bytes have an order, too. */
	if ((!strcmp(name, "key") && !n->key) || (!strcmp(name, "value") && !n->value))
		return 0;
	return name_find(n, name, &q->sort, &q->by_value, e);
}

int query_init(struct query *q, const struct query_opts *o, const struct elem_form *form, struct arena *a, struct err *e)
{
	enum aggregate how = o->sum ? AGGREGATE_SUM : o->max ? AGGREGATE_MAX : o->avg ? AGGREGATE_AVG : AGGREGATE_NONE;
	struct names names = { .typed = form->key || form->value };
	int err = 0;

	*q = (struct query){ .in = *form, .out = *form, .limit = o->limit, .descending = o->sort && *o->sort == '-' };
	if (how && !form->cpus) {
		err_usage(e, "the map has one value for all CPUs: there is nothing to add up");
		return err_hint(e, "leave --sum, --max or --avg out");
	}
	if (!form->key)
		q->in.key = value_plan_uint(form->key_size, a);
	if (!form->value)
		q->in.value = value_plan_uint(form->value_size, a);
	if (how)
		err = aggregate_init(q, how, a, e);
	names.key = q->in.key;
	names.value = how ? q->out.value : q->in.value;
	if (!err && o->filter)
		err = filter_parse_terms(&q->filter, &terms, &names, o->filter, a, e);
	if (!err && o->sort)
		err = sort_init(q, o->sort + q->descending, &names, e);
	q->stride = sizeof(int32_t) + q->out.key_size + (size_t)elem_value_bytes(&q->out);
	return err;
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
	const unsigned char *a = (const unsigned char *)pa + sizeof(int32_t), *b = (const unsigned char *)pb + sizeof(int32_t);
	size_t skip = q->by_value ? q->out.key_size : 0, n = q->by_value ? q->out.value_size : q->out.key_size;
	int32_t ea, eb;
	int order;

	memcpy(&ea, pa, sizeof(ea));
	memcpy(&eb, pb, sizeof(eb));
	if (q->by_value && (ea || eb))		/* what has no value comes last */
		return (ea != 0) - (eb != 0);
	order = q->sort.plan ? member_cmp(&q->sort, a + skip, b + skip, n) : memcmp(a + skip, b + skip, n);
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

	/* Of twice as many as are wanted, the second half can go. */
	if (q->limit && q->n >= 2 * (size_t)q->limit && q->n >= 1024)
		query_sort(q);
	if (q->n == q->cap) {
		size_t cap = q->cap ? 2 * q->cap : 256;

		if (cap * q->stride > QUERY_HOLD)
			cap = QUERY_HOLD / q->stride;
		if (cap <= q->n) {
			err_set(e, -E2BIG, "more than %u MiB of elements are too much to be sorted", QUERY_HOLD >> 20);
			return err_hint(e, "-Q leaves elements out, --limit keeps only the first of them");
		}
		at = realloc(q->held, cap * q->stride);
		if (!at)
			arena_die(cap * q->stride);
		q->held = at;
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
