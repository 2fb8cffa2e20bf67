/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/codes_seen.h"

#include <linux/perf_event.h>

#include "kernel/perf/sideband.h"

#define OF_PROG UINT64_MAX

void codes_seen_add(struct codes_seen *s, const struct sideband_record *r)
{
	const bool code = r->kind == SIDEBAND_KSYMBOL, prog = r->kind == SIDEBAND_PROG;
	struct code_seen seen = { .time = r->time, .tid = r->tid };

	if (!r->time || (!code && !prog))
		return;
	seen.addr = code ? r->ksymbol.addr : OF_PROG;
	seen.prog = prog ? r->prog.id : 0;
	seen.gone = code ? r->ksymbol.gone : r->prog.event == PERF_BPF_EVENT_PROG_UNLOAD;
	seen.func = code && str_starts(r->ksymbol.name, "bpf_prog_");
	ARRAY_MORE(s->v, s->n, s->cap);
	s->v[s->n++] = seen;
}

static int by_time(const void *pa, const void *pb)
{
	const struct code_seen *a = pa, *b = pb;

	return NUM_CMP(a->time, b->time) ?: NUM_CMP(a->addr, b->addr) ?: NUM_CMP(a->gone, b->gone);
}

void codes_seen_settle(struct codes_seen *s, struct arena *a)
{
	ARENA_SCOPE(a);
	struct hash by_thread;
	void **last;

	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_time);
	hash_init(&by_thread, a);
	for (struct code_seen *c = s->v; c < s->v + s->n; c++) {
		if (c->addr != OF_PROG && !c->func)
			continue;
		last = hash_put(&by_thread, (uint64_t)c->tid << 1 | c->gone);
		if (c->func) {
			c->before = *last;
			*last = c;
			continue;
		}
		for (struct code_seen *f = *last; f; f = f->before)
			f->prog = c->prog;
		*last = NULL;
	}
}

const struct code_seen *codes_seen_find(const struct codes_seen *s, const struct sideband_record *r)
{
	const struct code_seen key = { .time = r->time, .addr = r->ksymbol.addr, .gone = r->ksymbol.gone };

	return s->n ? bsearch(&key, s->v, s->n, sizeof(key), by_time) : NULL;
}

void codes_seen_release(struct codes_seen *s)
{
	free(s->v);
	*s = (struct codes_seen){ 0 };
}
