/* SPDX-License-Identifier: BSD-2-Clause */
#include "../fake.h"

#include "source/counters.h"

#define MOMENTS 200
#define PROGS 12
#define SECOND 1000000000ull

/* Moment i of a machine whose programs run at some moments, come and go; all counters follow from i and the program. */
static size_t moment(uint64_t i, struct counter *v)
{
	size_t n = 0;

	for (uint32_t p = 0; p < PROGS; p++) {
		const uint64_t turns = p < 2 ? i : i / (p + 1);

		if ((p % 4 == 3 && i / 20 % 2) || !turns)
			continue;
		v[n++] = (struct counter){
			.id = p == PROGS - 1 ? UINT32_MAX : p * p * 50 + 1,
			.run_cnt = p == 1 ? UINT64_MAX / MOMENTS * turns : turns * 3,
			.run_time_ns = turns * 1000 * p,
			.recursion_misses = p == 2 ? turns : 0,
		};
	}
	return n;
}

static void put(struct str *ret, uint64_t i, bool whole)
{
	struct counter old[PROGS], now[PROGS];
	const struct counters before = { .v = old, .n = i ? moment(i - 1, old) : 0 };
	const struct counters here = { .boot_ns = (i + 1) * SECOND, .busy_ns = i * 7, .v = now, .n = moment(i, now) };

	counters_put(ret, whole ? NULL : &before, &here);
}

struct seen {
	size_t n, limit;
	uint64_t first, last;
	bool wrong;
};

static int see(const struct counters *c, void *ctx, struct err *e)
{
	struct counter want[PROGS];
	struct seen *seen = ctx;
	const uint64_t i = c->boot_ns / SECOND - 1;
	const size_t n = moment(i, want);

	(void)e;
	seen->wrong |= c->n != n || c->busy_ns != i * 7 || (seen->n && i <= seen->last);
	for (size_t k = 0; !seen->wrong && k < n; k++)
		seen->wrong |= c->v[k].id != want[k].id || c->v[k].run_cnt != want[k].run_cnt ||
			       c->v[k].run_time_ns != want[k].run_time_ns ||
			       c->v[k].recursion_misses != want[k].recursion_misses;
	if (!seen->n++)
		seen->first = i;
	seen->last = i;
	return seen->n == seen->limit ? 17 : 0;
}

struct pieces {
	struct str text[MOMENTS];
	size_t n;
};

struct pieces_source {
	struct source source;
	struct pieces all;
	size_t asked;
};

static int pieces_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct pieces_source *p = (struct pieces_source *)s;

	p->asked++;
	if (q->q != Q_COUNTERS || q->id >= p->all.n)
		return -ENODATA;
	/* Of its exact size, so that a read after its end is found. */
	*ret = (struct blob){ arena_dup(a, p->all.text[q->id].p ? p->all.text[q->id].p : "", p->all.text[q->id].n),
			      p->all.text[q->id].n };
	return p->all.text[q->id].n ? 0 : -EIO;
}

static void pieces_close(struct source *s)
{
	struct pieces_source *p = (struct pieces_source *)s;

	for (size_t i = 0; i < MOMENTS; i++)
		str_release(&p->all.text[i]);
	free(p);
}

static struct machine *recorded(struct pieces_source **ret)
{
	static const struct source_ops ops = {
		.name = "pieces", .saved = true, .get = pieces_get, .close = pieces_close
	};
	struct pieces_source *p = *ret = calloc(1, sizeof(*p));

	p->source.ops = &ops;
	for (uint64_t i = 0; i < MOMENTS; i++)
		put(&p->all.text[p->all.n++], i, i % COUNTERS_WHOLE == 0);
	return machine_new(&p->source);
}

static void there_and_back(void **state)
{
	struct pieces_source *p;
	struct machine *m = recorded(&p);
	struct seen seen = { 0 }, some = { .limit = 3 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(counters_each(m, 0, UINT64_MAX, see, &seen, &e), 0);
	assert_int_equal(seen.n, MOMENTS);
	assert_false(seen.wrong);
	assert_int_equal(counters_each(m, 0, UINT64_MAX, see, &some, &e), 17);
	assert_int_equal(some.n, 3);
	assert_null(m->refused);
	machine_free(&m);
}

/* Between two times: reading begins at the whole piece before, whatever is earlier. */
static void between(void **state)
{
	static const struct {
		uint64_t from, to;
		size_t n;
	} rows[] = {
		{ SECOND, SECOND, 1 },
		{ 0, SECOND - 1, 0 },
		{ 63 * SECOND + 1, 65 * SECOND, 2 },
		{ 65 * SECOND, 65 * SECOND, 1 },
		{ 150 * SECOND, 151 * SECOND, 2 },
		{ 200 * SECOND, UINT64_MAX, 1 },
		{ 200 * SECOND + 1, UINT64_MAX, 0 },
	};
	struct pieces_source *p;
	struct machine *m = recorded(&p);
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct seen seen = { 0 };

		p->asked = 0;
		assert_int_equal(counters_each(m, rows[i].from, rows[i].to, see, &seen, &e), 0);
		assert_int_equal(seen.n, rows[i].n);
		assert_false(seen.wrong);
		assert_true(p->asked < COUNTERS_WHOLE + 10);
	}
	assert_null(m->refused);
	machine_free(&m);
}

