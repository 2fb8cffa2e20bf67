/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/listen.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "base/message.h"
#include "base/wait.h"
#include "cli/env.h"
#include "host/caps.h"
#include "host/http/http.h"
#include "host/http/listen.h"
#include "host/stop.h"
#include "kernel/bpf.h"
#include "kernel/clock.h"
#include "own/own.h"
#include "own/runs/prog_stats.h"
#include "source/live/known.h"
#include "source/live/source.h"
#include "source/machine.h"
#include "source/source.h"

#define READING_MS 60000 /* of a reading, which is then killed */
#define UNREAD "the metrics could not be read"

/* In the order of preference where several are equal. */
static const enum metrics_format formats[] = { FORMAT_PROMETHEUS, FORMAT_OPENMETRICS };
#define FORMATS ARRAY_SIZE(formats)
static const struct http_page page = {
	.path = "/metrics",
	.index = "<a href=\"/metrics\">metrics of BPF objects</a>\n",
	.type = { "text/plain; version=0.0.4; charset=utf-8",
		  "application/openmetrics-text; version=1.0.0; charset=utf-8" },
	.n = FORMATS,
};

/* A process that makes the metrics: what it reads, and the memory that it takes, end with it. */
struct metrics_reading {
	pid_t pid;		/* 0: none */
	int done;		/* the end of a pipe that is closed with the process */
	int text[HTTP_FORMATS]; /* as page.type */
	unsigned asked;		/* bits of those that it writes */
	uint64_t due;		/* ns, CLOCK_MONOTONIC */
};

struct server {
	const struct listener *l;
	struct http *http;
	int events; /* epoll: the server's, and the end of the reading */
	struct metrics_reading reading;
	struct known *known; /* what readings have found; NULL: nothing */
	int stats;	     /* own/runs/prog_stats.h; -errno: programs are asked one by one */
	int counting;	     /* while it is open, the kernel counts runs; -errno: it does not */
	bool failed;	     /* the last reading */
};

/* Its exit status if the first file has a message in place of metrics. */
#define READING_REFUSED 3

static int text_write(int fd, enum metrics_format format, const struct series_set set[SETS])
{
	struct out o;

	out_init(&o, fd);
	metrics_text(&o, set, format);
	return out_close(&o, NULL);
}

static int message_write(int fd, struct err *e)
{
	struct out o;

	caps_explain(e);
	out_init(&o, fd);
	out_fmt(&o, "%s [%s]\n", e->msg, err_name(e->code));
	if (e->hint[0])
		out_fmt(&o, "hint: %s\n", e->hint);
	return out_close(&o, NULL);
}

static _Noreturn void reading_run(struct server *s, pid_t parent)
{
	struct machine *m = s->l->env->machine;
	struct series_set set[SETS];
	STR stats = { 0 };
	struct err e = { 0 };
	int err;

	http_forget(s->http);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	s->l->env->report->progress = NULL;
	if (s->known && s->stats >= 0)
		prog_stats_read(s->stats, &stats);
	if (s->known)
		m->src = source_known(m->src, s->known, (const void *)stats.p, stats.n / sizeof(struct prog_stats));
	err = s->l->read(s->l->env, s->l->opts, s->counting >= 0, set, &e);
	if (err)
		_exit(message_write(s->reading.text[0], &e) ? EXIT_FAILED : READING_REFUSED);
	for (unsigned i = 0; i < FORMATS && !err; i++)
		if (s->reading.asked >> i & 1)
			err = text_write(s->reading.text[i], formats[i], set);
	_exit(err ? EXIT_FAILED : EXIT_OK);
}

static void reading_close(struct metrics_reading *r)
{
	clean_fd(&r->done);
	for (unsigned i = 0; i < FORMATS; i++)
		clean_fd(&r->text[i]);
	*r = (struct metrics_reading){ .done = -1, .text = { -1, -1 } };
}

static int reading_begin(struct server *s)
{
	struct metrics_reading *r = &s->reading;
	const pid_t parent = getpid();
	struct epoll_event ended = { .events = EPOLLIN };
	int ends[2], err = 0;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	r->done = ends[0];
	for (unsigned i = 0; i < FORMATS; i++) {
		r->text[i] = memfd_create("bpflens.metrics", MFD_CLOEXEC);
		err = r->text[i] < 0 ? -errno : err;
	}
	if (!err && epoll_ctl(s->events, EPOLL_CTL_ADD, r->done, &ended))
		err = -errno;
	r->asked = http_waiting(s->http);
	r->pid = err ? 0 : fork();
	if (r->pid < 0)
		err = -errno;
	if (!err && !r->pid)
		reading_run(s, parent);
	close(ends[1]);
	if (err) {
		reading_close(r);
		return err;
	}
	setpgid(r->pid, r->pid);
	r->due = clock_ns(CLOCK_MONOTONIC) + READING_MS * NSEC_PER_MSEC;
	return 0;
}

static void reading_kill(const struct metrics_reading *r)
{
	if (kill(-r->pid, SIGKILL))
		kill(r->pid, SIGKILL);
}

