/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/base.h"
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
