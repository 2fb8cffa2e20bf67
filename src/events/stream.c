/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/stream.h"

#include <sys/epoll.h>

#include "base/when.h"
#include "cli/env.h"
#include "events/attr.h"
#include "events/bpf_cmd.h"
#include "events/events.h"
#include "events/record.h"
#include "host/caps.h"
#include "host/pace.h"
#include "kernel/abi.h"
#include "kernel/clock.h"
#include "kernel/perf/sideband.h"
#include "record/field.h"

#define RING_BYTES (1 << 20) /* per CPU: about 7000 loads */
#define STEP (10 * NSEC_PER_MSEC)

bool stream_done(const struct stream *s)
{
	return (s->count && s->nprinted >= s->count) || out_dead(s->env->report->out);
}

/* The two clocks are not read at the same moment: small differences are ignored, so that times do not go back. The
 * epoch changes only when the time of day is set. */
static uint64_t boottime(struct stream *s)
{
	const uint64_t boot = clock_ns(CLOCK_BOOTTIME), epoch = clock_ns(CLOCK_REALTIME) - boot;

	if (epoch - s->epoch + STEP > 2 * STEP)
		s->epoch = epoch;
	return boot;
}

/* @pid 0: no process. The process of an unload may be bpflens itself, after it asked for the type: it is unknown then.
 */
static void who_set(struct stream *s, uint32_t pid, const char *thread, struct event_rec *rec)
{
	bool somebody = pid && pid != UINT32_MAX && pid != s->self;

	rec->pid = pid;
	rec->has_pid = somebody ? AVAIL_YES : AVAIL_UNKNOWN;
	rec->comm = somebody && s->tasks.slot ? tasks_comm(&s->tasks, pid) : NULL;
	rec->comm = rec->comm ? rec->comm : thread;
	rec->has_comm = rec->comm ? AVAIL_YES : AVAIL_UNKNOWN;
}

void stream_print(struct stream *s, uint64_t time, struct event_rec *rec)
{
	const uint64_t at = s->epoch + time;
	char text[WHEN_TEXT];

	if (stream_done(s))
		return;
	when_print(text, at / NSEC_PER_SEC, (uint32_t)(at % NSEC_PER_SEC), 6, true);
	rec->time = text;
	rec->timestamp = time;
	if (!view_match(&s->view, &events_schema, rec))
		return;
	if (s->take)
		s->take(s->ctx, rec);
	else
		render_record(&s->render, rec);
	s->nprinted++;
}

static void lost_print(struct stream *s, uint64_t time, uint64_t count)
{
	struct event_rec rec = { .event = "lost", .count = count, .has_count = AVAIL_YES };

	stream_print(s, time, &rec);
}

/* Loads and unloads of programs are shown from the side-band, which misses none. */
void stream_print_call(struct stream *s, const struct calls_record *r)
{
	struct arena *a = s->env->arena;
	ARENA_SCOPE(a);
	char comm[sizeof(r->comm) + 1];
	struct event_rec rec;

	if (r->pid == s->self || !followed_has(&s->followed, r->pid) ||
	    !event_of_call(s->env, r, !s->syscalls, s->map, &rec))
		return;
	snprintf(comm, sizeof(comm), "%.*s", (int)sizeof(r->comm), r->comm);
	who_set(s, r->pid, comm, &rec);
	stream_print(s, s->syscalls ? r->begin : r->end, &rec);
}

static void calls_print(struct stream *s, uint64_t until)
{
	for (; s->next < s->ncalls && s->call[s->next]->end <= until; s->next++) {
		stream_print_call(s, s->call[s->next]);
		free(s->call[s->next]);
	}
}

/* Calls that have ended. The types of programs in them are known before the side-band reports the programs. */
static void calls_collect(struct stream *s)
{
	const struct calls_record *r;

	while (s->calls && (r = calls_next(s->calls))) {
		ARRAY_MORE(s->call, s->ncalls, s->cap);
		s->call[s->ncalls++] = calls_copy(r);
		if (s->saw)
			s->saw(s->ctx, r);
		if (!s->syscalls && r->cmd == ABI_PROG_LOAD && r->made.kind == OBJECT_PROG + 1)
			programs_learn(&s->programs, r->made.id, *(const uint32_t *)(const void *)r->attr, r->begin);
	}
	if (s->calls)
		calls_consume(s->calls);
}

/* An unload is shown if the load was, because it may be done by a kernel thread. */
static void program_print(struct stream *s, const struct sideband_record *r, struct event_rec *rec)
{
	if (!rec->load_printed && !followed_has(&s->followed, r->pid))
		return;
	/* The program was unloaded before its type was asked for: the call that loaded it has the type. */
	if (rec->has_type == AVAIL_UNKNOWN && s->calls) {
		calls_collect(s);
		programs_type(&s->programs, r->prog.id, rec);
	}
	programs_mark_printed(&s->programs, r->prog.id);
	who_set(s, r->pid, NULL, rec);
	stream_print(s, r->time, rec);
}

