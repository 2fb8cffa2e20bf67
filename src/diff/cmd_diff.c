/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/diff.h"

#include "cli/kind.h"
#include "diff/code.h"
#include "diff/difference.h"
#include "diff/fields.h"
#include "diff/growth.h"
#include "diff/objects.h"
#include "diff/side.h"
#include "map/view/contents.h"
#include "record/field.h"
#include "source/lives.h"

struct machine_diff_opts {
	const char *which[2];
	struct arg_list more;
	struct differences_opts differences;
	struct records_opts records; /* for --growth, but the filter */
	const char *more_than;
	bool rates, growth, verify;
};

struct comparison {
	struct env *env;
	const struct machine_diff_opts *o;
	struct differences d;
	struct side a, b;
	const char *one; /* both are in this recording, which has the times of programs only; NULL: they are not */
	bool counted;	 /* some counter is known on both machines */
	struct diff_record of; /* the part that all differences of a pair have in common */
};

static struct diff_record item_describe(const struct diff_item *a, const struct diff_item *b)
{
	const struct diff_item *o = b ? b : a;

	return (struct diff_record){
		.change = a && b ? DIFFERENCE_FIELD :
			  b	 ? DIFFERENCE_NEW :
				   DIFFERENCE_GONE,
		.kind = o->kind->name,
		.type = *o->type ? o->type : NULL,
		.name = *o->name ? o->name : NULL,
		.old_id = a ? a->id : 0,
		.new_id = b ? b->id : 0,
	};
}

static void field_put(void *ctx, const struct field_difference *f)
{
	struct comparison *c = ctx;
	struct diff_record d = c->of;

	d.change = f->unknown ? DIFFERENCE_UNKNOWN : DIFFERENCE_FIELD;
	d.field = f->field;
	d.before = f->before;
	d.after = f->after;
	d.has_before = d.has_after = AVAIL_YES;
	difference_put(&c->d, &d);
}

static const char *name_json(const struct comparison *c, const struct side *s, uint32_t map)
{
	const struct diff_item *o = map ? side_find(s, OBJECT_MAP, map) : NULL;

	return o && *o->name ? jsonw_text_str(o->name, c->env->keep) : NULL;
}

static void inner_name(struct comparison *c, const struct content_change *e, struct diff_record *d)
{
	d->before = name_json(c, &c->a, e->old_map);
	d->after = name_json(c, &c->b, e->new_map);
}

static void element_put(void *ctx, const struct content_change *e)
{
	struct comparison *c = ctx;
	struct diff_record d = c->of;

	d.change = !e->before ? DIFFERENCE_NEW : !e->after ? DIFFERENCE_GONE : DIFFERENCE_FIELD;
	if (e->old_map || e->new_map)
		inner_name(c, e, &d);
	/* Inner maps are compared as maps: here only their names are. */
	if (d.before && d.after && !strcmp(d.before, d.after))
		return;
	d.key = e->key;
	d.member = e->member;
	d.before = d.before ? d.before : e->before;
	d.after = d.after ? d.after : e->after;
	d.has_element = AVAIL_YES;
	d.has_before = e->before ? AVAIL_YES : AVAIL_NO;
	d.has_after = e->after ? AVAIL_YES : AVAIL_NO;
	difference_put(&c->d, &d);
}

static void reload_put(struct comparison *c, const struct diff_item *a, const struct diff_item *b)
{
	struct diff_record d = c->of;
	struct text_lines code;

	if (code_same(&c->a, a, &c->b, b, &code))
		return;
	d.change = DIFFERENCE_CODE;
	d.field = "tag";
	d.before = jsonw_text_str(a->tag, c->env->keep);
	d.after = jsonw_text_str(b->tag, c->env->keep);
	d.has_before = d.has_after = AVAIL_YES;
	d.code = code.line;
	d.ncode = (uint32_t)code.n;
	d.has_code = code.n ? AVAIL_YES : AVAIL_NO;
	difference_put(&c->d, &d);
}

/* The times are in seconds, so more digits would have no meaning. */
static double to_thousandths(double v)
{
	return v > -1e12 && v < 1e12 ? (double)(int64_t)(v * 1000 + (v < 0 ? -0.5 : 0.5)) / 1000 : v;
}

static void count_put(void *ctx, const struct field_count *f)
{
	struct comparison *c = ctx;
	struct diff_record d = c->of;
	const uint64_t from = c->a.asked_at, to = c->b.asked_at;

	d.change = DIFFERENCE_RATE;
	d.field = f->field;
	d.before = f->before;
	d.after = f->after;
	d.has_before = d.has_after = AVAIL_YES;
	d.has_rate = !from || !to || f->unknown ? AVAIL_UNKNOWN : from == to ? AVAIL_NO : AVAIL_YES;
	d.rate = d.has_rate == AVAIL_YES ? to_thousandths(f->grown / ((double)to - (double)from)) : 0;
	difference_put(&c->d, &d);
}

