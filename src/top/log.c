/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/log.h"

#include "cli/env.h"
#include "events/events.h"
#include "events/record.h"
#include "events/replay.h"
#include "kernel/abi.h"
#include "record/field.h"
#include "source/live/source.h"

static const char *text_keep(struct arena *a, const char *text)
{
	return text ? arena_str(a, text, SIZE_MAX) : NULL;
}

/* Without what only calls have. */
static void log_add(void *ctx, const struct event_rec *rec)
{
	struct event_log *l = ctx;
	struct event_rec *one = arena_alloc(l->arena, sizeof(*one));

	*one = *rec;
	one->time = text_keep(l->arena, rec->time);
	one->type = text_keep(l->arena, rec->type);
	one->name = text_keep(l->arena, rec->name);
	one->comm = text_keep(l->arena, rec->comm);
	one->attr = NULL;
	one->object = NULL;
	one->nattr = one->nobject = 0;
	one->has_call = AVAIL_NO;
	ARRAY_MORE(l->rec, l->n, l->cap);
	l->rec[l->n++] = one;
}

/* Memory is that of twice as many events as are shown, and of those of one read. */
static void log_trim(struct event_log *l)
{
	struct event_log old = *l;

	if (l->n <= 2 * EVENT_LOG_SHOWN)
		return;
	l->arena = arena_new();
	l->rec = NULL;
	l->n = l->cap = 0;
	for (size_t i = old.n - EVENT_LOG_SHOWN; i < old.n; i++)
		log_add(l, old.rec[i]);
	free(old.rec);
	arena_free(old.arena);
}

#define CHANGES \
	(1ull << ABI_MAP_UPDATE_ELEM | 1ull << ABI_MAP_DELETE_ELEM | 1ull << ABI_MAP_LOOKUP_AND_DELETE_ELEM | \
	 1ull << ABI_MAP_LOOKUP_AND_DELETE_BATCH | 1ull << ABI_MAP_UPDATE_BATCH | 1ull << ABI_MAP_DELETE_BATCH)

/* A batch is one call. */
static void log_count(void *ctx, const struct calls_record *r)
{
	struct event_log *l = ctx;
	void **n;

	if (r->cmd >= 64 || !(CHANGES >> r->cmd & 1) || r->result < 0 || r->object[0].kind != OBJECT_MAP + 1u)
		return;
	n = hash_put(&l->changed, r->object[0].id);
	*n = (void *)((uintptr_t)*n + 1);
}

void event_log_count(struct event_log *l, bool on)
{
	if (l->begun && !l->why.code)
		stream_see(&l->stream, on ? CHANGES : 0);
}

void event_log_count_again(struct event_log *l)
{
	arena_clear(l->changed.arena);
	hash_init(&l->changed, l->changed.arena);
	l->changed_lost = l->stream.calls_lost;
}

bool event_log_changes(const struct event_log *l, uint32_t map, uint64_t *ret)
{
	*ret = (uintptr_t)hash_get(&l->changed, map);
	return l->stream.calls && !l->why.code && l->changed_lost == l->stream.calls_lost;
}

static int log_live(struct event_log *l, struct top *t, struct err *e)
{
	int err = stream_open(&l->stream, e);

	if (err) {
		stream_close(&l->stream);
		return err;
	}
	stream_note(&l->stream);
	t->ours = &l->stream.own;
	own_add(source_live_own(t->env->machine->src), t->ours);
	return 0;
}

void event_log_begin(struct event_log *l, struct top *t)
{
	if (l->begun)
		return;
	l->begun = true;
	l->arena = arena_new();
	hash_init(&l->changed, arena_new());
	l->report = report_inner(t->env->report);
	l->stream = (struct stream){
		.env = &l->env, .fd = -1, .self = (uint32_t)getpid(), .take = log_add, .saw = log_count, .ctx = l
	};
	if (!top_machine(t, &l->env, &l->report, &l->why) && t->head.from)
		replay_print(&l->stream, &l->why);
	else if (!l->why.code)
		log_live(l, t, &l->why);
}

void event_log_read(struct event_log *l)
{
	if (!l->begun || l->why.code || machine_is_saved(l->env.machine))
		return;
	stream_read(&l->stream);
	log_trim(l);
}

/* What is missing is below the events, where the newest is. */
void event_log_draw(struct event_log *l, struct top *t, struct out *o)
{
	ARENA a = arena_new();
	size_t n, first;

	event_log_begin(l, t);
	n = t->head.from ? ARRAY_LOWER(l->n, i, ((const struct event_rec *)l->rec[i])->timestamp <= t->head.moment_ns) :
			   l->n;
	first = n > EVENT_LOG_SHOWN ? n - EVENT_LOG_SHOWN : 0;
	if (!l->why.code)
		screen_table(&events_schema, NULL, l->rec + first, n - first, a, o);
	if (l->why.code)
		screen_say(l->why.msg, l->why.hint, o);
	else if (!n)
		screen_say(t->head.from ? "nothing happened until this moment" : "nothing happened yet", "", o);
	if (*l->report.note)
		screen_say(l->report.note, "", o);
}

void event_log_release(struct event_log *l)
{
	if (!l->begun)
		return;
	stream_close(&l->stream);
	env_close(&l->env);
	report_release(&l->report);
	free(l->rec);
	arena_free(l->arena);
	arena_free(l->changed.arena);
	*l = (struct event_log){ .begun = false };
}