static void record_note(void *ctx, const struct sideband_record *r)
{
	struct stream *s = ctx;
	struct arena *a = s->env->arena;
	ARENA_SCOPE(a);
	struct event_rec rec;

	calls_print(s, r->time);
	tasks_note(&s->tasks, r);
	followed_note(&s->followed, r);
	if (r->kind == SIDEBAND_LOST)
		lost_print(s, r->time, r->lost.count);
	else if (!s->syscalls && programs_note(&s->programs, r, &rec) && !own_has(&s->own, OBJECT_PROG, r->prog.id))
		program_print(s, r, &rec);
}

bool stream_read(struct stream *s)
{
	const uint64_t until = boottime(s), lost = s->calls ? calls_lost(s->calls) : 0;
	bool more;

	calls_collect(s);
	more = sideband_read_until(s->sideband, until, record_note, s);
	calls_print(s, until);
	s->ncalls -= s->next;
	if (s->next && s->ncalls)
		memmove(s->call, s->call + s->next, s->ncalls * sizeof(*s->call));
	s->next = 0;
	more |= s->ncalls > 0;
	if (lost != s->calls_lost)
		lost_print(s, until, lost - s->calls_lost);
	s->calls_lost = lost;
	out_flush(s->env->report->out);
	return more;
}

int stream_wake(struct stream *s, int fd)
{
	struct epoll_event wanted = { .events = EPOLLIN };

	return epoll_ctl(s->fd, EPOLL_CTL_ADD, fd, &wanted) ? -errno : 0;
}

static int sideband_begin(struct stream *s, struct err *e)
{
	int err = sideband_open(&s->sideband, &(struct sideband_opts){ .ring = RING_BYTES, .tasks = true });

	if (!err)
		return 0;
	err_sys(e, err, "cannot receive the kernel's events of programs (perf_event_open)");
	return err == -EINVAL ? err_hint(e, "the kernel reports loads of programs since Linux 5.1") : err;
}

/* With syscalls, all. What is not read cannot fill the ring. */
static void commands_choose(const struct stream *s, struct calls_command *ret)
{
	attr_watch(ret);
	for (unsigned c = 0; c < CALLS_COMMANDS && !s->syscalls; c++)
		ret[c].skip =
			c != ABI_PROG_LOAD && !(s->see >> c & 1) && !(c < attr_ncommands && attr_commands[c].event);
}

void stream_see(struct stream *s, uint64_t commands)
{
	struct calls_command chosen[CALLS_COMMANDS];

	s->see = commands;
	commands_choose(s, chosen);
	if (s->calls)
		calls_choose(s->calls, chosen);
}

static int calls_begin(struct stream *s, struct err *e)
{
	struct calls_command commands[CALLS_COMMANDS];
	struct calls_map map;

	commands_choose(s, commands);
	if (s->map)
		attr_watch_map(s->map, &map);
	s->own = (struct own){ .never = s->env->opts->no_load, .debug = s->env->opts->debug };
	s->calls_why = calls_open(&s->calls, &s->own, commands, s->map ? &map : NULL);
	if (!s->calls_why || !s->syscalls)
		return 0;
	if (s->calls_why == -ECANCELED)
		return err_set(e, -ECANCELED, "--no-load forbids the BPF program that traces system calls");
	return err_set(e, s->calls_why, "cannot load the BPF program that traces system calls: %s",
		       caps_load_failure(s->calls_why));
}

int stream_open(struct stream *s, struct err *e)
{
	int err = 0;

	followed_init(&s->followed, s->env->keep);
	tasks_init(&s->tasks);
	boottime(s);
	s->fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->fd < 0)
		return err_sys(e, -errno, "cannot wait for events");
	/* Before the side-band, which would report the load of the program. */
	err = calls_begin(s, e);
	if (!err)
		err = sideband_begin(s, e);
	if (!err && !s->syscalls)
		err = programs_init(&s->programs, s->env, e);
	if (err)
		return err;
	err = stream_wake(s, sideband_fd(s->sideband));
	if (!err && s->calls)
		err = stream_wake(s, calls_fd(s->calls));
	return err ? err_sys(e, err, "cannot wait for events") : 0;
}

void stream_close(struct stream *s)
{
	programs_release(&s->programs);
	tasks_release(&s->tasks);
	sideband_close(&s->sideband);
	calls_close(&s->calls);
	own_release(&s->own);
	while (s->ncalls)
		free(s->call[--s->ncalls]);
	free(s->call);
	clean_fd(&s->fd);
}

void stream_note(const struct stream *s)
{
	struct report *r = s->env->report;

	if (s->calls_why == -ECANCELED)
		snprintf(r->note, sizeof(r->note),
			 "only programs were shown: --no-load forbids the BPF program that traces maps and links");
	else if (s->calls_why)
		snprintf(r->note, sizeof(r->note),
			 "only programs were shown: the BPF program that traces maps and links cannot be loaded: %s",
			 caps_load_failure(s->calls_why));
}

void stream_end(struct stream *s)
{
	struct sideband_count n = sideband_count(s->sideband);
	struct report *r = s->env->report;
	struct err why = { 0 };

	if (n.lost || n.bad)
		err_set(&why, -ENOBUFS, "the kernel lost %llu event%s, and %llu could not be decoded", llu(n.lost),
			plural(n.lost), llu(n.bad));
	else if (s->calls_lost)
		err_set(&why, -ENOBUFS, "the kernel lost %llu call%s", llu(s->calls_lost), plural(s->calls_lost));
	if (why.code)
		report_unread(r, &why);
	stream_note(s);
}
