/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/file/box.h"

#include "base/when.h"
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
	const char *folder, *when; /* for messages */
	struct arena *arena;
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
	ARENA_MORE(all->arena, all->v, all->n, all->cap);
	all->v[all->n++] = (struct recorded_file){
		.path = path,
		.host = host ? arena_str(all->arena, host, SIZE_MAX) : "",
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

/* There is at least one, and all are of one machine. */
static int files_check(const struct recorded_files *all, struct err *e)
{
	if (!all->n) {
		err_usage(e, "--at needs a recording, and %s has none", all->folder);
		return all->bad.code ? err_hint(e, "%s", all->bad.msg) : e->code;
	}
	for (size_t i = 1; i < all->n; i++)
		if (strcmp(all->v[i].host, all->v[0].host)) {
			err_usage(e, "--at: %s has recordings of several machines: %.60s and %.60s", all->folder,
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
	const size_t n = ARRAY_LOWER(all->n, i, all->v[i].from <= t);
	char from[WHEN_TEXT], to[WHEN_TEXT];

	if (!n || n == all->n)
		err_usage(e, "--at %s is %s the recordings in %s, which are from %s to %s", all->when,
			  n ? "after" : "before", all->folder, time_text(from, all->v[0].from),
			  time_text(to, files_end(all, all->n)));
	else
		err_usage(e, "--at %s is in no recording in %s: nothing was recorded from %s to %s", all->when,
			  all->folder, time_text(from, files_end(all, n)), time_text(to, all->v[n].from));
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

int box_find(const char *folder, const char *const *paths, size_t n, const char *when, struct arena *a,
	     struct box_place *ret, struct err *e)
{
	struct recorded_files all = { .folder = folder, .when = when, .arena = a };
	const struct recorded_file *f;
	char at[WHEN_TEXT];
	uint64_t t = 0;
	int err;

	for (size_t i = 0; i < n; i++)
		file_look(&all, paths[i]);
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_begin);
	err = files_check(&all, e);
	if (!err)
		err = at_parse(when, all.v[0].from, files_end(&all, all.n), true, &t, e);
	if (err)
		return err;
	f = file_at(&all, &t);
	if (!f)
		return outside(&all, t, e);
	when_print(at, t / NSEC_PER_SEC, (uint32_t)(t % NSEC_PER_SEC), 9, true);
	*ret = (struct box_place){ f->path, arena_str(a, at, SIZE_MAX) };
	return 0;
}
