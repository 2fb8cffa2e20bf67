/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/fleet.h"

#include <dirent.h>
#include <sys/stat.h>

#include "base/message.h"
#include "cli/command.h"
#include "cli/crew.h"
#include "cli/env.h"
#include "host/proc.h"
#include "record/field.h"
#include "source/facts.h"
#include "source/machine.h"
#include "source/source.h"
#include "source/file/archive.h"
#include "source/file/box.h"

struct fleet {
	struct env *env;
	bool keep;
	const char **path;
	size_t n, cap;
	fleet_visit *visit;
	void *ctx;
	bool found, missing; /* at least one machine has the object that was named, or does not have it */
};

#define ORIGIN_LINE 30 /* the last line of the plain block */

/* What follows each record. */
struct origin {
	const char *host;
	uint64_t saved_at;
	uint8_t has_saved;
};

bool fleet_is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

bool fleet_is_given(const struct globals *o)
{
	return o->nfroms > 1 || (o->from && fleet_is_folder(o->from));
}

bool fleet_is_used(const struct env *env)
{
	return env->command->flags & CMD_MANY && fleet_is_given(env->opts);
}

#define ORIGIN_FIELD(m, name, hlp, ...) FIELD(origin, m, name, hlp, .line = ORIGIN_LINE, ##__VA_ARGS__)
static const struct field fields[] = {
	ORIGIN_FIELD(host, "host", "name of the host, or of the file without its suffix, with several machines",
		     .flags = FIELD_DEFAULT),
	FIELD_AS(origin, saved_at, FT_TIME, "saved_at", "time when the file was written, with several machines",
		 .line = ORIGIN_LINE, .col = 1, FIELD_WHEN(origin, has_saved)),
};
const struct schema fleet_origin_schema = SCHEMA("origin", origin, fields);

const struct schema *fleet_schema(const struct env *env, const struct schema *s)
{
	return schema_append(env->keep, s, &fleet_origin_schema, ARRAY_SIZE(fields));
}

/* "web1" of "/x/web1.tar.gz" */
static const char *host_of(const char *path, struct arena *a)
{
	static const char *const suffixes[] = { ".tar.gz", ".tgz", ".tar" };
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t len = strlen(suffixes[i]);

		if (n > len && !strcmp(name + n - len, suffixes[i]))
			return arena_str(a, name, n - len);
	}
	return arena_str(a, name, n);
}

void fleet_fill(const struct env *env, const struct schema *s, void *rec)
{
	const struct origin o = { env->machine->host, env->machine->saved_at,
				  env->machine->saved_at ? AVAIL_YES : AVAIL_UNKNOWN };

	memcpy(schema_tail(s, rec, sizeof(o)), &o, sizeof(o));
}

static void machine_add(struct fleet *f, const char *path)
{
	ARENA_MORE(f->env->keep, f->path, f->n, f->cap);
	f->path[f->n++] = path;
}

