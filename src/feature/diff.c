/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/command.h"
#include "feature/report.h"
#include "kernel/names.h"
#include "record/field.h"
#include "render/doc.h"

/* A feature of one machine; its text is the same on two machines if it does not differ. */
struct feature_entry {
	const char *type, *name; /* type: program type of a helper; else NULL */
	const char *value;	 /* JSON; "true", "false" */
	const char *why;	 /* why the value is unknown or refused; NULL: it is known */
};
struct feature_side {
	struct feature_entry *v;
	size_t n;
	bool known;
};

enum { REMOVED, ADDED, CHANGED, UNKNOWN };
static const char *const change_words[] = { "removed", "added", "changed", "unknown" };
static const struct names change_names = NAMES(change_words);
static const char marks[] = "-+!?";

struct difference {
	uint8_t change;
	const char *group, *type, *name, *old, *new, *why;
	uint8_t has_values; /* enum avail */
};

static size_t feature_mark_text(const void *rec, char *buf, size_t size)
{
	return str_snprintf(buf, size, "%c", marks[((const struct difference *)rec)->change]);
}

static bool is_not(const char *value)
{
	return !strcmp(value, "false") || !strcmp(value, "null");
}

/* A feature that is only available or not needs no values. */
static bool is_there_or_not(const char *value)
{
	return !strcmp(value, "true") || is_not(value);
}

static size_t values_text(const void *rec, char *buf, size_t size)
{
	const struct difference *d = rec;

	if (d->change == CHANGED)
		return str_snprintf(buf, size, "%s -> %s", d->old, d->new);
	if (d->change != UNKNOWN && !(is_there_or_not(d->old) && is_there_or_not(d->new)))
		return str_snprintf(buf, size, "%s", d->change == ADDED ? d->new : d->old);
	return 0;
}

static const struct field fields[] = {
	FIELD_AS(
		difference, change, FT_ENUM, "change",
		"kind of change; added: only the second has it; removed: only the first has it; changed; unknown on one of them",
		.role = ROLE_CHANGED, .names = &change_names, .plain = "%", .text = feature_mark_text),
	FIELD(difference, group, "group", "section of `feature probe`", .flags = FIELD_NOPLAIN),
	FIELD(difference, type, "type", "program type that may call the helper", .among = &names_prog_type,
	      .role = ROLE_KIND, .plain = " %", .flags = FIELD_NONZERO),
	FIELD(difference, name, "name", "name of the feature or setting", .role = ROLE_NAME, .plain = " %",
	      .flags = FIELD_NONZERO),
	FIELD_AS(difference, old, FT_JSON, "old", "previous value (of the first); null: not set, or unknown",
		 .plain = ": %", .text = values_text, FIELD_WHEN(difference, has_values)),
	FIELD_AS(difference, new, FT_JSON, "new", "value of the second; null: not set, or unknown",
		 FIELD_WHEN(difference, has_values), .flags = FIELD_NOPLAIN),
	FIELD(difference, why, "why", "reason, if the value is unknown", .plain = ": %", .flags = FIELD_NONZERO),
};
static const struct schema difference_schema = SCHEMA("feature_diff", difference, fields);

static int by_feature(const void *pa, const void *pb)
{
	const struct feature_entry *a = pa, *b = pb;
	const int c = strcmp(a->type ? a->type : "", b->type ? b->type : "");

	return c ? c : strcmp(a->name, b->name);
}

static struct feature_side side_new(struct env *env, size_t n, uint8_t known)
{
	return (struct feature_side){ .v = arena_array(env->keep, n, sizeof(struct feature_entry)),
				      .known = known == AVAIL_YES };
}

/* Settings, or the options that the kernel was built with. Without a configuration, no option is known. */
static struct feature_side of_settings(struct env *env, const struct feature_report *r, bool options)
{
	struct feature_side s = side_new(env, r->nconfig, r->has_config);

	for (uint32_t i = 0; i < r->nconfig; i++) {
		const bool unread = !strcmp(r->config[i].value, "-1");

		if (!r->config[i].sentence == options)
			s.v[s.n++] = (struct feature_entry){ .name = r->config[i].key,
							     .value = r->config[i].value,
							     .why = unread ? "it cannot be read" : NULL };
	}
	s.known = s.n;
	return s;
}