static void pair_compare(struct comparison *c, const struct diff_item *a, const struct diff_item *b)
{
	const bool same_code = !strcmp(a->tag, b->tag);

	c->of = item_describe(a, b);
	if (!same_code)
		reload_put(c, a, b);
	fields_compare(&c->a, a, &c->b, b, same_code, field_put, c);
	if (a->kind->object == OBJECT_MAP)
		map_contents_compare(c->a.env, a->rec, c->b.env, b->rec, element_put, c);
	if (c->o->rates)
		fields_count(&c->a, a, &c->b, b, &c->counted, count_put, c);
}

/* The object is unknown if the other machine has objects that could not be read. */
static void missing_put(struct comparison *c, const struct diff_item *a, const struct diff_item *b)
{
	c->of = item_describe(a, b);
	if (a ? c->b.all.unread[a->kind->object] : c->a.all.unread[b->kind->object])
		c->of.change = DIFFERENCE_UNKNOWN;
	difference_put(&c->d, &c->of);
}

/* A BTF object without a name belongs to a program, and is loaded and unloaded with it. */
static bool is_of_interest(const struct diff_item *o)
{
	return o->kind->object != OBJECT_BTF || *o->name;
}

static void kind_compare(struct comparison *c, enum object_kind kind)
{
	const struct diff_items *a = &c->a.of[kind], *b = &c->b.of[kind];

	/* If one machine cannot list the objects, they are not reported as gone. */
	if (c->a.all.unlisted[kind] || c->b.all.unlisted[kind])
		return;
	for (size_t i = 0; i < a->n; i++) {
		const struct diff_item *o = &a->v[i];

		if (o->other && is_of_interest(o)) {
			pair_compare(c, o, o->other);
		} else if (is_of_interest(o)) {
			missing_put(c, o, NULL);
		}
	}
	for (size_t i = 0; i < b->n; i++)
		if (!b->v[i].other && is_of_interest(&b->v[i]))
			missing_put(c, NULL, &b->v[i]);
}

static int sides_compare(struct comparison *c, struct env env[2], struct err *e)
{
	int err = side_read(&c->a, &env[0], c->o->rates, e);

	if (!err)
		err = side_read(&c->b, &env[1], c->o->rates, e);
	if (err)
		return err;
	sides_match(&c->a, &c->b);
	differences_begin(&c->d);
	c->d.d.folds = true;
	for (size_t i = 0; kinds[i]; i++)
		if (!c->one || kinds[i]->object == OBJECT_PROG)
			kind_compare(c, kinds[i]->object);
	differences_end(&c->d);
	if (c->one)
		str_fit(c->env->report->note, sizeof(c->env->report->note),
			"both times are in %.60s, which has the times of programs only: maps, links and types are not compared",
			c->one);
	if (c->o->rates && !c->counted)
		str_fit(c->env->report->note, sizeof(c->env->report->note),
			"no counter is known on both sides: the kernel counts runs of programs "
			"only while `sysctl kernel.bpf_stats_enabled` is 1");
	return 0;
}

/* Options that would have no effect are refused. */
static int opts_check(const struct env *env, const struct machine_diff_opts *o, struct err *e)
{
	const struct records_opts *r = &o->records;
	const char *with_growth = r->columns	  ? "--columns" :
				  r->sort	  ? "--sort" :
				  r->noheadings	  ? "--noheadings" :
				  r->list_columns ? "--list-columns" :
				  o->more_than	  ? "--more-than" :
						    NULL;

	if (!o->growth && with_growth)
		return err_usage(e, "'%s' needs '--growth'", with_growth);
	if (o->growth && env->opts->at)
		return err_usage(e, "'--growth' compares moments of its own: it takes no --at");
	if (!o->growth && o->more.n)
		return err_usage(e, "more than two files are compared by '--growth' only");
	return 0;
}

static int growth_of_files(struct env *env, const struct machine_diff_opts *o, struct err *e)
{
	const char **file = arena_array(env->keep, o->more.n + 2, sizeof(*file));
	struct arg_list files = { .word = file };

	for (size_t i = 0; i < 2; i++)
		if (o->which[i])
			file[files.n++] = o->which[i];
	for (size_t i = 0; i < o->more.n; i++)
		file[files.n++] = o->more.word[i];
	return growth_run(env, &(struct growth_opts){ &files, &o->records, o->more_than }, e);
}