int fleet_folder(struct arena *a, const char *folder, const char ***ret, size_t *ret_n, struct err *e)
{
	CLEAN_DIR *dir = opendir(folder);
	const char **paths = NULL;
	size_t n = 0, cap = 0;

	if (!dir)
		return err_sys(e, -errno, "%s", folder);
	for (const struct dirent *d; (d = readdir(dir));) {
		char *path = arena_fmt(a, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", d->d_name);
		struct stat st;

		if (d->d_name[0] == '.' || stat(path, &st) || !S_ISREG(st.st_mode))
			continue;
		ARENA_MORE(a, paths, n, cap);
		paths[n++] = path;
	}
	if (!n)
		return err_set(e, -ENOENT, "%s: no files in this directory", folder);
	qsort(paths, n, sizeof(*paths), str_order);
	*ret = paths;
	*ret_n = n;
	return 0;
}

int fleet_find_at(struct env *env, const char *folder, const char *at, struct box_place *ret, struct err *e)
{
	const char **paths;
	size_t n = 0;
	int err = fleet_folder(env->keep, folder, &paths, &n, e);

	if (!err)
		err = box_find(folder, paths, n, at, env->keep, ret, e);
	if (!err && env->opts->trace)
		message("trace: --at %s is in %s", at, ret->path);
	return err;
}

int fleet_choose(struct env *env, struct err *e)
{
	const struct globals *o = env->opts;
	struct globals *chosen;
	struct box_place place;
	int err;

	if (o->ats[1]) {
		err_usage(e, "--at is given twice, and this command reads one time");
		return err_hint(e, "`diff FILE --at TIME --at TIME` compares two");
	}
	if (!o->at || o->nfroms > 1 || env->machine || !fleet_is_given(o))
		return 0;
	err = fleet_find_at(env, o->from, o->at, &place, e);
	if (err)
		return err;
	chosen = arena_dup(env->keep, o, sizeof(*o));
	chosen->from = chosen->froms[0] = place.path;
	chosen->at = place.at;
	chosen->chosen = true;
	env->opts = chosen;
	return 0;
}

static int add_folder(struct fleet *f, const char *folder, struct err *e)
{
	const char **paths;
	size_t n = 0;
	int err = fleet_folder(f->env->keep, folder, &paths, &n, e);

	for (size_t i = 0; i < n; i++)
		machine_add(f, paths[i]);
	return err;
}

static int fleet_find(struct fleet *f, struct err *e)
{
	const struct globals *o = f->env->opts;
	int err = 0;

	/* BPFLENS_FROM has only one. */
	for (unsigned i = 0; i < (o->nfroms ? o->nfroms : 1) && !err; i++) {
		const char *path = o->nfroms ? o->froms[i] : o->from;

		if (fleet_is_folder(path))
			err = add_folder(f, path, e);
		else
			machine_add(f, path);
	}
	return err;
}

static void machine_end(void *p)
{
	machine_free(p);
}

static void arena_end(void *p)
{
	arena_free(p);
}

static bool enter(struct fleet *f, struct env *one, const char *path, struct report *report)
{
	struct err why = { 0 };
	struct source *s;

	*report = report_inner(f->env->report);
	if (source_archive(&s, path, &why)) {
		report_add_lost(report, &why);
		return false;
	}
	s->traced = f->env->opts->trace ? path : NULL;
	*one = *f->env;
	one->report = report;
	one->keep = arena_new();
	env_use(one, machine_new(s));
	one->machine->host = facts_host(one->machine);
	if (!one->machine->host)
		one->machine->host = host_of(path, one->machine->arena);
	one->machine->saved_at = facts_asked_at(one->machine);
	env_note_lacks(one, path);
	return true;
}

static void leave(struct fleet *f, struct env *one)
{
	struct report *r = one->report;
	struct machine **old;

	report_add_refused(r, one->machine);
	if (r->unread_why[0])
		str_fit(r->unread_why, sizeof(r->unread_why), "%s",
			arena_fmt(one->machine->arena, "%s: %s", one->machine->host, r->unread_why));
	if (!f->keep) {
		machine_free(&one->machine);
		arena_free(one->keep);
		return;
	}
	old = arena_alloc(f->env->keep, sizeof(*old));
	*old = one->machine;
	source_close(&one->machine->src);
	arena_defer(f->env->keep, machine_end, old);
	arena_defer(f->env->keep, arena_end, one->keep);
}

/* Returns what fleet_visit returns; everything else is noted in @report. */
static int machine_visit(void *ctx, size_t i, struct report *report)
{
	struct fleet *f = ctx;
	struct err why = { 0 };
	struct env one;
	int err;

	if (!enter(f, &one, f->path[i], report))
		return 0;
	err = f->visit(&one, f->ctx, &why);
	if (err && err != -ENOENT) {
		err_in(&why, "%s", one.machine->host);
		report_add_lost(report, &why);
	}
	leave(f, &one);
	return err;
}

static void report_take(void *ctx, size_t i, int err, struct report *report)
{
	struct fleet *f = ctx;
	struct err died = { 0 };

	if (err == -ECHILD) {
		err_set(&died, err, "%s: the process that reads it has ended", f->path[i]);
		report_add_lost(report, &died);
	}
	f->missing |= err == -ENOENT;
	f->found |= !err;
	report_merge(f->env->report, report);
	f->env->report->status |= report->status;
	report_release(report);
}

int fleet_each(struct env *env, struct render *r, bool keep, fleet_visit *fn, void *ctx, struct err *e)
{
	struct fleet f = { .env = env, .keep = keep, .visit = fn, .ctx = ctx };
	int err = fleet_find(&f, e);

	if (err)
		return err;
	crew_run(&(struct crew){
		.n = f.n, .r = r, .alone = keep, .work = machine_visit, .take = report_take, .ctx = &f });
	return f.missing && !f.found && !report_is_partial(env->report) ?
		       err_set(e, -ENOENT, "no machine has the named object") :
		       0;
}
