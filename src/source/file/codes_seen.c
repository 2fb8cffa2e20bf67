/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/file/codes_seen.h"

#include <linux/perf_event.h>

#include "kernel/perf/data.h"

bool codes_seen_takes(const struct sideband_record *r)
{
	return (r->kind == SIDEBAND_KSYMBOL && !perf_data_is_hold(r)) || r->kind == SIDEBAND_PROG;
}

void codes_seen_add(struct codes_seen *s, const struct sideband_record *r)
{
	struct code_seen seen = { .time = r->time, .tid = r->tid };

	if (!codes_seen_takes(r))
		return;
	if (r->kind == SIDEBAND_KSYMBOL) {
		seen.what = str_starts(r->ksymbol.name, "bpf_prog_") ? SEEN_FUNC : SEEN_CODE;
		seen.addr = r->ksymbol.addr;
		seen.len = r->ksymbol.len;
		seen.gone = r->ksymbol.gone;
	} else {
		seen.what = SEEN_PROG;
		seen.prog = r->prog.id;
		seen.gone = r->prog.event == PERF_BPF_EVENT_PROG_UNLOAD;
	}
	ARRAY_MORE(s->v, s->n, s->cap);
	s->v[s->n++] = seen;
}

static int by_seen_time(const void *pa, const void *pb)
{
	const struct code_seen *a = *(struct code_seen *const *)pa, *b = *(struct code_seen *const *)pb;

	return NUM_CMP(a->time, b->time) ?: NUM_CMP(a, b);
}

/* What goes is what came there last. After that, it is of no program that is announced later. */
static void func_settle(struct hash *came, struct code_seen *c)
{
	void **last = hash_put(came, c->addr);

	if (c->gone && *last) {
		c->load = *last;
		c->load->ended = true;
		c->prog = c->load->prog;
	}
	*last = c->gone ? NULL : c;
}

/* @c: of a program, @func: its functions, the last first. */
static void prog_settle(struct code_seen *c, struct code_seen *func)
{
	const bool named = c->prog;

	for (struct code_seen *f = func; f && !c->prog; f = f->before)
		c->prog = f->prog;
	for (struct code_seen *f = func; f; f = f->before) {
		if (!f->ended && (named || !f->prog))
			f->prog = c->prog;
		if (f->load && !f->load->prog)
			f->load->prog = f->prog;
	}
}

void codes_seen_settle(struct codes_seen *s, struct arena *a)
{
	struct hash by_thread, came;

	ARENA_SCOPE(a);
	hash_init(&by_thread, a);
	hash_init(&came, a);
	s->by_time = array_resize(s->by_time, s->n, sizeof(struct code_seen *));
	for (size_t i = 0; i < s->n; i++)
		s->by_time[i] = &s->v[i];
	if (s->n)
		qsort(s->by_time, s->n, sizeof(struct code_seen *), by_seen_time);
	for (size_t i = 0; i < s->n; i++) {
		struct code_seen *c = s->by_time[i];
		void **last = c->what == SEEN_CODE ? NULL : hash_put(&by_thread, (uint64_t)c->tid << 1 | c->gone);

		if (!last)
			continue;
		if (c->what == SEEN_FUNC) {
			func_settle(&came, c);
			c->before = *last;
			*last = c;
			continue;
		}
		prog_settle(c, *last);
		*last = NULL;
	}
}

void codes_seen_release(struct codes_seen *s)
{
	free(s->v);
	free(s->by_time);
	*s = (struct codes_seen){ 0 };
}
