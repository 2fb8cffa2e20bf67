/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include "cli/command.h"
#include "cli/interval.h"
#include "cli/select.h"
#include "map/elem/assumed.h"
#include "map/elem/counters.h"
#include "map/view/heatmap.h"
#include "map/view/histogram.h"
#include "render/doc.h"
#include "map/elem/query.h"
#include "map/types.h"
#include "map/elem/walk.h"
#include "host/pace.h"

struct histogram_opts {
	struct object_ref map;
	struct assumed_opts types;
	const char *member, *filter, *interval;
	struct arg_list format;
	bool linear, bcc, bpftrace, heatmap;
	uint64_t step;
	uint32_t count;
};

static const struct arg histogram_args[] = {
	ONE_MAP_ARG(struct histogram_opts, "the map"),
	ARG("member", ARG_STR, struct histogram_opts, member,
	    "number or list of counters to draw: value.slots, key.len, value", .metavar = "PATH",
	    .offers = members_offer_path),
	ARG("linear", ARG_FLAG, struct histogram_opts, linear, "buckets of equal width instead of powers of two"),
	ARG("step", ARG_U64, struct histogram_opts, step, "linear, with N values in a bucket", .metavar = "N",
	    .flags = ARG_NONZERO, .rejects = "bcc"),
	ARG("bcc", ARG_FLAG, struct histogram_opts, bcc, "counters as in BCC's bpf_log2l(), which starts at slot 1",
	    .rejects = "linear step"),
	ARG("bpftrace", ARG_FLAG, struct histogram_opts, bpftrace,
	    "the key is the bucket, the value its count, as in a map of bpftrace's hist()",
	    .rejects = "linear step bcc"),
	ARG("heatmap", ARG_FLAG, struct histogram_opts, heatmap, "counts over time, a column for each interval"),
	INTERVAL_ARGS(struct histogram_opts, "seconds between the columns of a heatmap; 1",
		      "stop a heatmap after N columns"),
	ELEM_FILTER_ARG(struct histogram_opts, filter, "only elements for which the expression is true"),
	FORMAT_ARG(struct histogram_opts, format),
	ASSUMED_ARGS(struct histogram_opts, types, ASSUMED_FROM),
};

/* A pass over the map's elements. */
struct histo {
	struct env *env;
	const struct histogram_opts *opts;
	const struct abi_map_info *info;
	struct query query;
	struct elem_counters counters;
	struct slots slots;
	struct buckets *buckets;   /* COUNTERS_MEMBER */
	const struct leaf *bucket; /* the key, for bpftrace */
	uint64_t *counts;	   /* slots: of the array; of one element; with a heatmap, of all elements */
	struct doc doc;
	size_t printed;
	int failed;
	struct err *e;
};

/* A histogram; @key: key of its element; NULL: it is of the whole map. */
struct histogram_picture {
	struct histo *h;
	const struct histogram *g;
	const unsigned char *key;
};

static void histogram_draw(void *ctx, struct out *o)
{
	const struct histogram_picture *p = ctx;

	if (p->key) {
		out_str(o, p->h->printed > 1 ? "\n" : "");
		elem_key_text(&p->h->query.in, o, p->key);
		out_str(o, ":\n");
	}
	histogram_print(p->g, o);
}

static void one_print(struct histo *h, const struct histogram *g, const unsigned char *key)
{
	const struct elem_form *f = &h->query.in;
	struct arena *a = h->env->arena;
	ARENA_SCOPE(a);
	struct histogram_rec rec = { .key = key ? elem_value_json(f->key, key, f->key_size, a) : NULL,
				     .member = h->counters.name,
				     .rows = histogram_rows(g, a) };
	struct histogram_picture p = { h, g, key };

	h->printed++;
	doc_record(&h->doc, &schema_histogram, &rec);
	doc_draw(&h->doc, histogram_draw, &p);
}

static void slots_take(struct histo *h, const unsigned char *key)
{
	const struct elem_form *f = &h->query.out;
	uint32_t i;

	if (h->counters.form == COUNTERS_INDEX) {
		i = elem_u32(f, key);
		if (i < h->counters.n)
			h->counts[i] = counters_slot(&h->counters, f, key, 0);
		return;
	}
	for (i = 0; i < h->counters.n; i++)
		h->counts[i] = (h->opts->heatmap ? h->counts[i] : 0) + counters_slot(&h->counters, f, key, i);
}

/* The key is the number of a bucket of powers of two, as counted by bpftrace: in order negative, 0, 1, 2 to 3, ... */
static int bucket_take(struct histo *h, const unsigned char *key)
{
	struct wide i, n;

	if (!leaf_number(h->bucket, key, h->query.in.key_size, &i) ||
	    !counters_number(&h->counters, &h->query.out, key, 0, &n))
		return 0;
	if (wide_is_neg(i) || wide_cmp(i, wide_u(BUCKETS_LOG2)) >= 0) {
		err_set(h->e, -EINVAL, "map %u: the key %s is not a bucket of bpftrace's hist(), which has %u",
			h->info->id, wide_json(h->env->keep, i), BUCKETS_LOG2);
		return err_hint(
			h->e,
			"omit bpftrace; buckets of lhist() cannot be drawn, as the map does not have their width");
	}
	h->buckets->count[i.lo] = n.hi || wide_is_neg(n) ? UINT64_MAX : n.lo;
	return 0;
}

