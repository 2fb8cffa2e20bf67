/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/counters.h"

#include "source/machine.h"

#define ENTRY_LEAST 4 /* bytes */

static void number_put(struct str *ret, uint64_t v)
{
	unsigned char text[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		text[n++] = (unsigned char)(v | 0x80);
	text[n++] = (unsigned char)v;
	str_add(ret, text, n);
}

/* The program after @i of one moment and @k of the other: which of them has it. */
static uint32_t next_id(const struct counters *a, size_t i, const struct counters *b, size_t k, bool *in_a, bool *in_b)
{
	*in_a = i < a->n && (k >= b->n || a->v[i].id <= b->v[k].id);
	*in_b = k < b->n && (i >= a->n || b->v[k].id <= a->v[i].id);
	return *in_a ? a->v[i].id : b->v[k].id;
}

void counters_put(struct str *ret, const struct counters *old, const struct counters *now)
{
	static const struct counters nothing;
	static const struct counter zero;
	const struct counters *was = old ? old : &nothing;
	uint32_t id, last = 0;
	bool before, here;
	STR entries = { 0 };
	uint64_t n = 0;

	for (size_t i = 0, k = 0; i < was->n || k < now->n; i += before, k += here) {
		const struct counter *a, *b;

		id = next_id(was, i, now, k, &before, &here);
		a = before ? &was->v[i] : &zero;
		b = here ? &now->v[k] : a;
		if (here && a->run_cnt == b->run_cnt && a->run_time_ns == b->run_time_ns &&
		    a->recursion_misses == b->recursion_misses)
			continue;
		number_put(&entries, id - last);
		number_put(&entries, b->run_cnt - a->run_cnt);
		number_put(&entries, b->run_time_ns - a->run_time_ns);
		number_put(&entries, b->recursion_misses - a->recursion_misses);
		last = id;
		n++;
	}
	number_put(ret, now->boot_ns);
	number_put(ret, now->busy_ns);
	number_put(ret, n << 1 | !old);
	str_add(ret, entries.p, entries.n);
}

struct counters_reader {
	struct blob in; /* what is left of the piece */
	struct counters now;
	struct counter *room[2]; /* now.v is one of them, the other is for the next moment */
	size_t cap[2];
	bool valid; /* @now is known */
	bool past;  /* the rest is after the time that was asked for */
};

static void reader_release(struct counters_reader *r)
{
	free(r->room[0]);
	free(r->room[1]);
}

static int number_get(struct blob *in, uint64_t *ret)
{
	*ret = 0;
	for (unsigned shift = 0; in->n && shift < 64; shift += 7) {
		const unsigned char byte = *in->p++;

		in->n--;
		if (shift == 63 && byte > 1)
			break;
		*ret |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return 0;
	}
	return -EBADMSG;
}

/* The increments of one program; its id is that after @last. */
static int entry_get(struct blob *in, uint32_t last, struct counter *ret)
{
	uint64_t step;

	if (number_get(in, &step) || !step || step > UINT32_MAX - last || number_get(in, &ret->run_cnt) ||
	    number_get(in, &ret->run_time_ns) || number_get(in, &ret->recursion_misses))
		return -EBADMSG;
	ret->id = last + (uint32_t)step;
	return 0;
}

/* 0, or -EBADMSG: a counter is greater than its type. */
static int counter_raise(struct counter *c, const struct counter *more)
{
	return __builtin_add_overflow(c->run_cnt, more->run_cnt, &c->run_cnt) ||
			       __builtin_add_overflow(c->run_time_ns, more->run_time_ns, &c->run_time_ns) ||
			       __builtin_add_overflow(c->recursion_misses, more->recursion_misses,
						      &c->recursion_misses) ?
		       -EBADMSG :
		       0;
}

/* Copies the programs of @old before @id to @to. */
static void pass_before(const struct counters *old, size_t *i, uint64_t id, struct counters *ret, struct counter *to)
{
	for (; *i < old->n && old->v[*i].id < id; (*i)++)
		to[ret->n++] = old->v[*i];
}

/* Makes the moment after @old, with @n entries. */
static int moment_make(struct counters_reader *r, const struct counters *old, uint64_t n, struct counter *to,
		       struct counters *ret)
{
	struct counter more = { 0 };
	size_t i = 0;

	for (; n; n--) {
		bool was;

		if (entry_get(&r->in, more.id, &more))
			return -EBADMSG;
		pass_before(old, &i, more.id, ret, to);
		was = i < old->n && old->v[i].id == more.id;
		if (!more.run_cnt && !more.run_time_ns && !more.recursion_misses) {
			if (!was)
				return -EBADMSG;
			i++;
			continue;
		}
		to[ret->n] = was ? old->v[i++] : (struct counter){ .id = more.id };
		if (counter_raise(&to[ret->n++], &more))
			return -EBADMSG;
	}
	pass_before(old, &i, UINT64_MAX, ret, to);
	ret->v = to;
	return 0;
}

static int moment_read(struct counters_reader *r)
{
	static const struct counters nothing;
	const bool other = r->now.v == r->room[0];
	struct counters ret = { 0 };
	uint64_t n, most;
	int err;

	if (number_get(&r->in, &ret.boot_ns) || number_get(&r->in, &ret.busy_ns) || number_get(&r->in, &n) ||
	    (!(n & 1) && !r->valid))
		return -EBADMSG;
	most = (n >> 1) + (n & 1 ? 0 : r->now.n);
	if (n >> 1 > r->in.n / ENTRY_LEAST || most > COUNTERS_PROGS || (r->valid && ret.boot_ns < r->now.boot_ns))
		return -EBADMSG;
	if (most > r->cap[other]) {
		r->room[other] = array_resize(r->room[other], (size_t)most, sizeof(struct counter));
		r->cap[other] = (size_t)most;
	}
	err = moment_make(r, n & 1 ? &nothing : &r->now, n >> 1, r->room[other], &ret);
	if (err)
		return err;
	r->now = ret;
	r->valid = true;
	return 0;
}

struct wish {
	uint64_t from_ns, to_ns;
	int (*each)(const struct counters *c, void *ctx, struct err *e);
	void *ctx;
};

/* Sets @stop to what the caller returned. */
static int moments_read(struct counters_reader *r, const struct wish *w, int *stop, struct err *e)
{
	int err = 0;

	while (!*stop && !r->past && r->in.n) {
		err = moment_read(r);
		if (err)
			break;
		r->past = r->now.boot_ns > w->to_ns;
		if (!r->past && r->now.boot_ns >= w->from_ns)
			*stop = w->each(&r->now, w->ctx, e);
	}
	return err;
}

/* The time of the first moment of a piece; false: there is none, or it is not whole. */
static bool piece_begins(struct machine *m, struct arena *a, uint64_t piece, uint64_t *time)
{
	ARENA_SCOPE(a);
	uint64_t busy, n;
	struct blob b;

	return !ask_silently(m, a, &b, Q_COUNTERS, piece) && !number_get(&b, time) && !number_get(&b, &busy) &&
	       !number_get(&b, &n) && n & 1;
}

/* The last whole piece that begins before @time. */
static uint64_t piece_find(struct machine *m, struct arena *a, uint64_t time)
{
	uint64_t low = 0, high = 1, at;

	while (high < UINT32_MAX && piece_begins(m, a, high * COUNTERS_WHOLE, &at) && at <= time) {
		low = high;
		high *= 2;
	}
	while (high - low > 1) {
		const uint64_t mid = low + (high - low) / 2;

		if (piece_begins(m, a, mid * COUNTERS_WHOLE, &at) && at <= time)
			low = mid;
		else
			high = mid;
	}
	return low * COUNTERS_WHOLE;
}

static int none(struct machine *m, int err, struct err *e)
{
	if (err != -ENODATA) {
		note_refused(m, err, Q_COUNTERS);
		return err_sys(e, err, "cannot read the counters of the recording");
	}
	err_set(e, -ENOENT, "there are no counters in this file");
	return err_hint(e, "`record` writes them, unless it has --no-counters or the kernel refuses to count runs");
}

/* After a bad piece, reading goes on at the next whole one, unless that is bad as well. */
static int pieces_read(struct machine *m, struct arena *a, struct counters_reader *r, uint64_t piece,
		       const struct wish *w, struct err *e)
{
	int err = 0, stop = 0;

	for (uint64_t bad = 0; !stop && !r->past && bad < 2; bad = err ? bad + 1 : 0) {
		ARENA_SCOPE(a);

		err = ask_silently(m, a, &r->in, Q_COUNTERS, piece);
		if (err == -ENODATA)
			break;
		if (!err)
			err = moments_read(r, w, &stop, e);
		if (err) {
			note_refused(m, err, Q_COUNTERS, piece);
			r->valid = false;
			piece += COUNTERS_WHOLE - 1 - piece % COUNTERS_WHOLE;
		}
		piece++;
	}
	return stop;
}

int counters_each(struct machine *m, uint64_t from_ns, uint64_t to_ns,
		  int (*each)(const struct counters *c, void *ctx, struct err *e), void *ctx, struct err *e)
{
	const struct wish w = { from_ns, to_ns, each, ctx };
	struct counters_reader r = { 0 };
	ARENA a = arena_new();
	int err = machine_is_saved(m) ? ask_silently(m, a, &r.in, Q_COUNTERS) : -ENODATA;

	if (err)
		return none(m, err, e);
	err = pieces_read(m, a, &r, from_ns ? piece_find(m, a, from_ns) : 0, &w, e);
	reader_release(&r);
	return err;
}

static int time_keep(const struct counters *c, void *ctx, struct err *e)
{
	*(uint64_t *)ctx = c->boot_ns;
	return 0;
}

uint64_t counters_end(struct machine *m)
{
	struct refusal **mark = m->refused_end;
	struct counters_reader r = { 0 };
	uint64_t ret = 0;
	struct err why = { 0 };
	ARENA a = arena_new();

	if (machine_is_saved(m))
		pieces_read(m, a, &r, piece_find(m, a, UINT64_MAX),
			    &(const struct wish){ 0, UINT64_MAX, time_keep, &ret }, &why);
	machine_forget_since(m, mark);
	reader_release(&r);
	return ret;
}