/*
 * Iterators of ours stay loaded, and so do the facts of the kernel's BTF in them: a reading has a copy of this source.
 * Without privilege none is loaded, and a reading says what it lacks.
 */
static void iterators_keep(struct server *s)
{
	struct machine *m = s->l->env->machine;
	static const enum question by_iterator[] = { Q_NETNS_LIST, Q_TASK_FDS, Q_SOCKET_FILTERS, Q_LINK_NETNS };
	ARENA a = arena_new();
	struct blob unused;

	s->stats = prog_stats_open(source_live_own(m->src));
	source_live_own(m->src)->keep = true;
	/* A reading asks again, and reports a refusal. */
	for (size_t i = 0; i < ARRAY_SIZE(by_iterator); i++)
		if (machine_ask_silently(m, a, &unused, &(struct asked){ .q = by_iterator[i] }))
			continue;
	source_idle(m->src);
}

/* Everybody who waits gets @text; the first of several failures is also on standard error. */
static void answer_refusal(struct server *s, const char *text)
{
	if (!s->failed)
		message("bpflens: %.*s", (int)strcspn(text, "\n"), text);
	s->failed = true;
	http_refuse(s->http, text);
}

static void answer(struct server *s)
{
	int file[HTTP_FORMATS];

	for (unsigned i = 0; i < FORMATS; i++)
		file[i] = s->reading.asked >> i & 1 ? TAKE_FD(s->reading.text[i]) : -1;
	http_answer(s->http, file);
	s->failed = false;
}

static void reading_end(struct server *s)
{
	struct metrics_reading *r = &s->reading;
	const int status = wait_child(r->pid, WAIT_END), exit = status < 0 ? EXIT_FAILED : wait_exit(status);
	char text[2048] = UNREAD "\n";
	ssize_t n;

	r->pid = 0;
	if (!exit) {
		known_end(s->known);
		answer(s);
	} else {
		n = exit == READING_REFUSED ? pread(r->text[0], text, sizeof(text) - 1, 0) : 0;
		if (n > 0)
			text[n] = '\0';
		answer_refusal(s, text);
	}
	reading_close(r);
}

static bool reading_has_ended(struct metrics_reading *r)
{
	struct pollfd p = { r->done, POLLIN, 0 };
	const bool overdue = clock_ns(CLOCK_MONOTONIC) >= r->due;

	if (overdue)
		reading_kill(r);
	return overdue || poll(&p, 1, 0) > 0;
}

static int wait_ms(const struct server *s)
{
	const int ms = http_timeout(s->http);

	return s->reading.pid && (ms < 0 || ms > 1000) ? 1000 : ms;
}

static void serve(struct server *s, struct stop *stop)
{
	int err = 0;

	while (!stop_wait(stop, s->events, wait_ms(s))) {
		http_run(s->http);
		if (s->reading.pid && reading_has_ended(&s->reading))
			reading_end(s);
		if (!s->reading.pid && http_waiting(s->http))
			err = reading_begin(s);
		if (err)
			answer_refusal(s, UNREAD ": no process can be started\n");
		err = 0;
	}
	if (s->reading.pid) {
		reading_kill(&s->reading);
		wait_child(s->reading.pid, WAIT_END);
	}
}

static void counting_note(int err)
{
	message("note: runs are counted only while kernel.bpf_stats_enabled is set: %s", err_text(err));
}

static int server_open(struct server *s, struct listen_address *at, struct err *e)
{
	struct epoll_event asked = { .events = EPOLLIN };
	int fd = listen_open(at, e), err;

	if (fd < 0)
		return fd;
	err = http_open(&s->http, fd, &page, e);
	if (err)
		return err;
	s->events = epoll_create1(EPOLL_CLOEXEC);
	if (s->events < 0 || epoll_ctl(s->events, EPOLL_CTL_ADD, http_fd(s->http), &asked))
		return err_sys(e, -errno, "cannot listen on %s", at->text);
	err = caps_keep_reading(!s->l->env->opts->no_load);
	return err ? err_sys(e, err, "cannot give up capabilities") : 0;
}

int metrics_listen(const struct listener *l, struct err *e)
{
	struct server s = {
		.l = l, .events = -1, .stats = -1, .counting = -1, .reading = { .done = -1, .text = { -1, -1 } }
	};
	struct listen_address at;
	STOP stop = { .fd = -1 };
	int err = listen_parse(l->address, &at, e);

	if (!err)
		s.counting = sys_stats_enable();
	if (!err)
		err = server_open(&s, &at, e);
	if (!err && stop_begin(&stop))
		err = err_sys(e, -errno, "cannot wait for signals");
	if (!err) {
		if (s.counting < 0)
			counting_note(s.counting);
		if (!l->env->opts->no_load)
			iterators_keep(&s);
		s.known = known_new();
		env_waits(l->env, "serving %s on %s", page.path, at.text);
		serve(&s, &stop);
	}
	reading_close(&s.reading);
	http_close(&s.http);
	known_free(&s.known);
	clean_fd(&s.events);
	clean_fd(&s.stats);
	clean_fd(&s.counting);
	return err;
}
