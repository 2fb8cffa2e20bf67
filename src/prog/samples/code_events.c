/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/code_events.h"

#include <linux/perf_event.h>

#include "cli/env.h"
#include "kernel/perf/data_write.h"
#include "prog/samples/code_at.h"
#include "prog/samples/code_holds.h"
#include "prog/samples/stacks.h"
#include "source/codes.h"
#include "source/facts.h"
#include "source/file/perf_time.h"
#include "source/info.h"
#include "source/lives.h"

#define KSYMBOL_BPF 1
#define KSYMBOL_OUT_OF_LINE 2 /* PERF_RECORD_KSYMBOL_TYPE_OOL, 5.9 */

/*
 * At one time, code is gone before other code is there, and a program is there after its functions. Between AWAY and
 * BACK, HOLD and FREE, are the samples of one moment.
 */
enum code_event_order { HOLD_FREE, CODE_BACK, CODE_GONE, PROG_GONE, CODE_THERE, PROG_THERE, CODE_AWAY, HOLD };
struct code_event {
	uint64_t time;
	enum code_event_order order;
	const struct code_place *place; /* NULL: a hold */
	struct code_hold hold;
};

static bool overlaps(const struct code_place *a, const struct code_place *b)
{
	return a->addr < b->addr + b->len && b->addr < a->addr + a->len;
}

/* Of two after one another at one place, by perf's clock, which may differ between CPUs. */
static void life_part(struct code_events *x, size_t a, size_t b)
{
	if (x->to[a] == UINT64_MAX)
		x->to[a] = x->from[b] ? x->from[b] - 1 : 0;
	else if (x->from[b] <= x->to[a])
		x->from[b] = x->to[a] < x->there[b] ? x->to[a] + 1 : x->there[b];
	if (x->from[b] && x->from[b] <= x->to[a])
		x->to[a] = x->from[b] - 1;
}

/*
 * What is at an address, in order: by the time when it went, or if that is unknown, when perf saw it come; what is
 * still there is last.
 */
struct stay {
	uint64_t page, when;
	size_t nr, place; /* nr: keeps the order of the index */
};
static int by_stay(const void *pa, const void *pb)
{
	const struct stay *a = pa, *b = pb;

	return NUM_CMP(a->page, b->page) ?: NUM_CMP(a->when, b->when) ?: NUM_CMP(a->nr, b->nr);
}

/*
 * A load begins before its code has an address, so another program may still be there then: the code appears after the
 * other is gone. What is there for an unknown time ends where the next begins.
 */
static void lives_part(struct code_events *x)
{
	const struct code_index *index = x->names->index;
	struct arena *a = x->names->env->arena;
	struct stay *stay;

	ARENA_SCOPE(a);
	stay = arena_array(a, index->npages, sizeof(*stay));
	for (size_t i = 0; i < index->npages; i++) {
		const size_t p = (size_t)(index->page[i].place - index->place);
		const struct life *life = facts_life(x->names->env->machine, index->place[p].prog);
		const bool gone = life && life->gone;

		stay[i] = (struct stay){ index->page[i].page, gone && x->to[p] == UINT64_MAX ? x->there[p] : x->to[p],
					 i, p };
	}
	if (index->npages)
		qsort(stay, index->npages, sizeof(*stay), by_stay);
	for (size_t i = 1; i < index->npages; i++)
		for (size_t k = i; k-- > 0 && stay[k].page == stay[i].page;) {
			const size_t one = stay[k].place, next = stay[i].place;

			if (one == next || !overlaps(&index->place[one], &index->place[next]))
				continue;
			life_part(x, one, next);
			break;
		}
}

static void code_event_add(struct code_events *x, uint64_t time, enum code_event_order order,
			   const struct code_place *place)
{
	ARRAY_MORE(x->event, x->n, x->cap);
	x->event[x->n++] = (struct code_event){ .time = time, .order = order, .place = place };
}

