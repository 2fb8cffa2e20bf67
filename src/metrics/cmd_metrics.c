/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/metrics.h"

#include "cli/command.h"
#include "cli/select.h"
#include "gen/file.h"
#include "metrics/listen.h"
#include "prog/prog.h"
#include "relate/attached.h"
#include "render/doc.h"
#include "source/facts.h"

_Static_assert((int)SET_PROG == OBJECT_PROG && (int)SET_MAP == OBJECT_MAP, "the sets of kinds have their numbers");

#define LIMIT 10000

struct metrics_opts {
	bool entries, where, unit, ids;
	uint32_t limit; /* 0: not given */
	int format;
	const char *output, *listen;
};

struct measured {
	struct env *env;
	const struct metrics_opts *o;
	struct series_set *set;		 /* [SETS] */
	struct series_limit limit, none; /* none: of what only has few series */
	unsigned unlisted;
	bool counting; /* we let the kernel count runs, so 0 is a count */
};

/* What is read of each object of a kind; a field without a name is not read. */
struct metered {
	const struct kind *kind;
	unsigned need;
	const struct field *label[LABELS];
	struct field value[SERIES_VALUES];
	unsigned nvalues;
};

/* What costs much is read only if it was asked for. */
static bool is_asked(const struct metrics_opts *o, const struct field *f)
{
	const unsigned asked = (o->entries ? NEED_COUNT : 0) | (o->where ? NEED_JOIN : 0) | (o->unit ? NEED_UNITS : 0);

	return f && !(f->need & NEED_NAMED & ~asked);
}

static void label_plan(const struct metrics_opts *o, struct metered *r, enum metrics_label l)
{
	const struct field *f = schema_find(r->kind->schema, NULL, metrics_label_name(l), NULL);

	if (!is_asked(o, f) || (l == LABEL_ID && !o->ids))
		return;
	r->label[l] = f;
	r->need |= f->need;
}

static struct metered metered_plan(const struct metrics_opts *o, const struct kind *k)
{
	struct metered r = { .kind = k };

	for (const struct metrics_row *m = metrics; m->name; m++) {
		const struct field *f = metric_kind(m) == k ? metric_field(m) : NULL;
		const unsigned i = r.nvalues;

		r.nvalues += f != NULL;
		if (!is_asked(o, f))
			continue;
		r.value[i] = *f;
		/* A counter begins with 0. */
		if (f->unit == FU_COUNTER)
			r.value[i].flags &= ~(uint32_t)FIELD_NONZERO;
		r.need |= f->need;
	}
	for (enum metrics_label l = LABEL_NAME; l < LABEL_VERSION; l++)
		if (r.nvalues || l == LABEL_TYPE)
			label_plan(o, &r, l);
	return r;
}

/* NULL: it has none. Of several, the first. */
static const char *label_text(struct measured *m, const struct field *f, struct value v)
{
	char few[64], *text, *end;
	size_t n;

	if (v.avail == AVAIL_YES && f->type == FT_LIST)
		v = value_elem(f, &v, 0);
	if (v.avail == AVAIL_NO)
		return NULL;
	n = value_text(f, &v, VALUE_PLAIN, few, sizeof(few)) + 1;
	text = arena_alloc(m->env->arena, n);
	if (n <= sizeof(few))
		memcpy(text, few, n);
	else
		value_text(f, &v, VALUE_PLAIN, text, n);
	end = f->need & NEED_JOIN ? strstr(text, ", ") : NULL;
	if (end)
		*end = '\0';
	return text;
}

static void one_add(struct measured *m, enum metric_set set, const char *const label[LABELS])
{
	series_add(series_of(&m->set[set], &m->none, label), &m->none, 0, 1);
}

