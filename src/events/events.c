/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/events.h"

#include <fcntl.h>

#include "cli/columns.h"
#include "cli/kind.h"
#include "cli/select.h"
#include "cli/command.h"
#include "cli/records.h"
#include "events/replay.h"
#include "events/stream.h"
#include "host/pace.h"
#include "host/proc.h"
#include "host/spawn.h"
#include "host/stop.h"
#include "kernel/clock.h"
#include "map/map.h"
#include "record/field.h"

#define CALL_COLUMNS "time,pid,comm,duration,result,errno,event,attr"
#define MAP_COLUMNS "time,pid,comm,result,errno,event,count,key,value"

struct events_opts {
	uint64_t count;
	const char *seconds;
	bool syscalls;
	struct object_ref map;
	uint32_t pid;
	struct records_opts records;
	struct arg_list command;
};
static const struct arg events_args[] = {
	ARG("--syscalls", ARG_FLAG, struct events_opts, syscalls,
	    "each call of bpf(2) with its attributes and its result"),
	ARG("--map", ARG_OBJECT, struct events_opts, map,
	    "with --syscalls: only calls on this map, with the key and the value of the element", .metavar = "MAP",
	    .kind = &kind_map),
	ARG("--pid", ARG_U32, struct events_opts, pid,
	    "only events of this process and of processes that it creates from now on", .metavar = "N",
	    .flags = ARG_NONZERO),
	ARG("--count", ARG_U64, struct events_opts, count, "end after N events", .metavar = "N", .flags = ARG_NONZERO),
	ARG("--seconds", ARG_STR, struct events_opts, seconds, "end after N seconds", .metavar = "N"),
	RECORDS_STREAM_ARGS(struct events_opts, records),
	RECORDS_SINCE(struct events_opts, records),
	ARG("COMMAND", ARG_REST, struct events_opts, command,
	    "run this command, show only its events and those of processes that it creates, and end with its exit status",
	    .flags = ARG_POSITIONAL | ARG_LITERAL, .rejects = "--pid"),
};

/* What ends the stream, in addition to --count and a signal. */
struct limits {
	uint64_t end; /* CLOCK_MONOTONIC; 0: never */
	bool runs;    /* a command was started */
	struct spawned command;
	int pidfd; /* of the command; -1: none */
};

/* Milliseconds until the end; -1: no limit. */
static int left(const struct limits *l)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!l->end)
		return -1;
	return now >= l->end ? 0 : (int)((l->end - now) / NSEC_PER_MSEC) + 1;
}

/* A signal, or nobody reads any more. A command that got the signal has events until it has ended. */
static bool is_stopped(struct limits *l, struct stop *stop)
{
	stop_take(stop);
	if (!l->runs || !stop->signal)
		return true;
	spawn_stop(&l->command, stop);
	l->end = l->end && l->end < l->command.due ? l->end : l->command.due;
	return false;
}

static void loop(struct stream *s, struct limits *l, struct stop *stop)
{
	bool more = false;

	while (!stream_done(s) && left(l)) {
		if (stop_wait(stop, s->fd, more ? 0 : left(l)) && is_stopped(l, stop))
			break;
		more = stream_read(s);
		if (l->runs && spawn_has_ended(&l->command))
			break;
	}
	/* Events before the end are printed. */
	stream_read(s);
}

