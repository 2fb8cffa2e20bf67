/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/message.h"
#include "kernel/clock.h"
#include "source/source.h"

bool blob_is_lines(const struct blob *b)
{
	return !b->n || (b->p[b->n - 1] == '\n' && !memchr(b->p, '\0', b->n));
}

int source_hint(struct err *e)
{
	if (e->code == -ECANCELED)
		return err_hint(e,
				"a BPF program must be loaded to read it: omit --no-load, and unset BPFLENS_NO_LOAD");
	if (e->code == -ETIME)
		return err_hint(
			e,
			"a BPF program must be loaded to read it, and loading hangs in this kernel: see /proc/PID/stack");
	return e->code;
}

static void trace(const struct source *s, const struct asked *q, int err, const struct blob *b, uint64_t ns)
{
	STR name = { 0 };
	STR answer = { 0 };

	if (question_key(q, &name)) /* too long */
		str_puts(&name, questions[q->q].pattern);
	if (err)
		str_puts(&answer, err_name(err));
	else
		str_fmt(&answer, "%zu byte%s", b->n, plural(b->n));
	/* In one write(2), so that lines of several processes do not mix. */
	message("trace: %s: %s: %s, %llu us", s->traced, name.p, answer.p, llu(ns / NSEC_PER_USEC));
}

int source_ask(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	const uint64_t from = s->traced ? clock_ns(CLOCK_MONOTONIC) : 0;
	int err = s->ops->get(s, q, a, ret);

	if (s->traced)
		trace(s, q, err, ret, clock_ns(CLOCK_MONOTONIC) - from);
	return err;
}

void source_idle(struct source *s)
{
	if (s->ops->idle)
		s->ops->idle(s);
}

void source_hold(struct source *s, enum object_kind kind, uint32_t id, int fd, const char *path)
{
	if (s->ops->hold)
		s->ops->hold(s, kind, id, fd, path);
}

int source_open(struct source *s, enum object_kind kind, uint32_t id, bool write)
{
	return s->ops->open ? s->ops->open(s, kind, id, write) : -EOPNOTSUPP;
}

void source_expect(struct source *s, const struct expected *x)
{
	if (s->ops->expect)
		s->ops->expect(s, x);
}

void source_close(struct source **s)
{
	if (*s)
		(*s)->ops->close(*s);
	*s = NULL;
}