static int machine_diff_run(struct env *env, const void *opts, struct err *e)
{
	struct machine_diff_opts o = *(const struct machine_diff_opts *)opts;
	struct comparison c = { .env = env, .o = &o };
	const char *const *ats = env->opts->ats, *path[2] = { NULL, NULL };
	struct env other[2];
	int err = opts_check(env, &o, e), n = 0, objects;

	o.records.filter = o.differences.filter;
	if (!err && o.growth)
		return growth_of_files(env, &o, e);
	err = err ? err : differences_init(&c.d, env, &o.differences, e);
	o.which[1] = o.which[1] ? o.which[1] : ats[1] ? o.which[0] : "live";
	objects = objects_are(o.which[0]) + objects_are(o.which[1]);
	if (!err && objects == 1)
		err = err_usage(e, "an object file can only be compared with an object file");
	if (!err && (objects || o.verify))
		return object_files_compare(&c.d, o.which, o.verify, e);
	while (!err && n < 2) {
		err = env_other_at(env, c.o->which[n], ats[n], &other[n], &path[n], e);
		n += !err;
	}
	if (!err && path[0] && path[1] && ats[0] && !strcmp(path[0], path[1]) && !facts_listed(other[0].machine))
		c.one = path[0];
	if (!err)
		err = sides_compare(&c, other, e);
	while (n--)
		env_other_end(&other[n]);
	return err;
}

/* Fields of all kinds, each name once. */
static void offer_facts(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	offer(ctx, "elements", "contents of maps");
	for (const struct kind *const *k = kinds; *k; k++)
		for (size_t i = 0; i < (*k)->schema->n; i++) {
			const char *name = (*k)->schema->fields[i].name;
			bool seen = false;

			for (const struct kind *const *other = kinds; other < k && !seen; other++)
				seen = schema_find((*other)->schema, NULL, name, NULL);
			if (!seen)
				offer(ctx, name, (*k)->schema->fields[i].help);
		}
}

static void offer_amounts(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer,
			  void *ctx)
{
	offer(ctx, "objects=", "number of objects with one name");
	offer(ctx, "bytes=", "their memory");
	offer(ctx, "entries=", "elements of maps");
}

static const struct schema *const parts[] = { &growth_schema, &diff_stat_schema, NULL };
static const struct arg args[] = {
	OPERAND("A", ARG_PATH, struct machine_diff_opts, which[0],
		"a file that `save` or `record` wrote, a directory of recordings with --at, or live: the running kernel; or an object file"),
	ARG("B", ARG_PATH, struct machine_diff_opts, which[1],
	    "another file, by default live, with two --at the same as A; another object file", .flags = ARG_POSITIONAL),
	ARG("C", ARG_REST, struct machine_diff_opts, more, "more files, with --growth", .offers = complete_files),
	DIFFERENCES_FILTER(struct machine_diff_opts, differences),
	DIFFERENCES_IGNORE(struct machine_diff_opts, differences, .offers = offer_facts),
	DIFFERENCES_STAT(struct machine_diff_opts, differences, .rejects = "--rates --growth"),
	OBJECTS_VERIFY(struct machine_diff_opts, verify, .rejects = "--rates --growth"),
	ARG("--growth", ARG_FLAG, struct machine_diff_opts, growth,
	    "what becomes more in every step from file to file: number, memory or entries of the objects with one name",
	    .rejects = "--rates --ignore"),
	ARG("--more-than", ARG_STR, struct machine_diff_opts, more_than,
	    "with --growth: only what grows by more than that in an hour; objects, bytes and entries",
	    .metavar = "WHAT=N,...", .offers = offer_amounts),
	RECORDS_COLUMNS(struct machine_diff_opts, records),
	RECORDS_SORT(struct machine_diff_opts, records),
	RECORDS_HEADINGS(struct machine_diff_opts, records),
	ARG("--rates", ARG_FLAG, struct machine_diff_opts, rates,
	    "also show counters that changed, with their increase per second; they do not count as differences"),
};

const struct command command_diff = {
	.name = "diff",
	.summary = "compare the BPF objects of two machines, times or object files",
	.help = "Compares programs, maps, links and BTF objects of two machines, or of two object files what is in them, as `object diff` does. They are matched by attach points, name, type, tag and pins, not "
		"by ids. Lines begin with + for an object of the second machine only, - for one of the first only, and ! for a field that differs, "
		"or for a program with other instructions, which follow as in diff -u. Elements of maps are compared by member if both machines "
		"have them (`save --map-data`).\nIds, times, addresses, pids, counters and memory are not compared; --rates shows counters. --growth compares any number of files of one machine, and lists "
		"what becomes more in every step. The first --at is for A, the second for B: `diff DIR --at TIME --at TIME` compares two times of a black box. The "
		"exit status is that of diff(1): 0 no differences, 1 differences, 2 failure.",
	.example = "diff before.tar.gz live",
	.schema = &diff_schema,
	.parts = parts,
	ARGS(args, struct machine_diff_opts),
	.flags = CMD_READ | CMD_NOSOURCE | CMD_OURS | CMD_DIFF,
	.run = machine_diff_run,
};