static void hold_add(struct code_events *x, uint64_t at, const struct code_hold *h)
{
	code_event_add(x, at, HOLD, NULL);
	x->event[x->n - 1].hold = *h;
	code_event_add(x, at + 1, HOLD_FREE, NULL);
	x->event[x->n - 1].hold = *h;
}

static int by_event_time(const void *pa, const void *pb)
{
	const struct code_event *a = pa, *b = pb;

	return NUM_CMP(a->time, b->time)	   ?:
		       NUM_CMP(a->order, b->order) ?:
		       NUM_CMP(a->place, b->place) ?:
						     NUM_CMP(a->hold.addr, b->hold.addr);
}

static bool same_program(const struct code_place *a, const struct code_place *b)
{
	return !a->code && !b->code && a->prog == b->prog;
}

/* A program is there when the last of its functions is. */
static void functions_join(struct code_events *x)
{
	const struct code_place *p = x->names->index->place;
	const size_t n = x->names->index->nplaces;

	for (size_t i = 1; i < n; i++)
		if (same_program(&p[i - 1], &p[i]) && x->from[i] < x->from[i - 1])
			x->from[i] = x->from[i - 1];
	for (size_t i = n; i-- > 1;)
		if (same_program(&p[i - 1], &p[i]))
			x->from[i - 1] = x->from[i];
}

static void events_add(struct code_events *x, uint64_t begin)
{
	const struct code_index *index = x->names->index;

	for (size_t i = 0; i < index->nplaces; i++) {
		const struct code_place *p = &index->place[i];
		const uint64_t from = x->from[i] <= begin ? 0 : x->from[i], to = x->to[i];
		const bool first = !p->code && !(i && same_program(p - 1, p));

		if (to < begin || from > to)
			continue;
		code_event_add(x, from, CODE_THERE, p);
		if (first)
			code_event_add(x, from, PROG_THERE, p);
		if (to == UINT64_MAX)
			continue;
		/* A sample at that moment is in it. */
		code_event_add(x, to + 1, CODE_GONE, p);
		if (first)
			code_event_add(x, to + 1, PROG_GONE, p);
	}
}

#define CLOCKS_NS \
	10000 /* the clocks of two listeners are read one after the other; no program is loaded in so short a time */
const struct code_place *code_seen_place(const struct code_index *index, const struct code_seen *c, uint64_t time)
{
	const struct code_place *p = code_index_func(index, c->prog, c->addr);

	if (!p && c->load)
		p = code_index_func(index, c->load->prog, c->addr);
	if (p)
		return p;
	p = code_at(index, c->addr, c->gone ? time - CLOCKS_NS : time);
	if (!p || p->addr != c->addr || (p->prog && c->prog && !code_index_has(index, c->prog)))
		return NULL;
	/* Other code may go from there while a program is loaded. */
	return !c->gone || p->to <= time + CLOCKS_NS ? p : NULL;
}

static void lives_see(struct code_events *x, const struct perf_time *clock)
{
	const struct codes_seen *seen = &clock->seen;
	struct arena *a = x->names->env->arena;
	struct hash last_gone; /* from each address, last */

	ARENA_SCOPE(a);
	hash_init(&last_gone, a);
	for (size_t k = 0; k < seen->n; k++) {
		const struct code_seen *c = seen->by_time[k];
		const bool dated = c->time && c->what != SEEN_PROG;
		const struct code_place *p =
			dated ? code_seen_place(x->names->index, c, perf_time_boot(clock, c->time)) : NULL;
		const struct code_seen *other = c->gone ? NULL : hash_get(&last_gone, c->addr);
		const size_t i = p ? (size_t)(p - x->names->index->place) : 0;

		if (dated && c->gone)
			*hash_put(&last_gone, c->addr) = (void *)c;
		if (!p)
			continue;
		if (!c->gone)
			x->there[i] = c->time;
		else if (c->prog)
			x->to[i] = c->time - 1;
		if (other && other->time > x->from[i])
			x->from[i] = c->time;
	}
}