static struct feature_side of_features(struct env *env, const struct feature *f, uint32_t n, uint8_t known)
{
	struct feature_side s = side_new(env, n, known);

	for (uint32_t i = 0; i < n; i++) {
		const char *why =
			f[i].known == AVAIL_UNKNOWN || f[i].why ? (f[i].reason ? f[i].reason : "not known") : NULL;

		s.v[s.n++] =
			(struct feature_entry){ .name = f[i].key, .value = f[i].have ? "true" : "false", .why = why };
	}
	return s;
}

static struct feature_side of_helpers(struct env *env, const struct feature_report *r)
{
	struct feature_side s;
	size_t n = 0;

	for (uint32_t i = 0; i < r->nhelpers; i++)
		n += r->helpers[i].n + 1;
	s = side_new(env, n, r->has_more);
	for (uint32_t i = 0; i < r->nhelpers; i++) {
		const struct feature_helpers *h = &r->helpers[i];

		if (h->known == AVAIL_UNKNOWN)
			s.v[s.n++] = (struct feature_entry){
				.type = h->type, .name = "all", .value = "false", .why = "not known"
			};
		for (uint32_t k = 0; k < h->n; k++)
			s.v[s.n++] = (struct feature_entry){ .type = h->type, .name = h->names[k], .value = "true" };
	}
	return s;
}

static struct feature_side of_kfuncs(struct env *env, const struct feature_report *r)
{
	struct feature_side s = side_new(env, r->nkfuncs, r->has_kfuncs);

	for (uint32_t i = 0; i < r->nkfuncs; i++)
		s.v[s.n++] = (struct feature_entry){ .name = r->kfuncs[i].name, .value = "true" };
	return s;
}

struct comparison {
	struct env *env;
	struct doc *d;
	const char *group;
	bool begun;
};

static void difference_keep(struct comparison *c, struct difference d)
{
	d.group = c->group;
	if (!c->begun)
		doc_text(c->d, arena_fmt(c->env->keep, "%s:\n", c->group));
	c->begun = true;
	c->env->report->differs = true;
	doc_record(c->d, &difference_schema, &d);
}

/* A machine does not have a feature that it does not list. */
static void pair_put(struct comparison *c, const struct feature_entry *a, const struct feature_entry *b)
{
	const struct feature_entry *one = a ? a : b;
	const char *old = a ? a->value : "false", *new = b ? b->value : "false",
		   *why = a && a->why ? a->why :
			  b	      ? b->why :
					NULL;
	struct difference d = {
		.type = one->type, .name = one->name, .old = old, .new = new, .why = why, .has_values = AVAIL_YES
	};

	if (!strcmp(old, new) && (a && a->why) == (b && b->why))
		return;
	if (a && a->why)
		d.old = "null";
	if (b && b->why)
		d.new = "null";
	d.change = why ? UNKNOWN : is_not(old) ? ADDED : is_not(new) ? REMOVED : CHANGED;
	difference_keep(c, d);
}

static void side_sort(struct feature_side *s)
{
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_feature);
}

static void group_compare(struct comparison *c, const char *group, const char *what, struct feature_side a,
			  struct feature_side b)
{
	size_t i = 0, k = 0;

	c->begun &= c->group == group;
	c->group = group;
	if (!a.known && !b.known)
		return;
	if (!a.known || !b.known) {
		difference_keep(c, (struct difference){ .change = UNKNOWN,
							.name = what,
							.why = a.known ? "not known for the second" :
									 "not known for the first" });
		return;
	}
	side_sort(&a);
	side_sort(&b);
	while (i < a.n || k < b.n) {
		const int order = i == a.n ? 1 : k == b.n ? -1 : by_feature(&a.v[i], &b.v[k]);

		pair_put(c, order <= 0 ? &a.v[i] : NULL, order >= 0 ? &b.v[k] : NULL);
		i += order <= 0;
		k += order >= 0;
	}
}