static bool histogram_elem(void *ctx, const unsigned char *key, int err)
{
	struct histo *h = ctx;
	struct histogram g;
	struct wide v;

	key = err ? NULL : query_take(&h->query, key, err);
	if (!key)
		return true;
	if (h->opts->bpftrace) {
		h->failed = bucket_take(h, key);
		return !h->failed;
	}
	if (h->counters.form == COUNTERS_MEMBER) {
		if (counters_number(&h->counters, &h->query.out, key, 0, &v))
			h->failed = buckets_add(h->buckets, v, 1, h->e);
		return !h->failed;
	}
	slots_take(h, key);
	if (h->counters.form == COUNTERS_LIST && !h->opts->heatmap) {
		ARENA_SCOPE(h->env->arena);

		slots_histogram(&h->slots, h->counts, h->counters.n, &g, h->env->arena);
		one_print(h, &g, key);
	}
	return true;
}

/* Adds all elements to buckets or counts; histograms of single elements are printed at once. */
static int histo_look(struct histo *h, struct err *e)
{
	struct walk w;
	int err;

	h->e = e;
	walk_init(&w, h->env, h->info);
	err = walk_begin(&w, e);
	if (!err)
		err = walk_each(&w, histogram_elem, h, e);
	return err ? err : h->failed;
}

static int slots_fit(const struct histo *h, struct err *e)
{
	uint32_t n = h->counters.n, most = h->slots.log2 ? SLOTS_LOG2 + h->slots.bcc : BUCKETS_MAX;

	if (n <= most)
		return 0;
	err_usage(e, "%s has %u counters; a %s histogram has at most %u",
		  h->counters.form == COUNTERS_INDEX ? "the map" : h->counters.name, n,
		  h->slots.log2 ? "log2" : "linear", most);
	return err_hint(e, h->counters.form == COUNTERS_INDEX ?
				   "`member value` draws the distribution of the numbers in it; `linear` draws up to "
				   "1024 counters" :
				   "`linear` draws up to 1024 counters");
}

/* For bpftrace: the key must be a number, which it is without keys of the user's, and the value too. */
static int bucket_find(struct histo *h, struct err *e)
{
	struct leaves *l = arena_alloc(h->env->keep, sizeof(*l));

	if (h->query.in.key)
		leaves_find(l, h->query.in.key, h->env->keep);
	if (l->n != 1 || !l->leaf->number) {
		err_usage(e, "the key is not a number: with bpftrace it is the bucket");
		return err_hint(e, "a hist() with keys has a histogram for each of them, which cannot be drawn");
	}
	if (h->counters.form == COUNTERS_LIST)
		return err_usage(e, "%s is a list of counters: omit bpftrace", h->counters.name);
	if (!h->counters.of_value)
		return err_usage(e, "with bpftrace the key is the bucket: name a member of the value");
	h->bucket = l->leaf;
	h->counters.form = COUNTERS_MEMBER;
	return 0;
}

static int histo_init(struct histo *h, struct err *e)
{
	const struct histogram_opts *o = h->opts;
	struct arena *a = h->env->keep;
	struct query_opts q = { .filter = o->filter };
	struct walk w;
	int err;

	walk_init(&w, h->env, h->info);
	walk_types(&w, VALUE_FORMATTED, a);
	q.sum = w.form.cpus != 0;
	err = assumed_form(h->env, h->info, &o->types, VALUE_FORMATTED, &w.form, a, e);
	if (!err && o->format.n)
		err = query_formats(&w.form, &o->format, h->env->machine, a, e);
	if (!err)
		err = query_init(&h->query, &q, &w.form, a, e);
	if (!err && !q.sum)
		h->query.out.value = elem_is_typed(w.form.value, w.form.value_size) ? h->query.in.value : NULL;
	if (!elem_is_typed(w.form.key, w.form.key_size))
		h->query.in.key = NULL;
	h->query.out.key = h->query.in.key;
	if (!err)
		err = counters_find(&h->counters, o->member, h->info, &h->query.out, a, e);
	if (!err && o->bpftrace)
		err = bucket_find(h, e);
	h->slots = (struct slots){ .log2 = !o->linear && !o->step, .bcc = o->bcc, .step = o->step };
	if (!err && h->counters.form != COUNTERS_MEMBER)
		err = slots_fit(h, e);
	else if (!err && o->bcc)
		err = err_usage(e, "%s is not a list of counters: omit bcc", h->counters.name);
	if (err)
		return err_in(e, "map %u", h->info->id);
	h->counts = arena_array(a, h->counters.n + 1, sizeof(*h->counts));
	h->buckets = arena_alloc(a, sizeof(*h->buckets));
	return 0;
}

