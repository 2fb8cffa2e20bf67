/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/out.h"
#include "cli/columns.h"
#include "cli/command.h"
#include "cli/records.h"
#include "events/events.h"
#include "events/programs.h"
#include "events/record.h"
#include "events/tasks.h"
#include "host/pace.h"
#include "host/stop.h"
#include "kernel/sideband.h"
#include "record/field.h"
#include "record/view.h"
#include "render/render.h"

#define RING (1 << 20)			/* bytes for each CPU: some 7000 loads */

struct events_opts {
	uint64_t count;
	const char *seconds;
	struct records_opts records;
};
#define OFF(m) offsetof(struct events_opts, m)
static const struct arg events_args[] = {
	{ .name = "--count", .metavar = "N", .type = ARG_U64, .off = OFF(count), .help = "end after N events" },
	{ .name = "--seconds", .metavar = "N", .type = ARG_STR, .off = OFF(seconds), .help = "end after N seconds" },
	RECORDS_STREAM_ARGS(struct events_opts, records),
};

/* Which clock when: the clock since boot stands still for nobody, but the time of day may be set. */
enum { MONOTONIC, BOOTTIME, REALTIME };
_Static_assert(REALTIME + 1 == PACE_CLOCKS, "as host/pace.h says");
#define STEP (10 * NSEC_PER_MSEC)

struct stream {
	struct env *env;
	struct view view;
	struct render render;
	struct sideband *sideband;
	struct programs programs;
	struct tasks tasks;
	uint32_t self;			/* our own process */
	uint64_t count, told;		/* count 0: no limit */
	uint64_t end;			/* CLOCK_MONOTONIC; 0: never */
	uint64_t epoch;			/* the time of day when the machine was started */
};

static bool done(const struct stream *s)
{
	return (s->count && s->told >= s->count) || out_dead(s->env->report->out);
}

/* Only when it is set: two clocks are never read at the same moment, and times must not go back. */
static void epoch_update(struct stream *s)
{
	uint64_t clock[PACE_CLOCKS], now;

	pace_clocks(clock);
	now = clock[REALTIME] - clock[BOOTTIME];
	if (now - s->epoch + STEP > 2 * STEP)
		s->epoch = now;
}

static void event_tell(struct stream *s, const struct sideband_record *r, struct event_rec *rec)
{
	char time[PACE_TIME];
	/* We may have closed the last descriptor, when we asked what the program was. */
	bool somebody = r->pid && r->pid != UINT32_MAX && r->pid != s->self;
	const char *comm;

	if (done(s))
		return;
	comm = somebody ? tasks_comm(&s->tasks, r->pid) : NULL;
	rec->time = pace_moment(s->epoch + r->time, time, sizeof(time));
	rec->timestamp = r->time;
	if (r->kind != SIDEBAND_LOST) {
		rec->pid = r->pid;
		rec->has_pid = somebody ? AVAIL_YES : AVAIL_UNKNOWN;
		rec->comm = comm;
		rec->has_comm = comm ? AVAIL_YES : AVAIL_UNKNOWN;
	}
	if (!view_match(&s->view, &events_schema, rec))
		return;
	render_record(&s->render, rec);
	s->told++;
}

static void hear(void *ctx, const struct sideband_record *r)
{
	struct stream *s = ctx;
	struct arena *a = s->env->arena;
	size_t mark = arena_mark(a);
	struct event_rec rec;

	tasks_hear(&s->tasks, r);
	if (r->kind == SIDEBAND_LOST) {
		rec = (struct event_rec){ .event = "lost", .count = r->lost.count, .has_count = AVAIL_YES };
		event_tell(s, r, &rec);
	} else if (programs_hear(&s->programs, r, &rec)) {
		event_tell(s, r, &rec);
	}
	arena_rewind(a, mark);
}

/* Milliseconds until the end; -1: there is none. */
static int left(const struct stream *s)
{
	uint64_t clock[PACE_CLOCKS];

	if (!s->end)
		return -1;
	pace_clocks(clock);
	return clock[MONOTONIC] >= s->end ? 0 : (int)((s->end - clock[MONOTONIC]) / NSEC_PER_MSEC) + 1;
}

