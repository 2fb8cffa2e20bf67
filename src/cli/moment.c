/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/moment.h"

#include <sys/stat.h>

#include "base/message.h"
#include "base/when.h"
#include "cli/env.h"
#include "cli/fleet.h"
#include "source/counters.h"
#include "source/facts.h"
#include "source/lives.h"
#include "source/machine.h"
#include "source/file/archive.h"

#define KILLED_NS (2 * NSEC_PER_SEC) /* a recorder that was killed may have run so much longer than it wrote */
#define NEXT_NS NSEC_PER_SEC	     /* between two files of one recorder is less */

/* Times in nanoseconds since 1970. */
struct recorded_file {
	const char *path, *host;
	uint64_t from, to;
};
struct recorded_files {
	struct env *env;
	struct recorded_file *v;
	size_t n, cap;
	struct err bad; /* the first file that could not be read */
};

static int by_begin(const void *a, const void *b)
{
	const struct recorded_file *x = a, *y = b;

	return NUM_CMP(x->from, y->from) ?: strcmp(x->path, y->path);
}

static void recording_add(struct recorded_files *all, const char *path, struct machine *m)
{
	const struct lives *l = facts_lives(m);
	const uint64_t boot = facts_boot_ns(m), counted = l && !l->to ? counters_end(m) : 0;
	const char *host = facts_host(m);

	if (!l)
		return;
	if (!boot) {
		err_set(&all->bad, -ENODATA, "%s: the boot time is not in the recording", path);
		return;
	}
	ARENA_MORE(all->env->keep, all->v, all->n, all->cap);
	all->v[all->n++] = (struct recorded_file){
		.path = path,
		.host = host ? arena_str(all->env->keep, host, SIZE_MAX) : "",
		.from = boot + l->from,
		.to = boot + (counted > lives_end(l) ? counted : lives_end(l)) + (l->to ? 0 : KILLED_NS),
	};
}

static void file_look(struct recorded_files *all, const char *path)
{
	struct err why = { 0 };
	struct machine *m;
	struct source *s;

	if (source_archive(&s, path, &why)) {
		all->bad = all->bad.code ? all->bad : why;
		return;
	}
	m = machine_new(s);
	recording_add(all, path, m);
	machine_free(&m);
}

static int folder_look(struct recorded_files *all, const char *folder, struct err *e)
{
	const char **paths;
	size_t n = 0;
	int err = fleet_folder(all->env->keep, folder, &paths, &n, e);

	for (size_t i = 0; i < n; i++)
		file_look(all, paths[i]);
	if (all->n)
		qsort(all->v, all->n, sizeof(*all->v), by_begin);
	return err;
}

/* There is at least one, and all are of one machine. */
static int files_check(const struct recorded_files *all, const char *folder, struct err *e)
{
	if (!all->n) {
		err_usage(e, "--at needs a recording, and %s has none", folder);
		return all->bad.code ? err_hint(e, "%s", all->bad.msg) : e->code;
	}
	for (size_t i = 1; i < all->n; i++)
		if (strcmp(all->v[i].host, all->v[0].host)) {
			err_usage(e, "--at: %s has recordings of several machines: %.60s and %.60s", folder,
				  all->v[0].host, all->v[i].host);
			return err_hint(e, "name the file of one of them with --from");
		}
	return 0;
}

static char *time_text(char buf[WHEN_TEXT], uint64_t ns)
{
	when_print(buf, ns / NSEC_PER_SEC, (uint32_t)(ns % NSEC_PER_SEC), 3, false);
	return buf;
}

/* When the last of the first @n ends. */
static uint64_t files_end(const struct recorded_files *all, size_t n)
{
	uint64_t to = 0;

	for (size_t i = 0; i < n; i++)
		to = all->v[i].to > to ? all->v[i].to : to;
	return to;
}

static int outside(const struct recorded_files *all, uint64_t t, struct err *e)
{
	const struct globals *o = all->env->opts;
	const size_t n = ARRAY_LOWER(all->n, i, all->v[i].from <= t);
	char from[WHEN_TEXT], to[WHEN_TEXT];

	if (!n)
		err_usage(e, "--at %s is before the recordings in %s, which begin at %s", o->at, o->from,
			  time_text(from, all->v[0].from));
	else if (n == all->n)
		err_usage(e, "--at %s is after the recordings in %s, which end at %s", o->at, o->from,
			  time_text(to, files_end(all, n)));
	else
		err_usage(e, "--at %s is in no recording in %s: nothing was recorded from %s to %s", o->at, o->from,
			  time_text(from, files_end(all, n)), time_text(to, all->v[n].from));
	return all->bad.code ? err_hint(e, "%s", all->bad.msg) : e->code;
}

/* The last one that covers the moment; NULL: none. */
static const struct recorded_file *file_at(const struct recorded_files *all, uint64_t *t)
{
	for (size_t i = all->n; i-- > 0;) {
		const struct recorded_file *f = &all->v[i];

		if (f->from <= *t && *t <= f->to)
			return f;
		/* Recordings without a pause: each has the time of boot to its own precision. */
		if (i + 1 < all->n && f->to < *t && *t < f[1].from && f[1].from - f->to < NEXT_NS) {
			*t = f->to;
			return f;
		}
	}
	return NULL;
}

static void file_use(struct env *env, const struct recorded_file *f, uint64_t t)
{
	struct globals *opts = arena_dup(env->keep, env->opts, sizeof(*opts));
	char at[WHEN_TEXT];

	when_print(at, t / NSEC_PER_SEC, (uint32_t)(t % NSEC_PER_SEC), 9, true);
	if (opts->trace)
		message("trace: --at %s is in %s", opts->at, f->path);
	opts->from = opts->froms[0] = f->path;
	opts->at = arena_str(env->keep, at, SIZE_MAX);
	opts->chosen = true;
	env->opts = opts;
}

int moment_choose(struct env *env, struct err *e)
{
	const struct globals *o = env->opts;
	struct recorded_files all = { .env = env };
	const struct recorded_file *f;
	uint64_t t = 0, end;
	struct stat st;
	int err;

	if (!o->at || !o->from || o->nfroms > 1 || env->machine || stat(o->from, &st) || !S_ISDIR(st.st_mode))
		return 0;
	err = folder_look(&all, o->from, e);
	if (!err)
		err = files_check(&all, o->from, e);
	end = files_end(&all, all.n);
	if (!err)
		err = at_parse(o->at, all.v[0].from, end, true, &t, e);
	if (err)
		return err;
	f = file_at(&all, &t);
	if (!f)
		return outside(&all, t, e);
	file_use(env, f, t);
	return 0;
}