static void metered_add(struct measured *m, const struct metered *r, const void *rec)
{
	const char *label[LABELS] = { NULL }, *typed[LABELS] = { [LABEL_KIND] = r->kind->name };
	struct series *one;
	bool missing = false;

	for (enum metrics_label l = 0; l < LABELS; l++) {
		const struct field *f = r->label[l];
		struct value v = f ? field_get(r->kind->schema, f, rec) : (struct value){ .avail = AVAIL_NO };

		label[l] = f ? label_text(m, f, v) : NULL;
		missing |= value_is_missing(&v);
	}
	typed[LABEL_TYPE] = label[LABEL_TYPE];
	one_add(m, SET_OBJECTS, typed);
	one = r->nvalues ? series_of(&m->set[r->kind->object], &m->limit, label) : NULL;
	for (unsigned i = 0; i < r->nvalues; i++) {
		struct value v = { .avail = AVAIL_NO };

		if (r->value[i].name)
			v = field_get(r->kind->schema, &r->value[i], rec);
		if (v.avail == AVAIL_YES)
			series_add(one, &m->limit, i, v.u);
		missing |= value_is_missing(&v);
	}
	m->env->report->unread += missing;
}

static void metered_read(struct measured *m, const struct metered *r, uint32_t id)
{
	struct env *env = m->env;
	ARENA_SCOPE(env->arena);
	void *rec = arena_alloc(env->arena, r->kind->schema->rec_size);
	struct err why = { 0 };
	/* What has no type is only counted. */
	int err = r->label[LABEL_TYPE] ? r->kind->read(env, env->arena, id, r->need, rec, &why) : 0;

	if (!err && m->counting && r->kind->object == OBJECT_PROG && r->label[LABEL_TYPE])
		((struct prog_rec *)rec)->has_stats = AVAIL_YES;
	if (!err && !(r->kind->object == OBJECT_PROG && prog_is_gone(rec)))
		metered_add(m, r, rec);
	else if (err && err != -ENOENT)
		report_unread(env->report, &why);
}

/* -errno: no kind can be listed. */
static int objects_read(struct measured *m, struct err *e)
{
	struct err first = { 0 };
	bool any = false;

	for (size_t i = 0; kinds[i]; i++) {
		const struct metered r = metered_plan(m->o, kinds[i]);
		struct err why = { 0 };
		const uint32_t *ids;
		size_t n;

		/* Programs, which come first, are read again only for all places; what follows is, for its places. */
		if (kinds[i]->object == (m->o->where ? OBJECT_PROG : OBJECT_MAP))
			machine_once(m->env->machine);
		if (select_all(m->env, kinds[i], &ids, &n, &why)) {
			report_add_unlisted(m->env->report, kinds[i]->noun, why.code);
			m->unlisted++;
			first = first.code ? first : why;
			continue;
		}
		any = true;
		for (size_t k = 0; k < n; k++) {
			metered_read(m, &r, ids[k]);
			env_progress(m->env, "read", k);
		}
	}
	if (!any)
		*e = first;
	return e->code;
}

/* Places that could not be listed were reported; what there is counts. */
static void attachments_read(struct measured *m)
{
	const size_t unread = m->env->report->unread;
	struct records all = { .s = &ls_schema };
	struct err why = { 0 };

	ls_list(m->env, &all, &why);
	/* What is missing was already counted when the places of the programs were read. */
	if (m->o->where && m->set[SET_PROG].n)
		m->env->report->unread = unread;
	for (size_t i = 0; i < all.n; i++) {
		const struct ls_rec *r = ls_at(&all, i);
		const char *const label[LABELS] = { [LABEL_PLACE] = r->place, [LABEL_WHAT] = r->a.what };

		one_add(m, SET_ATTACHMENTS, label);
	}
}

/* After all the rest. */
static void machine_add(struct measured *m)
{
	static const char *const version[LABELS] = { [LABEL_VERSION] = BPFLENS_VERSION }, *const no_label[LABELS];
	struct env *env = m->env;
	struct series *one = series_of(&m->set[SET_MACHINE], &m->none, no_label);
	const int64_t counts = facts_limit(env->machine, "bpf_stats_enabled");
	const size_t unseen = env->opts->strict ? 0 : machine_unseens(env->machine);

	if (counts >= 0)
		series_add(one, &m->none, STATS_ENABLED, counts != 0);
	series_add(one, &m->none, UNREAD_LISTS, m->unlisted);
	series_add(one, &m->none, UNREAD_OBJECTS, env->report->unread);
	series_add(one, &m->none, UNREAD_ANSWERS, machine_refusals(env->machine) - unseen);
	series_add(one, &m->none, LEFT_OUT, m->limit.left_out);
	one_add(m, SET_BUILD, version);
}

