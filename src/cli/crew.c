/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/crew.h"

#include <sched.h>

#include "base/wait.h"
#include "render/render.h"
#include "render/report.h"

#define CREW_MAX 64u

struct worker {
	int from;
	pid_t pid;
}; /* from -1: no worker */
struct team {
	const struct crew *c;
	unsigned n;
	struct worker w[CREW_MAX];
};
/* What the pipe has for each job, before its text and the lines about refused questions. */
struct head {
	size_t text, refused, unknown;
	int err;
	struct report report; /* its pointers are only valid in the worker */
};

static unsigned cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

static bool channel_write(int fd, const void *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		p = (const char *)p + done;
		n -= (size_t)done;
	}
	return true;
}

static bool channel_read(int fd, void *p, size_t n)
{
	while (n) {
		ssize_t done = read(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		p = (char *)p + done;
		n -= (size_t)done;
	}
	return true;
}

static _Noreturn void work(const struct team *t, size_t first, int to)
{
	struct render *r = t->c->r;

	arena_last = (struct arena_last){ 0 };
	for (size_t i = first; i < t->c->n; i += t->n) {
		struct report report = { 0 };
		struct head h;

		render_apart(r);
		h.err = t->c->work(t->c->ctx, i, &report);
		h.report = report;
		h.text = r->out->n;
		h.refused = report.refused.n;
		h.unknown = r->unknown;
		if (!channel_write(to, &h, sizeof(h)) || !channel_write(to, r->out->buf, h.text) ||
		    !channel_write(to, report.refused.p, h.refused))
			_exit(0);
		report_release(&report);
	}
	_exit(0);
}

/* Start worker @k; if pipe() or fork() fails, w[k].from is -1. */
static void start(struct team *t, unsigned k, size_t first)
{
	int fds[2];
	pid_t pid;

	t->w[k].from = -1;
	if (pipe(fds))
		return;
	pid = fork();
	if (!pid) {
		close(fds[0]);
		/* Close the other workers' pipes: a worker must get an error when its only reader is gone. */
		for (unsigned other = 0; other < t->n; other++)
			if (t->w[other].from >= 0)
				close(t->w[other].from);
		work(t, first, fds[1]);
	}
	close(fds[1]);
	if (pid < 0)
		close(fds[0]);
	else
		t->w[k] = (struct worker){ fds[0], pid };
}

static void end(struct worker *w)
{
	if (w->from < 0)
		return;
	close(w->from);
	wait_child(w->pid, WAIT_END);
	w->from = -1;
}

/* False: the worker has ended. */
static bool receive(const struct crew *c, int from, size_t i)
{
	struct str refused = { 0 };
	STR text = { 0 };
	struct head h;

	if (!channel_read(from, &h, sizeof(h)))
		return false;
	str_reserve(&text, h.text);
	str_reserve(&refused, h.refused);
	if (!channel_read(from, text.p, h.text) || !channel_read(from, refused.p, h.refused)) {
		str_release(&refused);
		return false;
	}
	refused.n = h.refused;
	refused.p[refused.n] = '\0';
	h.report.refused = refused;
	c->r->unknown += h.unknown;
	render_join(c->r, text.p, h.text);
	c->take(c->ctx, i, h.err, &h.report);
	return true;
}

static void here(const struct crew *c, size_t i)
{
	struct report report = { 0 };
	int err = c->work(c->ctx, i, &report);

	c->take(c->ctx, i, err, &report);
}

static void next(struct team *t, size_t i)
{
	const unsigned k = (unsigned)(i % t->n);
	struct report none = { 0 };

	if (t->w[k].from < 0) {
		here(t->c, i);
	} else if (!receive(t->c, t->w[k].from, i)) {
		end(&t->w[k]);
		t->c->take(t->c->ctx, i, -ECHILD, &none);
		start(t, k, i + t->n);
	}
}

void crew_run(const struct crew *c)
{
	struct team t = { .c = c, .n = c->alone || !render_joins(c->r) ? 1 : cpus() };

	t.n = t.n < CREW_MAX ? t.n : CREW_MAX;
	t.n = t.n < c->n ? t.n : (unsigned)c->n;
	for (unsigned k = 0; k < t.n; k++)
		t.w[k].from = -1;
	for (unsigned k = 0; t.n > 1 && k < t.n; k++)
		start(&t, k, k);
	for (size_t i = 0; i < c->n && !out_dead(c->r->out); i++)
		next(&t, i);
	for (unsigned k = 0; k < t.n; k++)
		end(&t.w[k]);
}
