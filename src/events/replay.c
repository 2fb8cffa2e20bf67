/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/replay.h"

#include "cli/env.h"
#include "events/record.h"
#include "events/stream.h"
#include "map/map.h"
#include "prog/prog.h"
#include "source/facts.h"
#include "source/lives.h"
#include "source/file/map_calls.h"

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

static void call_show(void *ctx, const struct calls_record *r)
{
	stream_print_call(ctx, r);
}

int replay_print_calls(struct stream *s, uint32_t map, struct err *e)
{
	struct machine *m = s->env->machine;
	struct map_decode decode;
	struct err why = { 0 };
	struct map_calls head;
	int err = map_calls_read_head(m, s->env->arena, &head);

	if (err == -ENODATA) {
		err_set(e, err, "this file has no calls of bpf(2)");
		return err_hint(e, "`record --map` writes those on a map");
	}
	if (err)
		return err_set(e, err, "the calls in this file cannot be read");
	if (map && map != head.map) {
		err_set(e, -ENODATA, "the calls in this file are those on map %u, not on map %u", head.map, map);
		return err_hint(e, "omit --map to see them");
	}
	err = map_decode_init(s->env, head.map, &decode, e);
	if (err)
		return err;
	s->map = &decode;
	s->epoch = facts_boot_ns(m);
	map_calls_read(m, s->env->arena, call_show, s);
	s->map = NULL;
	if (!head.lost)
		return 0;
	err_set(&why, -ENOBUFS, "the recording lost %llu call%s", llu(head.lost), plural(head.lost));
	report_unread(s->env->report, &why);
	return 0;
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