static int metrics_write(struct env *env, const struct metrics_opts *o, const struct series_set set[SETS],
			 struct err *e)
{
	struct out text;
	struct doc d;
	int err = 0;

	env_doc(env, &d);
	if (o->output) {
		out_init(&text, -1);
		metrics_text(&text, set, (enum metrics_format)o->format);
		err = gen_file_write(o->output, text.buf, text.n, e);
		out_close(&text, NULL);
	} else if (doc_is_text(&d)) {
		metrics_text(env->report->out, set, (enum metrics_format)o->format);
	} else {
		metrics_doc(&d, set);
		env_doc_end(env, &d);
	}
	return err;
}

static int metrics_read(struct env *env, const void *opts, bool counting, struct series_set ret[SETS], struct err *e)
{
	const struct metrics_opts *o = opts;
	struct measured m = {
		.env = env,
		.o = o,
		.set = ret,
		.limit.room = o->limit ? o->limit : LIMIT,
		.none.room = UINT64_MAX,
		.counting = counting,
	};
	int err;

	for (size_t i = 0; i < SETS; i++)
		series_init(&ret[i], env->keep);
	err = objects_read(&m, e);
	if (err)
		return err;
	attachments_read(&m);
	machine_add(&m);
	return 0;
}

static int metrics_run(struct env *env, const void *opts, struct err *e)
{
	const struct metrics_opts *o = opts;
	struct series_set set[SETS];
	int err;

	if (o->listen && (env->opts->from || env->opts->json))
		return err_usage(
			e, "--listen serves the metrics of the running kernel: without --from, -j, -p and --ndjson");
	if (o->listen)
		return metrics_listen(&(struct listener){ env, o->listen, metrics_read, o }, e);
	err = metrics_read(env, o, false, set, e);
	return err ? err : metrics_write(env, o, set, e);
}

static const char *const format_words[] = { "openmetrics", "prometheus" };
static const struct names formats = NAMES(format_words);
static const struct arg metrics_args[] = {
	ARG("--entries", ARG_FLAG, struct metrics_opts, entries,
	    "also the number of elements of maps, which are counted"),
	ARG("--where", ARG_FLAG, struct metrics_opts, where, "also the first place of each program, as a label"),
	ARG("--unit", ARG_FLAG, struct metrics_opts, unit,
	    "also the first systemd unit that holds each program or map, as a label"),
	ARG("--ids", ARG_FLAG, struct metrics_opts, ids,
	    "also ids, as a label: a program that is loaded again has another one, and a new series"),
	ARG("--limit", ARG_U32, struct metrics_opts, limit,
	    "at most so many series of programs and maps; the default is 10000", .metavar = "N", .flags = ARG_NONZERO),
	ARG("--format", ARG_WORD, struct metrics_opts, format,
	    "the text format of OpenMetrics, which is the default, or the older one of Prometheus", .metavar = "FORMAT",
	    .words = &formats),
	ARG("--output", ARG_PATH, struct metrics_opts, output, "output file, which is replaced when it is complete",
	    .metavar = "FILE", .output = true),
	ARG("--listen", ARG_STR, struct metrics_opts, listen,
	    "serve them over HTTP until a signal comes: a port of the loopback address, or another address and a port",
	    .metavar = "ADDRESS", .rejects = "--output --format"),
};

const struct command command_metrics = {
	.name = "metrics",
	.summary = "print counters and sizes of all objects in the format of Prometheus",
	.help = "Programs with the same labels are one series with the sum of their values, and so are maps, so that a program that is loaded "
		"again remains the same series. What could not be read is in no series, and is counted by the metrics bpf_unread_lists, "
		"bpf_unread_objects and bpf_unread_answers.",
	.example = "metrics",
	.schema = &metrics_schema,
	.rows = metric_row,
	.flags = CMD_READ | CMD_OURS,
	ARGS(metrics_args, struct metrics_opts),
	.run = metrics_run,
};
