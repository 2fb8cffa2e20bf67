/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/query.h"

#include "types/value/format.h"
#include "cli/command.h"
#include "record/filter.h"

/* A comparison of a filter: with a member, or with a number of the row. */
struct query_term {
	const struct member_test *test;
	bool of_value;
	enum row_name row;
	enum operator op;
	uint64_t number;
	bool is_true; /* without a right side */
};
#define ALL_CPUS UINT32_MAX
struct element {
	const struct elem_form *form;
	const unsigned char *key;
	uint32_t cpu; /* of the value; ALL_CPUS: any */
};

static int row_term_parse(struct query_term *t, const char *name, enum operator op, const char *text, struct err *e)
{
	t->op = op;
	t->is_true = !text;
	if (op == OP_MATCH)
		return err_usage(e, "filter: %s is not text that =~ could match", name);
	return !text || !num_parse_u64(text, &t->number) ?
		       0 :
		       err_usage(e, "filter: '%.64s' is not a number, as %s requires", text, name);
}

static int term_parse(void *ctx, const char *name, enum operator op, const char *text, const void **ret,
		      struct arena *a, struct err *e)
{
	struct query *q = ctx;
	struct query_term *t = arena_alloc(a, sizeof(*t));
	struct member m;
	int err;

	*t = (struct query_term){ 0 };
	*ret = t;
	name = names_spell(&q->names, name, a);
	if (names_find(&q->names, name, &m, &t->of_value, NULL))
		t->row = names_row(&q->names, name);
	q->by_cpu |= t->row == ROW_CPU;
	if (t->row)
		return row_term_parse(t, name, op, text, e);
	err = names_find(&q->names, name, &m, &t->of_value, e);
	return err ? err : member_test_parse(&t->test, &m, name, op, text, a, e);
}

static bool row_match(const struct query_term *t, uint64_t number)
{
	return t->is_true ? number != 0 : operator_holds(t->op, NUM_CMP(number, t->number));
}

static bool term_match(const void *term, const void *thing)
{
	const struct element *elem = thing;
	const struct elem_form *f = elem->form;
	const struct query_term *t = term;
	const unsigned char *value = elem->key + f->key_size;
	size_t step = elem_value_step(f);

	if (t->row)
		return row_match(t, t->row == ROW_MAP	  ? f->id :
				    elem->cpu == ALL_CPUS ? ALL_CPUS :
							    elem_cpu(f, elem->cpu));
	if (!t->of_value)
		return member_match(t->test, elem->key, f->key_size);
	if (!f->cpus)
		return member_match(t->test, value, f->value_size);
	if (elem->cpu != ALL_CPUS)
		return member_match(t->test, value + elem->cpu * step, f->value_size);
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

static bool is_auto(const char *text, size_t n)
{
	return n == strlen(FORMAT_AUTO) && !memcmp(text, FORMAT_AUTO, n);
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
	const struct query_names names = { .key = form->key, .value = form->value };
	const struct value_plan **plan;
	struct member unused;
	enum format f;
	bool of_value;
	int err;

	if (is_auto(text, n)) {
		format_apply_auto(&form->key, machine, a);
		format_apply_auto(&form->value, machine, a);
		return 0;
	}
	if (!word) {
		err_usage(
			e,
			"--format takes auto, value.MEMBER=FORMAT or key.MEMBER=FORMAT, separated by commas, not '%.64s'",
			name);
		return err_hint(e, "formats are %s", format_words());
	}
	name = names_spell(&names, name, a);
	path = names_root(name, &of_value);
	if (!path) {
		err = names_find(&names, name, &unused, &of_value, e);
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

void query_offer_auto(struct env *env, const struct elem_form *form)
{
	STR names = { 0 };

	if (!env->report->out->tty || env->opts->as_bpftool)
		return;
	format_auto_names(form->key, &names);
	format_auto_names(form->value, &names);
	if (names.n)
		report_note(env->report, "--format auto shows addresses and numbers in network order as such: %s",
			    names.p);
}

static int sort_parse(struct query *q, const char *name, struct err *e)
{
	q->sorted = true;
	if (names_find(&q->names, name, &q->sort, &q->by_value, NULL))
		q->sort_row = names_row(&q->names, name);
	return q->sort_row ? 0 : names_find(&q->names, name, &q->sort, &q->by_value, e);
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
	if (!err && o->cpu) {
		err = elem_form_cpu(&q->out, o->cpu, &q->cpu_at, e);
		q->one_cpu = true;
		q->scratch = arena_alloc(a, (size_t)form->key_size + form->value_size);
	}
	q->names.key = q->in.key;
	q->names.value = how ? q->out.value : q->in.value;
	q->names.cpus = q->out.cpus;
	if (!err && o->filter)
		err = filter_parse_terms(&q->filter, &terms, q, o->filter, a, e);
	if (!err && o->sort)
		err = sort_parse(q, names_spell(&q->names, o->sort + q->descending, a), e);
	q->stride = sizeof(int32_t) + q->out.key_size + (size_t)elem_value_bytes(&q->out);
	return err;
}

int query_member(const struct query *q, const char *name, struct member *ret, bool *ret_of_value, struct err *e)
{
	return names_find(&q->names, name, ret, ret_of_value, e);
}

/* Is the element wanted, with the value of a CPU? */
static bool is_selected(const struct query *q, const unsigned char *key, uint32_t cpu)
{
	return filter_match_terms(q->filter, &terms, &(struct element){ &q->out, key, cpu });
}

bool query_row(const struct query *q, const unsigned char *key, uint32_t cpu)
{
	return !q->filter || !q->by_cpu || is_selected(q, key, cpu);
}

const unsigned char *query_take(struct query *q, const unsigned char *key, int err)
{
	if (q->scratch) {
		memcpy(q->scratch, key, q->in.key_size);
		if (!err && q->one_cpu)
			memcpy(q->scratch + q->in.key_size, key + q->in.key_size + q->cpu_at, q->in.value_size);
		else if (!err)
			aggregate(&q->aggregator, key + q->in.key_size, (size_t)elem_value_step(&q->in), q->in.cpus,
				  q->scratch + q->in.key_size);
		key = q->scratch;
	}
	if (!q->filter)
		return key;
	for (uint32_t cpu = 0; !err && q->by_cpu && cpu < q->out.cpus; cpu++)
		if (is_selected(q, key, cpu))
			return key;
	return err || q->by_cpu || !is_selected(q, key, ALL_CPUS) ? NULL : key;
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
	order = q->sort_row ? 0 : member_cmp(&q->sort, a + skip, b + skip, n);
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

const unsigned char *query_find_elem(const struct query *q, size_t i, int *ret_err)
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