static void loop(struct stream *s, struct stop *stop)
{
	bool more = false;

	while (!done(s) && left(s)) {
		if (stop_wait(stop, sideband_fd(s->sideband), more ? 0 : left(s)))
			break;
		epoch_update(s);
		more = sideband_read(s->sideband, hear, s);
		out_flush(s->env->report->out);
	}
	/* What happened before the end is told. */
	sideband_read(s->sideband, hear, s);
}

/* Of a program that is gone there is nothing to read. */
static void lost_say(struct stream *s)
{
	struct sideband_count n = sideband_count(s->sideband);
	struct err why = { 0 };

	if (!n.lost && !n.bad)
		return;
	err_set(&why, -ENOBUFS, "%llu announcements of the kernel were lost, %llu could not be understood", (unsigned long long)n.lost,
		(unsigned long long)n.bad);
	report_unread(s->env->report, &why);
}

static int sideband_begin(struct stream *s, struct err *e)
{
	int err = sideband_open(&s->sideband, &(struct sideband_opts){ .ring = RING, .tasks = true });

	if (!err)
		return 0;
	err_sys(e, err, "cannot hear what the kernel announces of programs (perf_event_open)");
	return err == -EINVAL ? err_hint(e, "it is announced since Linux 5.1") : err;
}

static int stream_begin(struct stream *s, const struct events_opts *o, struct err *e)
{
	uint64_t clock[PACE_CLOCKS], wait = 0;
	int err = o->seconds ? pace_parse(o->seconds, &wait, e) : 0;

	if (!err)
		err = view_parse(&s->view, &events_schema, NULL, o->records.columns, o->records.filter, NULL, s->env->keep, e);
	if (!err)
		err = sideband_begin(s, e);
	if (!err)
		err = programs_init(&s->programs, s->env, e);
	if (err)
		return err;
	tasks_init(&s->tasks);
	pace_clocks(clock);
	s->end = wait ? clock[MONOTONIC] + wait : 0;
	epoch_update(s);
	return 0;
}

/* Lines also where the user did not ask for JSON, but for a terminal. */
static void render_choose(struct stream *s, const struct records_opts *o)
{
	env_render(s->env, &s->render);
	s->render.headings = !o->noheadings;
	if (s->render.ops == &render_plain)
		s->render.ops = s->env->report->out->tty ? &render_rows : &render_ndjson;
	render_begin(&s->render);
	render_section(&s->render, &events_schema, &s->view);
	out_flush(s->env->report->out);
}

static int stream_run(struct stream *s, const struct records_opts *o, struct err *e)
{
	STOP stop = { .fd = -1 };
	int err = stop_begin(&stop);

	if (err)
		return err_sys(e, err, "cannot wait");
	render_choose(s, o);
	loop(s, &stop);
	report_render_end(s->env->report, &s->render);
	lost_say(s);
	return 0;
}

static int events_run(struct env *env, const void *opts, struct err *e)
{
	const struct events_opts *o = opts;
	struct stream s = { .env = env, .self = (uint32_t)getpid(), .count = o->count };
	int err;

	if (o->records.list_columns)
		return columns_print(env, &events_schema, NULL, e);
	err = stream_begin(&s, o, e);
	if (!err)
		err = stream_run(&s, &o->records, e);
	programs_release(&s.programs);
	tasks_release(&s.tasks);
	sideband_close(&s.sideband);
	return err;
}

const struct command command_events = {
	.name = "events",
	.summary = "what happens to BPF objects, as it happens",
	.help = "A line for each program that is loaded or unloaded, until it is interrupted: when, which, and who did it. On a terminal a table; "
		"elsewhere, and with --ndjson, an object of JSON a line. Nothing is loaded for it: the kernel announces programs to who has "
		"perf events on all CPUs. It does not announce maps and links.\n"
		"A program may be gone when its announcement is read. Then its type is not known: null, in text a question mark. When a "
		"program is unloaded, the process is the one that closed the last descriptor, or a thread of the kernel that does so later.",
	.schema = &events_schema,
	.example = "events -Q 'type == xdp || type == sched_cls' --seconds 2",
	ARGS(events_args),
	.opts_size = sizeof(struct events_opts),
	.flags = CMD_WRITE | CMD_STREAM,
	.run = events_run,
};
