/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/diff.h"

#include "cli/columns.h"
#include "cli/kind.h"
#include "diff/code.h"
#include "diff/fields.h"
#include "diff/growth.h"
#include "diff/objects.h"
#include "diff/side.h"
#include "map/view/contents.h"
#include "record/field.h"
#include "record/view.h"
#include "render/doc.h"
#include "render/jsonw.h"

enum { NEW, GONE, CHANGED, RELOADED, UNKNOWN, RATE };
static const char *const change_kinds[] = { "new", "gone", "changed", "reloaded", "unknown", "rate" };
static const struct names change_names = NAMES(change_kinds);
static const char marks[] = "+-!!?~";

struct difference {
	uint8_t change;
	const char *kind, *type, *name;
	uint32_t old_id, new_id;    /* 0: only on the other machine */
	const char *key, *member;   /* of an element: key in JSON; path in the value, NULL: the whole value */
	const char *field;	    /* of an object; NULL: the difference is the object itself, or an element */
	const char *before, *after; /* JSON */
	const char *const *code;
	uint32_t ncode;
	double rate;							/* per second */
	uint8_t has_element, has_before, has_after, has_code, has_rate; /* enum avail */
};

static size_t object_mark_text(const void *rec, char *buf, size_t size)
{
	return str_snprintf(buf, size, "%c", marks[((const struct difference *)rec)->change]);
}

static size_t rate_text(const void *rec, char *buf, size_t size)
{
	const struct difference *d = rec;

	return d->has_rate == AVAIL_NO ? 0 : str_snprintf(buf, size, "%.10g", d->rate);
}