/* Only events are written to standard output: the command's standard output is redirected to standard error. */
static int command_start(struct limits *l, const struct arg_list *words, const struct stop *stop, struct err *e)
{
	CLEAN_FD ours = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	int err;

	if (ours < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return err_sys(e, -errno, "cannot run '%s'", words->word[0]);
	err = spawn(&l->command, words->word, words->n, &stop->before, e);
	l->runs = !err;
	if (dup2(ours, STDOUT_FILENO) < 0 && !err)
		err = err_sys(e, -errno, "cannot write to standard output");
	return err;
}

static int limits_begin(struct limits *l, struct stream *s, const struct events_opts *o, const struct stop *stop,
			struct err *e)
{
	uint64_t wait = 0;
	int err = o->seconds ? pace_parse(o->seconds, &wait, e) : 0;

	if (err)
		return err;
	l->end = wait ? clock_ns(CLOCK_MONOTONIC) + wait : 0;
	if (o->pid)
		followed_add(&s->followed, o->pid);
	if (!o->command.n)
		return 0;
	/* The command is the only child from now on, and calls of this process itself are never printed. */
	followed_add(&s->followed, s->self);
	err = command_start(l, &o->command, stop, e);
	if (err)
		return err;
	l->pidfd = proc_pidfd(l->command.pid);
	err = l->pidfd < 0 ? l->pidfd : stream_wake(s, l->pidfd);
	return err ? err_sys(e, err, "cannot wait for '%s'", o->command.word[0]) : 0;
}

/* The command does not outlive the stream. */
static void limits_end(struct limits *l)
{
	spawn_end(&l->command);
	clean_fd(&l->pidfd);
}

/* JSON lines are the default if standard output is not a terminal. */
static int render_choose(struct stream *s, const struct events_opts *opts, struct err *e)
{
	const struct records_opts *o = &opts->records;
	const char *columns = o->columns;
	int err;

	env_render(s->env, &s->render);
	s->render.headings = !o->noheadings;
	if (s->render.ops == &render_plain)
		s->render.ops = s->env->report->out->tty ? &render_rows : &render_ndjson;
	if (!columns && s->syscalls && s->render.ops == &render_rows)
		columns = opts->map.by || machine_is_saved(s->env->machine) ? MAP_COLUMNS : CALL_COLUMNS;
	err = records_view(s->env, &s->view, &events_schema, o, columns, NULL, e);
	s->view.nusual = o->columns ? s->view.nusual : s->view.ncols;
	return err;
}

static void render_start(struct stream *s)
{
	render_begin(&s->render);
	render_section(&s->render, &events_schema, &s->view);
	out_flush(s->env->report->out);
}

static int map_select(struct stream *s, const struct events_opts *o, uint32_t *ret, struct err *e)
{
	return o->syscalls ? select_one(s->env, &kind_map, &o->map, ret, e) :
			     err_usage(e, "--map shows calls, and needs --syscalls");
}

/* The map of --map, whose sizes and types are read before it can go. */
static int map_begin(struct stream *s, const struct events_opts *o, struct map_decode *ret, struct err *e)
{
	struct err why = { 0 };
	uint32_t id;
	int err;

	if (!o->map.by)
		return 0;
	err = map_select(s, o, &id, e);
	if (!err)
		err = map_decode_init(s->env, id, ret, e);
	if (err)
		return err;
	if (ret->key_size > CALLS_KEY || ret->value_bytes > CALLS_VALUE) {
		err_set(&why, -E2BIG, "map %u: keys of more than %u and values of more than %u bytes are not copied",
			id, CALLS_KEY, CALLS_VALUE);
		report_unread(s->env->report, &why);
	}
	s->map = ret;
	return 0;
}

static int stream_run(struct stream *s, const struct events_opts *o, struct err *e)
{
	struct limits l = { .pidfd = -1 };
	STOP stop = { .fd = -1 };
	struct map_decode map;
	int err = map_begin(s, o, &map, e);

	if (!err)
		err = render_choose(s, o, e);
	if (!err)
		err = stream_open(s, e);
	if (err)
		return err;
	err = stop_begin(&stop);
	if (err)
		return err_sys(e, err, "cannot wait");
	stop.output = STDOUT_FILENO;
	err = limits_begin(&l, s, o, &stop, e);
	if (!err) {
		if (!o->command.n)
			env_waits(s->env, "waiting for events");
		render_start(s);
		loop(s, &l, &stop);
		report_render_end(s->env->report, &s->render);
		stream_end(s);
	}
	limits_end(&l);
	s->env->report->status = l.command.status;
	return err;
}

/* A recording has the programs. */
static int replay_run(struct stream *s, const struct events_opts *o, struct err *e)
{
	uint32_t map = 0;
	int err = 0;

	if (o->pid || o->seconds || o->command.n)
		return err_usage(e, "--pid, --seconds and a command are for the running kernel, not --from");
	if (s->env->opts->at && !s->env->opts->chosen)
		return err_usage(e, "events are of a whole recording: select them by --since, not --at");
	if (o->map.by)
		err = map_select(s, o, &map, e);
	if (!err)
		err = render_choose(s, o, e);
	if (err)
		return err;
	followed_init(&s->followed, s->env->keep);
	s->self = UINT32_MAX;
	render_start(s);
	err = o->syscalls ? replay_print_calls(s, map, e) : replay_print(s, e);
	report_render_end(s->env->report, &s->render);
	return err;
}

static int events_run(struct env *env, const void *opts, struct err *e)
{
	const struct events_opts *o = opts;
	struct stream s = {
		.env = env, .fd = -1, .syscalls = o->syscalls, .self = (uint32_t)getpid(), .count = o->count
	};
	int err;

	if (o->records.list_columns)
		return columns_print(env, &events_schema, NULL, e);
	if (machine_is_saved(env->machine))
		return replay_run(&s, o, e);
	if (o->records.since) {
		err_usage(e, "--since: the kernel does not keep events");
		return err_hint(e, "`record` keeps them in a file, for --from FILE events --since TIME");
	}
	err = stream_run(&s, o, e);
	stream_close(&s);
	return err;
}

const struct command command_events = {
	.name = "events",
	.summary = "print events of BPF objects as they happen",
	.help = "Prints a line for each program that is loaded or unloaded, each map, link and BTF object that is created, and each attachment "
		"that is changed, with the time, the object and the process, until it is interrupted. The output is a table on a terminal; "
		"elsewhere, and with --ndjson, it is a JSON object per line.\n"
		"The kernel reports programs through perf events on all CPUs. The rest is read from the calls of bpf(2) by a BPF program; with "
		"--no-load it is missing. The end of maps and links is never shown, because it is not a call. While that BPF program is attached, "
		"each system call on the machine takes up to 0.4 microseconds longer.\n"
		"With --from, the events are the loads and unloads of programs in a recording, with --syscalls the calls on a map in it (record --map).",
	.schema = &events_schema,
	.example = "events -Q 'type == xdp || type == sched_cls' --seconds 2",
	ARGS(events_args, struct events_opts),
	.flags = CMD_READ | CMD_STREAM,
	.run = events_run,
};
