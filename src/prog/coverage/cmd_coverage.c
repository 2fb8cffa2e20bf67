/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/newfile.h"
#include "cli/env.h"
#include "cli/records.h"
#include "cli/select.h"
#include "map/map.h"
#include "prog/coverage/coverage.h"
#include "prog/prog.h"

struct coverage_opts {
	struct object_refs progs;
	struct object_ref map;
	bool lines;
	const char *lcov, *html;
	struct records_opts records;
};

/* What is read for one command. */
struct coverage_run {
	const struct coverage_opts *o;
	struct env *env;
	struct coverage c;
	struct str without; /* sentences about programs without counters */
	struct err first;   /* why one could not be read */
};

/* @named: by the user, so that it must have counters. */
static void prog_add(struct coverage_run *r, struct selection *sel, uint32_t id, bool named)
{
	struct err why = { 0 };
	const int ret = coverage_read(&r->c, id, &why);

	if (ret == -ENOENT)
		selection_note_gone(r->env, sel, id);
	else if (!ret && named)
		str_fmt(&r->without, "%sprogram %u has no counters", r->without.n ? "; " : "", id);
	if (ret >= 0 || ret == -ENOENT)
		return;
	if (!r->first.code)
		r->first = why;
	report_unread(r->env->report, &why);
}

/* Adds the programs that use a map. */
static void users_add(struct coverage_run *r, struct selection *sel, uint32_t map)
{
	const uint32_t *users;
	uint32_t n;
	struct err why = { 0 };

	*hash_put(&r->c.asked, map) = r;
	if (map_progs(r->env, map, &users, &n) == AVAIL_UNKNOWN) {
		err_set(&why, -ENODATA, "map %u: which programs use it is not known", map);
		report_unread(r->env->report, &why);
	}
	for (uint32_t i = 0; i < n; i++)
		prog_add(r, sel, users[i], false);
}

static int selected_add(struct coverage_run *r, struct err *e)
{
	const struct coverage_opts *o = r->o;
	struct selection sel = { .kind = &kind_prog, .refs = &o->progs };
	const uint32_t *maps = NULL;
	size_t nmaps = 0;
	int err = 0;

	if (o->map.by)
		err = select_objects(r->env, r->env->keep, &kind_map, &o->map, &maps, &nmaps, e);
	if (!err && (o->progs.n || !o->map.by))
		err = selection_find(r->env, &kind_prog, &o->progs, &sel, e);
	for (size_t i = 0; !err && i < nmaps; i++)
		users_add(r, &sel, maps[i]);
	for (size_t i = 0; !err && i < sel.n; i++)
		prog_add(r, &sel, sel.ids[i], o->progs.n);
	return err ? err : selection_end(&sel, e);
}

/* Nothing was asked for by name, or some of it was found: then the list is the answer. */
static int found_check(struct coverage_run *r, struct records *ret, struct err *e)
{
	const bool named = r->o->progs.n || r->o->map.by;

	if (!r->c.n && r->first.code) {
		*e = r->first;
		return e->code;
	}
	if (!r->c.n && (named || r->o->lcov || r->o->html)) {
		err_set(e, -ENODATA, "%s",
			r->without.n ? r->without.p :
			named	     ? "no program that uses the map has counters" :
				       "no program has counters");
		return err_hint(e, "`gen object OUT IN --coverage` makes an object file that has them");
	}
	ret->missing = r->without.n ? arena_str(r->env->keep, r->without.p, r->without.n) : NULL;
	return 0;
}

static int files_write(struct coverage_run *r, const struct records *recs, struct err *e)
{
	const struct cover_rec *v = (const struct cover_rec *)recs->rec;
	struct out text;
	int err = 0;

	out_init(&text, -1);
	if (r->o->lcov) {
		coverage_write_lcov(v, recs->n, &text);
		err = newfile_write(r->o->lcov, text.buf, text.n, e);
		text.n = 0;
	}
	if (!err && r->o->html) {
		coverage_write_page(r->env, v, recs->n, &text);
		err = newfile_write(r->o->html, text.buf, text.n, e);
	}
	out_close(&text, NULL);
	return err;
}

static int coverage_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	struct coverage_run r = { .o = opts, .env = env };
	struct cover_rec *v;
	int err;

	coverage_begin(&r.c, env);
	err = selected_add(&r, e);
	if (!err)
		err = found_check(&r, ret, e);
	if (!err) {
		coverage_end(&r.c);
		coverage_sum(env, r.c.items, r.c.n, ret);
		err = files_write(&r, ret, e);
	}
	str_release(&r.without);
	if (!err && r.c.unused)
		report_note(
			env->report,
			"%llu of %llu counters are not in these programs: others have them, or the verifier removed "
			"their blocks, which cannot run",
			llu(r.c.unused), llu(r.c.counters));
	v = (struct cover_rec *)ret->rec;
	for (size_t i = 0; r.o->lines && i < ret->n; i++) {
		v[i].lines = v[i].all;
		v[i].nlines = v[i].lines_total;
	}
	return err;
}

static int coverage_run(struct env *env, const void *opts, struct err *e)
{
	const struct coverage_opts *o = opts;

	return o->lines ? records_show(env, &o->records, o, coverage_collect, e) :
			  records_run(env, &o->records, o, coverage_collect, e);
}

static const struct arg coverage_args[] = {
	ARG(NULL, ARG_OBJECT, struct coverage_opts, progs, "only these programs", .kind = &kind_prog,
	    .flags = ARG_POSITIONAL | ARG_REPEAT),
	ARG("map", ARG_OBJECT, struct coverage_opts, map,
	    "the programs that use this map of counters, or maps of this name", .kind = &kind_map),
	ARG("--lines", ARG_FLAG, struct coverage_opts, lines, "the source lines of each function with their counts"),
	ARG("--lcov", ARG_PATH, struct coverage_opts, lcov, "also write a tracefile for lcov and genhtml",
	    .metavar = "FILE", .output = true),
	ARG("--html", ARG_PATH, struct coverage_opts, html, "also write a page for a browser, with the source lines",
	    .metavar = "FILE", .output = true),
	RECORDS_ARGS(struct coverage_opts, records),
};

const struct command prog_coverage = {
	.name = "coverage",
	.summary = "show which functions, blocks and source lines of programs ran",
	.help = "The programs are of an object file with counters, which `gen object --coverage` makes, in whatever way they "
		"were loaded and ran. A record is of a function, with all programs that have it, and all objects that "
		"were loaded with it: their counts are added. A source line that is in several blocks has the count "
		"of the one that ran most often. Without PROG and map, all programs with counters are read. The counters are "
		"of all CPUs since the object was loaded; writing zero to their map begins again. With --from, the archive "
		"needs the contents of maps.",
	.schema = &coverage_schema,
	.parts = (const struct schema *const[]){ &coverage_line_schema, NULL },
	ARGS(coverage_args, struct coverage_opts),
	.flags = CMD_READ | CMD_OURS,
	.run = coverage_run,
	.records = offsetof(struct coverage_opts, records),
};