/* Whatever is cut or changed: a piece is as it was written, or refused, and then what depends on it is left out. */
static void damaged(void **state)
{
	struct pieces_source *p;
	struct machine *m = recorded(&p);
	struct str *piece = &p->all.text[70];
	struct seen seen;
	struct err e = { 0 };
	const size_t whole = piece->n;

	(void)state;
	for (piece->n = 0; piece->n < whole; piece->n++) {
		seen = (struct seen){ 0 };
		assert_int_equal(counters_each(m, 0, UINT64_MAX, see, &seen, &e), 0);
		assert_false(seen.wrong);
		assert_int_equal(seen.n, MOMENTS - (2 * COUNTERS_WHOLE - 70));
		assert_int_equal(m->refused->why, piece->n ? -EBADMSG : -EIO);
		machine_forget(m);
	}
	for (size_t i = 0; i < whole; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			piece->p[i] ^= (char)(1 << bit);
			seen = (struct seen){ 0 };
			counters_each(m, 0, UINT64_MAX, see, &seen, &e);
			piece->p[i] ^= (char)(1 << bit);
			assert_true(seen.n >= 70 && seen.n <= MOMENTS);
		}
	machine_free(&m);
}

/* Two bad whole pieces in a row: the end. */
static void refused(void **state)
{
	struct pieces_source *p;
	struct machine *m = recorded(&p);
	struct seen seen = { 0 };
	struct err e = { 0 };

	(void)state;
	p->all.text[10].n = p->all.text[COUNTERS_WHOLE].n = 0;
	assert_int_equal(counters_each(m, 0, UINT64_MAX, see, &seen, &e), 0);
	assert_int_equal(seen.n, 10);
	assert_int_equal(m->refused->why, -EIO);
	machine_forget(m);
	p->all.text[0].n = 0;
	assert_int_equal(counters_each(m, 0, UINT64_MAX, see, &seen, &e), -EIO);
	assert_non_null(m->refused);
	machine_free(&m);
}

static void made(struct str *ret, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t rest = v[i];

		for (; rest >= 0x80; rest >>= 7)
			str_add(ret, &(const unsigned char){ (unsigned char)(rest | 0x80) }, 1);
		str_add(ret, &(const unsigned char){ (unsigned char)rest }, 1);
	}
}

static int pass(const struct counters *c, void *ctx, struct err *e)
{
	(void)c;
	(void)e;
	++*(size_t *)ctx;
	return 0;
}

/* What no recorder writes: each is refused. */
static void lying(void **state)
{
	static const struct {
		size_t n;
		uint64_t v[14];
	} wrong[] = {
		{ 3, { 9, 0, 0 } },			 /* the first is not whole */
		{ 7, { 9, 0, 3, 5, 0, 0, 0 } },		 /* a program that was not there is gone */
		{ 7, { 9, 0, 3, 0, 1, 1, 1 } },		 /* id 0 */
		{ 7, { 9, 0, 3, 1ull << 32, 1, 1, 1 } }, /* an id that is too large */
		{ 11, { 9, 0, 5, UINT32_MAX, 1, 1, 1, 1, 1, 1, 1 } },
		{ 7, { 9, 0, 5, 5, 1, 1, 1 } }, /* fewer programs than it says */
		{ 7, { 9, 0, 1ull << 40 | 1, 5, 1, 1, 1 } },
		{ 7, { 9, 0, UINT64_MAX, 5, 1, 1, 1 } },
		{ 14, { 9, 0, 3, 5, UINT64_MAX, 1, 1, 9, 0, 2, 5, 1, 0, 0 } }, /* a counter that exceeds its type */
		{ 10, { 9, 0, 3, 5, 1, 1, 1, 8, 0, 0 } },		       /* time that goes back */
	};
	static const uint8_t more[][12] = {
		{ 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0, 1 }, /* more than 64 bits */
		{ 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong) + ARRAY_SIZE(more); i++) {
		struct pieces_source *p;
		struct machine *m = recorded(&p);
		struct err e = { 0 };
		size_t n = 0;

		p->all.n = 1;
		str_reset(&p->all.text[0]);
		if (i < ARRAY_SIZE(wrong))
			made(&p->all.text[0], wrong[i].v, wrong[i].n);
		else
			str_add(&p->all.text[0], more[i - ARRAY_SIZE(wrong)], sizeof(more[0]));
		assert_int_equal(counters_each(m, 0, UINT64_MAX, pass, &n, &e), 0);
		assert_int_equal(m->refused->why, -EBADMSG);
		machine_free(&m);
	}
}

static void none(void **state)
{
	struct pieces_source *p;
	struct machine *m = recorded(&p);
	struct seen seen = { 0 };
	struct err e = { 0 };

	(void)state;
	p->all.n = 0;
	assert_int_equal(counters_each(m, 5, UINT64_MAX, see, &seen, &e), -ENOENT);
	assert_non_null(strstr(e.hint, "record"));
	assert_int_equal(seen.n, 0);
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back), cmocka_unit_test(between), cmocka_unit_test(damaged),
		cmocka_unit_test(refused),	  cmocka_unit_test(lying),   cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