bool code_events_have(const struct code_events *x, const struct code_seen *c)
{
	const struct code_index *index = x->names->index;
	const uint64_t time = perf_time_boot(x->clock, c->time ? c->time : x->begin);

	return c->what == SEEN_PROG ? code_index_has(index, c->prog) : code_seen_place(index, c, time) != NULL;
}

/* Code that only perf saw: its records are kept, and it cannot be announced again without its name. */
static size_t stays_seen(const struct code_events *x, struct code_stay *ret)
{
	struct hash open; /* what is at each address */
	size_t n = 0;

	hash_init(&open, x->names->env->arena);
	for (size_t i = 0; i < x->clock->seen.n; i++) {
		const struct code_seen *c = x->clock->seen.by_time[i];
		struct code_stay **last = c->what == SEEN_PROG || code_events_have(x, c) ?
						  NULL :
						  (struct code_stay **)hash_put(&open, c->addr);

		if (!last)
			continue;
		if (*last && (*last)->to == UINT64_MAX)
			(*last)->to = c->time - 1;
		if (c->gone || c->addr + c->len <= c->addr)
			continue;
		*last = &ret[n++];
		**last = (struct code_stay){ c->addr, c->time, UINT64_MAX, c->len, c->what == SEEN_FUNC, true };
	}
	return n;
}

static bool is_kept(const struct code_events *x, const struct code_place *p)
{
	return str_starts(stack_code_name(x->names, p), "bpf_prog_");
}

static int by_stay_addr(const void *pa, const void *pb)
{
	const struct code_stay *a = pa, *b = pb;

	return NUM_CMP(a->addr, b->addr);
}

/* As image_shorten() writes them: they end where other code begins while they are there. */
static void stays_shorten(struct code_stay *stay, size_t n)
{
	if (n)
		qsort(stay, n, sizeof(*stay), by_stay_addr);
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; stay[i].fixed && !stay[i].kept && k < n; k++) {
			const struct code_stay *o = &stay[k];

			if (o->addr - stay[i].addr >= stay[i].len)
				break;
			if (o->addr > stay[i].addr && o->from <= stay[i].to && o->to >= stay[i].from)
				stay[i].len = (uint32_t)(o->addr - stay[i].addr);
		}
}

static size_t stays_make(const struct code_events *x, struct code_stay *ret)
{
	const struct code_index *index = x->names->index;
	size_t n = 0;

	for (size_t i = 0; i < index->nplaces; i++) {
		const struct code_place *p = &index->place[i];

		if (x->to[i] >= x->begin && x->from[i] <= x->to[i])
			ret[n++] = (struct code_stay){ p->addr, x->from[i], x->to[i], p->len, is_kept(x, p), false };
	}
	n += stays_seen(x, &ret[n]);
	stays_shorten(ret, n);
	return n;
}

/* Code that perf does not keep goes for the moment. */
static void codes_part(struct code_events *x, uint64_t at)
{
	const struct code_index *index = x->names->index;

	for (size_t i = 0; i < index->nplaces; i++) {
		const struct code_place *p = &index->place[i];

		if (x->from[i] > at || x->to[i] < at || is_kept(x, p))
			continue;
		code_event_add(x, at, CODE_AWAY, p);
		code_event_add(x, at + 1, CODE_BACK, p);
	}
}

static void holds_add(struct code_events *x, const struct code_look *look)
{
	struct arena *a = x->names->env->arena;

	ARENA_SCOPE(a);
	struct code_stay *stay = arena_array(a, x->names->index->nplaces + x->clock->seen.n, sizeof(*stay));
	const size_t n = stays_make(x, stay);

	for (size_t k = 0; k < ARRAY_SIZE(look->at); k++) {
		const uint64_t at = look->at[k];
		struct code_hold *hold;
		size_t holds;

		if (at == UINT64_MAX || (k && at == look->at[0]))
			continue;
		codes_part(x, at);
		holds = code_holds_find(stay, n, at, a, &hold);
		for (size_t i = 0; i < holds; i++)
			hold_add(x, at, &hold[i]);
	}
}