static bool has_type(const struct feature_report *r, const char *type)
{
	for (uint32_t i = 0; i < r->nhelpers; i++)
		if (!strcmp(r->helpers[i].type, type))
			return r->helpers[i].n && r->helpers[i].known == AVAIL_YES;
	return false;
}

/* Only helpers of program types that both have: other types are differences themselves. If the helpers of a type are
 * unknown on one machine, they are not compared. */
static struct feature_side helpers_shared(struct feature_side s, const struct feature_report *other)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		if (has_type(other, s.v[i].type))
			s.v[n++] = s.v[i];
	s.n = n;
	return s;
}

static void reports_compare(struct env *env, struct doc *d, const struct feature_report *a,
			    const struct feature_report *b)
{
	static const char system[] = "system_config";
	struct comparison c = { .env = env, .d = d };

	group_compare(&c, system, "settings", of_settings(env, a, false), of_settings(env, b, false));
	group_compare(&c, system, "CONFIG_*", of_settings(env, a, true), of_settings(env, b, true));
	group_compare(&c, "syscall_config", "all", of_features(env, a->syscalls, a->nsyscalls, a->has_probes),
		      of_features(env, b->syscalls, b->nsyscalls, b->has_probes));
	group_compare(&c, "program_types", "all", of_features(env, a->progs, a->nprogs, a->has_more),
		      of_features(env, b->progs, b->nprogs, b->has_more));
	group_compare(&c, "map_types", "all", of_features(env, a->maps, a->nmaps, a->has_more),
		      of_features(env, b->maps, b->nmaps, b->has_more));
	group_compare(&c, "attach_types", "all", of_features(env, a->attach, a->nattach, a->has_attach),
		      of_features(env, b->attach, b->nattach, b->has_attach));
	group_compare(&c, "helpers", "all", helpers_shared(of_helpers(env, a), b),
		      helpers_shared(of_helpers(env, b), a));
	group_compare(&c, "misc", "all", of_features(env, a->misc, a->nmisc, a->has_more),
		      of_features(env, b->misc, b->nmisc, b->has_more));
	group_compare(&c, "kfuncs", "all", of_kfuncs(env, a), of_kfuncs(env, b));
}

struct feature_diff_opts {
	const char *which[2];
};
static const struct arg args[] = {
	OPERAND("A", ARG_PATH, struct feature_diff_opts, which[0],
		"a file that `save` wrote, or live: the running kernel"),
	OPERAND("B", ARG_PATH, struct feature_diff_opts, which[1], "another file, or live"),
};

static int one_read(struct env *env, const char *which, struct feature_report *ret, struct err *e)
{
	const struct feature_ask ask = { .full = false };
	struct env other;
	int err = env_other(env, which, &other, e);

	if (!err)
		err = feature_caps_check(&other, e);
	if (!err)
		err = feature_read(&other, &ask, ret, e);
	if (!err)
		env_other_end(&other);
	return err;
}

static int feature_diff_run(struct env *env, const void *opts, struct err *e)
{
	const struct feature_diff_opts *o = opts;
	struct feature_report r[2];
	struct doc d;
	int err = 0;

	for (int i = 0; i < 2 && !err; i++)
		err = one_read(env, o->which[i], &r[i], e);
	if (err)
		return err;
	env_doc(env, &d);
	doc_stream(&d, NULL);
	reports_compare(env, &d, &r[0], &r[1]);
	doc_end(&d);
	env_doc_end(env, &d);
	return 0;
}

const struct command feature_diff = {
	.name = "diff",
	.summary = "compare what two kernels support",
	.help = "Compares two machines by the sections of `feature probe`. Lines begin with + for a feature that only the second has, - for one that only the first has, "
		"! for a setting that differs, and ? for what is unknown or refused on one of them. Helpers are compared for program "
		"types that both have; what both refuse with the same error is not shown. The exit status is that of diff(1): 0 no differences, 1 differences or unknown features, 2 failure.",
	.example = "feature diff state.tar.gz live",
	.schema = &difference_schema,
	ARGS(args, struct feature_diff_opts),
	.flags = CMD_READ | CMD_NOSOURCE | CMD_OURS | CMD_DIFF,
	.run = feature_diff_run,
};