#define DIFFERENCE_FIELD_NZ(m, name, help, ...) FIELD(difference, m, name, help, .flags = FIELD_NONZERO, ##__VA_ARGS__)
static const struct field fields[] = {
	FIELD_AS(
		difference, change, FT_ENUM, "change",
		"kind of change: new, gone, changed, reloaded (other code), unknown on one side, or rate (no difference)",
		.role = ROLE_CHANGED, .names = &change_names, .plain = "%", .text = object_mark_text),
	FIELD(difference, kind, "kind",
	      "kind: prog, map, link or btf; of object files also func, variable, extern or need", .role = ROLE_KIND,
	      .plain = " %", .col = 1),
	DIFFERENCE_FIELD_NZ(type, "type", "its type", .role = ROLE_KIND, .plain = " %", .col = 2),
	DIFFERENCE_FIELD_NZ(name, "name", "name of the object; for a link, that of its program", .role = ROLE_NAME,
			    .plain = " %", .col = 3),
	FIELD(difference, old_id, "old_id", "id in the first source", .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	FIELD(difference, new_id, "new_id", "id in the second source", .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	FIELD_AS(difference, key, FT_JSON, "key", "key of the element (in a map)", .plain = "[%]", .col = 5,
		 FIELD_WHEN(difference, has_element)),
	DIFFERENCE_FIELD_NZ(member, "member", "member (of the value of an element)", .role = ROLE_NAME, .plain = "%",
			    .col = 6),
	DIFFERENCE_FIELD_NZ(field, "field",
			    "field that differs, as `list -o` names it; where: attach points of the object",
			    .plain = ": %", .col = 7),
	FIELD_AS(difference, before, FT_JSON, "before",
		 "previous value (on the first machine); null: it does not apply, or is not known", .plain = ": %",
		 .col = 8, FIELD_WHEN(difference, has_before)),
	FIELD_AS(difference, after, FT_JSON, "after", "new value (on the second machine)", .plain = " -> %", .col = 9,
		 FIELD_WHEN(difference, has_after)),
	FIELD_IF(difference, rate, has_rate, "per_second", "increase of a counter per second; null: not known",
		 .plain = " (%/s)", .text = rate_text, .col = 10),
	FIELD_LIST(difference, code, ncode, FT_STR, "code_diff",
		   "differences of the instructions, in the format of diff -u", .plain = "%", .line = 1,
		   .flags = FIELD_EACH, FIELD_WHEN(difference, has_code)),
};
const struct schema diff_schema = SCHEMA("difference", difference, fields);

struct machine_diff_opts {
	const char *which[2];
	struct arg_list more, ignore;
	struct records_opts records;
	const char *more_than;
	bool rates, growth;
};

struct comparison {
	struct env *env;
	const struct machine_diff_opts *o;
	struct view view;
	struct doc d;
	struct side a, b;
	const char *one;      /* both are in this recording: only programs are compared; NULL: they are not */
	bool counted;	      /* some counter is known on both machines */
	struct difference of; /* the part that all differences of a pair have in common */
};

static bool is_ignored(const struct machine_diff_opts *o, const char *field)
{
	for (size_t i = 0; field && i < o->ignore.n; i++)
		if (!strcmp(o->ignore.word[i], field))
			return true;
	return false;
}

static void difference_put(struct comparison *c, const struct difference *d)
{
	if (is_ignored(c->o, d->key ? "elements" : d->field) || !view_match(&c->view, &diff_schema, d))
		return;
	c->env->report->differs |= d->change != RATE;
	doc_record(&c->d, &diff_schema, d);
}

static struct difference item_describe(const struct diff_item *a, const struct diff_item *b)
{
	const struct diff_item *o = b ? b : a;

	return (struct difference){
		.change = a && b ? CHANGED :
			  b	 ? NEW :
				   GONE,
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
	struct difference d = c->of;

	d.change = f->unknown ? UNKNOWN : CHANGED;
	d.field = f->field;
	d.before = f->before;
	d.after = f->after;
	d.has_before = d.has_after = AVAIL_YES;
	difference_put(c, &d);
}

static const char *name_json(const struct comparison *c, const struct side *s, uint32_t map)
{
	const struct diff_item *o = map ? side_find(s, OBJECT_MAP, map) : NULL;

	return o && *o->name ? jsonw_text_str(o->name, c->env->keep) : NULL;
}

static void inner_name(struct comparison *c, const struct content_change *e, struct difference *d)
{
	d->before = name_json(c, &c->a, e->old_map);
	d->after = name_json(c, &c->b, e->new_map);
}

static void element_put(void *ctx, const struct content_change *e)
{
	struct comparison *c = ctx;
	struct difference d = c->of;

	d.change = !e->before ? NEW : !e->after ? GONE : CHANGED;
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
	difference_put(c, &d);
}

static void reload_put(struct comparison *c, const struct diff_item *a, const struct diff_item *b)
{
	struct difference d = c->of;
	struct text_lines code;

	if (code_same(&c->a, a, &c->b, b, &code))
		return;
	d.change = RELOADED;
	d.field = "tag";
	d.before = jsonw_text_str(a->tag, c->env->keep);
	d.after = jsonw_text_str(b->tag, c->env->keep);
	d.has_before = d.has_after = AVAIL_YES;
	d.code = code.line;
	d.ncode = (uint32_t)code.n;
	d.has_code = code.n ? AVAIL_YES : AVAIL_NO;
	difference_put(c, &d);
}

/* The times are in seconds, so more digits would have no meaning. */
static double to_thousandths(double v)
{
	return v > -1e12 && v < 1e12 ? (double)(int64_t)(v * 1000 + (v < 0 ? -0.5 : 0.5)) / 1000 : v;
}

static void count_put(void *ctx, const struct field_count *f)
{
	struct comparison *c = ctx;
	struct difference d = c->of;
	const uint64_t from = c->a.asked_at, to = c->b.asked_at;

	d.change = RATE;
	d.field = f->field;
	d.before = f->before;
	d.after = f->after;
	d.has_before = d.has_after = AVAIL_YES;
	d.has_rate = !from || !to || f->unknown ? AVAIL_UNKNOWN : from == to ? AVAIL_NO : AVAIL_YES;
	d.rate = d.has_rate == AVAIL_YES ? to_thousandths(f->grown / ((double)to - (double)from)) : 0;
	difference_put(c, &d);
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
		c->of.change = UNKNOWN;
	difference_put(c, &c->of);
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
	env_doc(c->env, &c->d);
	c->d.folds = true;
	doc_stream(&c->d, NULL);
	for (size_t i = 0; kinds[i]; i++)
		if (!c->one || kinds[i]->object == OBJECT_PROG)
			kind_compare(c, kinds[i]->object);
	doc_end(&c->d);
	env_doc_end(c->env, &c->d);
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

static void object_put(void *ctx, const struct object_difference *f)
{
	difference_put(ctx, &(struct difference){
				    .change = f->code.n		       ? RELOADED :
					      f->old_has && f->new_has ? CHANGED :
					      f->new_has	       ? NEW :
									 GONE,
				    .kind = f->kind,
				    .type = f->type && *f->type ? f->type : NULL,
				    .name = f->name,
				    .field = f->field,
				    .before = f->before,
				    .after = f->after,
				    .has_before = f->field ? AVAIL_YES : AVAIL_NO,
				    .has_after = f->field ? AVAIL_YES : AVAIL_NO,
				    .code = f->code.line,
				    .ncode = (uint32_t)f->code.n,
				    .has_code = f->code.n ? AVAIL_YES : AVAIL_NO,
			    });
}

static int object_files_compare(struct comparison *c, struct err *e)
{
	int err;

	if (!objects_are(c->o->which[0]) || !objects_are(c->o->which[1]))
		return err_usage(e, "an object file can only be compared with an object file");
	if (c->env->opts->at)
		return err_usage(e, "--at is for recordings, and these are object files");
	env_doc(c->env, &c->d);
	doc_stream(&c->d, NULL);
	err = objects_compare(c->env, c->o->which, object_put, c, e);
	doc_end(&c->d);
	env_doc_end(c->env, &c->d);
	return err;
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
	int err = opts_check(env, &o, e), n = 0;

	if (!err && o.growth)
		return growth_of_files(env, &o, e);
	err = err ? err : columns_view(env, &c.view, &diff_schema, NULL, NULL, o.records.filter, NULL, e);
	o.which[1] = o.which[1] ? o.which[1] : ats[1] ? o.which[0] : "live";
	if (!err && (objects_are(c.o->which[0]) || objects_are(c.o->which[1])))
		return object_files_compare(&c, e);
	while (!err && n < 2) {
		err = env_other_at(env, c.o->which[n], ats[n], &other[n], &path[n], e);
		n += !err;
	}
	c.one = path[0] && path[1] && ats[0] && !strcmp(path[0], path[1]) ? path[0] : NULL;
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

static const struct schema *const parts[] = { &growth_schema, NULL };
static const struct arg args[] = {
	OPERAND("A", ARG_PATH, struct machine_diff_opts, which[0],
		"a file that `save` or `record` wrote, a directory of recordings with --at, or live: the running kernel; or an object file"),
	ARG("B", ARG_PATH, struct machine_diff_opts, which[1],
	    "another file, by default live, with two --at the same as A; another object file", .flags = ARG_POSITIONAL),
	ARG("C", ARG_REST, struct machine_diff_opts, more, "more files, with --growth", .offers = complete_files),
	ARG("--filter", ARG_STR, struct machine_diff_opts, records.filter,
	    "only differences for which the expression is true", .alias = "-Q", .metavar = "EXPR",
	    .offers = complete_filter),
	ARG("--ignore", ARG_STR, struct machine_diff_opts, ignore,
	    "do not compare this field, or elements of maps; may be repeated", .metavar = "FIELD", .flags = ARG_REPEAT,
	    .offers = offer_facts),
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
	.help = "Compares programs, maps, links and BTF objects of two machines, or programs, maps, variables and types of two object files. They are matched by attach points, name, type, tag and pins, not "
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