void code_events_make(struct code_events *ret, struct stack_names *names, const struct perf_time *clock, uint64_t begin,
		      const struct code_look *look)
{
	const struct code_index *index = names->index;
	struct arena *keep = names->env->keep;

	*ret = (struct code_events){ .names = names, .clock = clock, .begin = begin };
	ret->from = arena_array(keep, index->nplaces, sizeof(*ret->from));
	ret->to = arena_array(keep, index->nplaces, sizeof(*ret->to));
	ret->there = arena_array(keep, index->nplaces, sizeof(*ret->there));
	for (size_t i = 0; i < index->nplaces; i++) {
		const struct code_place *p = &index->place[i];

		ret->from[i] = p->from ? perf_time_perf(clock, p->from) : 0;
		ret->to[i] = p->to == UINT64_MAX ? p->to : perf_time_perf(clock, p->to);
		ret->there[i] = UINT64_MAX;
	}
	lives_see(ret, clock);
	lives_part(ret);
	functions_join(ret);
	events_add(ret, begin);
	holds_add(ret, look);
	if (ret->n)
		qsort(ret->event, ret->n, sizeof(*ret->event), by_event_time);
}

void code_events_release(struct code_events *x)
{
	free(x->event);
	*x = (struct code_events){ 0 };
}

static void code_event_write(struct code_events *x, struct perf_writer *w, const struct code_event *v)
{
	const struct code_place *p = v->place;
	const char *name = stack_code_name(x->names, p);
	struct env *env = x->names->env;
	const struct life *life = p->code ? NULL : facts_life(env->machine, p->prog);
	const uint32_t pid = p->code ? p->code->pid : life ? life->pid : 0;
	const bool gone = v->order == CODE_GONE || v->order == PROG_GONE || v->order == CODE_AWAY;
	struct sideband_record r = { .kind = SIDEBAND_KSYMBOL, .time = v->time };
	struct abi_prog_info info;

	r.pid = r.tid = gone ? 0 : pid;
	if (v->order != PROG_GONE && v->order != PROG_THERE) {
		r.ksymbol.addr = p->addr;
		r.ksymbol.len = p->len;
		r.ksymbol.ksym_type = str_starts(name, "kprobe_") ? KSYMBOL_OUT_OF_LINE : KSYMBOL_BPF;
		r.ksymbol.gone = gone;
		r.ksymbol.name = name;
	} else {
		ARENA_SCOPE(env->arena);

		if (prog_info(env->machine, env->arena, p->prog, &info, &(struct err){ 0 }))
			return;
		r.kind = SIDEBAND_PROG;
		r.prog.event = gone ? PERF_BPF_EVENT_PROG_UNLOAD : PERF_BPF_EVENT_PROG_LOAD;
		r.prog.id = p->prog;
		memcpy(r.prog.tag, info.tag, sizeof(r.prog.tag));
	}
	perf_write_record(w, &r);
}

static void hold_write(struct perf_writer *w, const struct code_event *v)
{
	perf_write_record(w, &(const struct sideband_record){ .kind = SIDEBAND_KSYMBOL,
							      .time = v->time,
							      .ksymbol = { .addr = v->hold.addr,
									   .len = v->hold.len,
									   .ksym_type = KSYMBOL_BPF,
									   .gone = v->order == HOLD_FREE,
									   .name = PERF_DATA_HOLD } });
}

void code_events_write(struct code_events *x, struct perf_writer *w, uint64_t until)
{
	for (; x->next < x->n && x->event[x->next].time <= until; x->next++)
		if (x->event[x->next].place)
			code_event_write(x, w, &x->event[x->next]);
		else
			hold_write(w, &x->event[x->next]);
}
