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
	bool lines, html;
	const char *lcov, *output;
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

/* A tracefile, or a page. */
static int file_write(struct env *env, const char *path, bool lcov, const struct records *recs, struct err *e)
{
	const struct cover_rec *v = (const struct cover_rec *)recs->rec;
	struct out text;
	int err;

	out_init(&text, -1);
	if (lcov)
		coverage_write_lcov(v, recs->n, &text);
	else
		coverage_write_page(env, v, recs->n, &text);
	err = newfile_write(path, text.buf, text.n, e);
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
	}
	if (!err && r.o->lcov)
		err = file_write(env, r.o->lcov, true, ret, e);
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

static int page_run(struct env *env, const struct coverage_opts *o, struct err *e)
{
	struct records recs = { .s = &coverage_schema };
	int err = env_check_page(env, o->output, e);

	if (!err)
		err = coverage_collect(env, o, &recs, e);
	if (err)
		return err;
	if (o->output)
		err = file_write(env, o->output, false, &recs, e);
	else
		coverage_write_page(env, (const struct cover_rec *)recs.rec, recs.n, env->report->out);
	return err ? err : records_missing(&recs, e);
}

static int coverage_run(struct env *env, const void *opts, struct err *e)
{
	const struct coverage_opts *o = opts;

	if (o->output && !o->html)
		return err_usage(e, "'--output' needs '--html'");
	if (o->html)
		return page_run(env, o, e);
	return o->lines ? records_show(env, &o->records, o, coverage_collect, e) :
			  records_run(env, &o->records, o, coverage_collect, e);
}

static const struct arg coverage_args[] = {
	ARG(NULL, ARG_OBJECT, struct coverage_opts, progs, "only these programs", .kind = &kind_prog,
	    .flags = ARG_POSITIONAL | ARG_REPEAT),
	ARG("map", ARG_OBJECT, struct coverage_opts, map,
	    "the programs that use this map of counters, or maps of this name", .kind = &kind_map),
	ARG("--lines", ARG_FLAG, struct coverage_opts, lines, "the source lines of each function with their counts"),
	ARG("--lcov", ARG_PATH, struct coverage_opts, lcov,
	    "also write the counts to this tracefile, for lcov and genhtml", .metavar = "FILE", .output = true),
	ARG("--html", ARG_FLAG, struct coverage_opts, html, "instead, a page for a browser, with the source lines",
	    .rejects = "--lines"),
	ARG("--output", ARG_PATH, struct coverage_opts, output,
	    "output file of that page, which appears when it is complete", .metavar = "PATH", .output = true),
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