static void buckets_begin(struct histo *h)
{
	if (h->slots.log2)
		buckets_log2(h->buckets);
	else
		buckets_linear(h->buckets, h->slots.step);
}

static int histo_run(struct histo *h, struct err *e)
{
	struct env *env = h->env;
	const bool list = h->counters.form == COUNTERS_LIST;
	struct histogram g;
	int err;

	buckets_begin(h);
	err = list ? 0 : histo_look(h, e);
	if (err)
		return err;
	env_doc(env, &h->doc);
	doc_stream(&h->doc, NULL);
	if (list)
		err = histo_look(h, e);
	if (!err && !list) {
		if (h->counters.form == COUNTERS_INDEX)
			slots_histogram(&h->slots, h->counts, h->counters.n, &g, env->keep);
		else
			buckets_histogram(h->buckets, &g, env->keep);
		one_print(h, &g, NULL);
	} else if (!err && !h->printed) {
		doc_text(&h->doc, "(no elements)\n");
	}
	doc_end(&h->doc);
	env_doc_end(env, &h->doc);
	return err;
}

/* A column of the heat map: the present slots, or the present values of the members. */
static int heat_look(void *ctx, uint64_t *ret, struct err *e)
{
	struct histo *h = ctx;
	ARENA_SCOPE(h->env->arena);
	int err;

	buckets_begin(h);
	memset(h->counts, 0, h->counters.n * sizeof(*h->counts));
	err = histo_look(h, e);
	if (h->counters.form == COUNTERS_MEMBER)
		memcpy(ret, h->buckets->count, BUCKETS_LOG2 * sizeof(*ret));
	else
		memcpy(ret, h->counts, h->counters.n * sizeof(*ret));
	return err;
}

static int heat_run(struct histo *h, struct err *e)
{
	const struct histogram_opts *o = h->opts;
	bool member = h->counters.form == COUNTERS_MEMBER;
	struct heatmap heat = { .env = h->env,
				.look = heat_look,
				.ctx = h,
				.n = member ? BUCKETS_LOG2 : h->counters.n,
				.grows = !member || o->bpftrace,
				.log2 = h->slots.log2,
				.count = o->count };
	int err = 0;

	if (o->interval)
		err = pace_parse(o->interval, &heat.interval, e);
	if (!err && member && !h->slots.log2)
		err = err_usage(
			e, "a heatmap of the numbers of a member has buckets of powers of two: omit linear and step");
	if (err)
		return err;
	heat.bucket = arena_array(h->env->keep, heat.n, sizeof(*heat.bucket));
	if (member)
		buckets_limits(heat.bucket);
	else
		slots_limits(&h->slots, heat.bucket, heat.n);
	return heatmap_run(&heat, e);
}

static int histogram_run(struct env *env, const void *opts, struct err *e)
{
	const struct histogram_opts *o = opts;
	struct histo h = { .env = env, .opts = o };
	struct map_rec rec;
	uint32_t id;
	int err;

	if (!o->heatmap && (o->interval || o->count))
		return err_usage(e, "interval and --count need heatmap");
	err = o->heatmap ? walk_again(env, "heatmap", e) : 0;
	if (!err)
		err = select_one(env, &kind_map, &o->map, &id, e);
	if (!err)
		err = map_read(env, env->arena, id, 0, &rec, e);
	if (!err)
		err = map_can(rec.info.id, rec.info.type, VERB_HISTOGRAM, e);
	if (err)
		return err;
	h.info = arena_dup(env->keep, &rec.info, sizeof(rec.info));
	err = histo_init(&h, e);
	if (!err)
		err = o->heatmap ? heat_run(&h, e) : histo_run(&h, e);
	query_release(&h.query);
	return err;
}

const struct command map_histogram = {
	.name = "histogram",
	.summary = "draw counters, or the distribution of numbers in a map",
	.help = "An array of integers is taken as counters: element i counts the values from 2^i to 2^(i+1) - 1, the first also 0, as the libbpf "
		"tools do; with bcc shifted by one element. A list of numbers in the values (`slots`, or the one that member names) is such a "
		"histogram for each element. For another number, or with `member value` for an array, the histogram counts the elements of the map "
		"by the number: 0, 1, 2 to 3, 4 to 7 and so on, or with linear in equal steps. A map of bpftrace's hist() has a count for each bucket "
		"in its key; without `bpftrace` its counts would be taken as numbers. For per-CPU maps the sum of the values is used. "
		"--format is as for dump: be16 and be32 make numbers of members in network order.\nJSON has lo and hi of each bucket, both "
		"inclusive. heatmap draws time from left to right and larger values further up; the more was counted in an interval, the darker it "
		"is (on a terminal with colours, the hotter). It ends after `count` intervals or on an interrupt.",
	.example = "map histogram name counters member value",
	.schema = &schema_histogram,
	ARGS(histogram_args, struct histogram_opts),
	.flags = CMD_READ | CMD_STREAM | CMD_OURS,
	.run = histogram_run,
};
