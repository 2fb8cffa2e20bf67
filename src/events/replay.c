/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/replay.h"

#include "cli/env.h"
#include "events/record.h"
#include "events/stream.h"
#include "prog/prog.h"
#include "source/facts.h"
#include "source/lives.h"

struct moment {
	uint64_t time;
	const struct life *life;
	bool gone;
};

/* A program may be loaded and unloaded in the same nanosecond. */
static int by_moment(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return NUM_CMP(x->time, y->time) ?: NUM_CMP(x->life->id, y->life->id) ?: NUM_CMP(x->gone, y->gone);
}

/* Programs that were loaded before the recording have no load in it. */
static size_t moments_find(const struct lives *l, struct moment *ret, size_t *ret_unknown)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct life *life = &l->life[i];
		const bool loaded = life->how != LIFE_BEFORE;

		if (loaded && life->loaded)
			ret[n++] = (struct moment){ life->loaded, life, false };
		if (life->gone && life->gone_at)
			ret[n++] = (struct moment){ life->gone_at, life, true };
		*ret_unknown += (loaded && !life->loaded) + (life->gone && !life->gone_at);
	}
	qsort(ret, n, sizeof(*ret), by_moment);
	return n;
}

static void moment_print(struct stream *s, const struct moment *m)
{
	struct arena *a = s->env->arena;
	ARENA_SCOPE(a);
	const struct life *l = m->life;
	struct event_rec rec = {
		.kind = object_kind_names[OBJECT_PROG],
		.event = m->gone ? "unload" : "load",
		.id = l->id,
		.has_id = AVAIL_YES,
		.has_type = AVAIL_UNKNOWN,
		.has_tag = AVAIL_UNKNOWN,
		.has_pid = m->gone ? AVAIL_NO : AVAIL_UNKNOWN, /* who unloaded it is not recorded */
		.has_comm = m->gone ? AVAIL_NO : AVAIL_UNKNOWN,
	};
	struct prog_rec prog = { 0 };
	struct err why = { 0 };

	if (!prog_read(s->env, a, l->id, 0, &prog, &why)) {
		rec.type = prog.type;
		rec.name = prog.name;
		rec.bytes_jited = prog.info.jited_prog_len;
		rec.functions = prog.info.nr_jited_func_lens;
		rec.has_type = rec.has_tag = AVAIL_YES;
		rec.has_jited = rec.bytes_jited ? AVAIL_YES : AVAIL_NO;
		memcpy(rec.tag, prog.info.tag, sizeof(rec.tag));
	}
	if (!m->gone && l->has_loader) {
		rec.pid = l->pid;
		rec.comm = l->comm;
		rec.has_pid = l->pid ? AVAIL_YES : AVAIL_UNKNOWN;
		rec.has_comm = AVAIL_YES;
	}
	rec.life = m->gone ? m->time - l->loaded : 0;
	rec.has_life = !m->gone ? AVAIL_NO : l->loaded && l->loaded <= m->time ? AVAIL_YES : AVAIL_UNKNOWN;
	stream_print(s, m->time, &rec);
}

int replay_print(struct stream *s, struct err *e)
{
	const struct lives *l = facts_lives(s->env->machine);
	struct report *r = s->env->report;
	struct moment *m;
	size_t n, unknown = 0;

	if (!l) {
		err_set(e, -ENODATA, "this file has no events");
		return err_hint(e, "`record` writes one that has");
	}
	s->epoch = facts_boot_ns(s->env->machine);
	m = arena_array(s->env->keep, 2 * l->n, sizeof(*m));
	n = moments_find(l, m, &unknown);
	for (size_t i = 0; i < n && !out_dead(r->out); i++)
		moment_print(s, &m[i]);
	if (unknown)
		str_fit(r->note, sizeof(r->note), "%zu event%s of unknown time %s left out", unknown, plural(unknown),
			unknown == 1 ? "is" : "are");
	return 0;
}
