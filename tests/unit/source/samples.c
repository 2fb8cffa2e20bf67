/* SPDX-License-Identifier: BSD-2-Clause */
#include "../fake.h"

#include "base/base.h"
#include "source/samples.h"

static const uint64_t callers[] = { 0xffffffff81000010, 0xffffffff81000020, 3 };

struct seen {
	size_t n;
	uint64_t sum;
	bool wrong;
};

/* The i-th sample has i callers, up to three. */
static struct sample sample(size_t i)
{
	return (struct sample){ .time = 1000 + i,
				.ip = 0xffffffffc0000000 + i,
				.pid = 5,
				.tid = 6,
				.cpu = 7,
				.user = i == 1,
				.ncallers = (uint16_t)(i % 4),
				.callers = callers };
}

static void see(void *ctx, const struct sample *s)
{
	struct seen *seen = ctx;
	struct sample want = sample(seen->n++);

	seen->wrong |= s->time != want.time || s->ip != want.ip || s->pid != 5 || s->tid != 6 || s->cpu != 7 ||
		       s->user != want.user || s->ncallers != want.ncallers ||
		       (want.ncallers && memcmp(s->callers, callers, want.ncallers * sizeof(*callers)));
	seen->sum += s->ncallers;
}

static void made(struct str *ret, size_t from, size_t n)
{
	for (size_t i = from; i < from + n; i++) {
		struct sample s = sample(i);

		samples_put(ret, &s);
	}
}

static void there_and_back(void **state)
{
	struct seen seen = { 0 };
	STR text = { 0 };

	(void)state;
	made(&text, 0, 9);
	assert_int_equal(samples_parse(&(struct blob){ (unsigned char *)text.p, text.n }, see, &seen), 0);
	assert_int_equal(seen.n, 9);
	assert_false(seen.wrong);
}

/* For each length, the samples are right, or there is an error. */
static void cut(void **state)
{
	STR text = { 0 };
	size_t whole = 0;

	(void)state;
	made(&text, 0, 4);
	for (size_t n = 0; n <= text.n; n++) {
		unsigned char *copy = malloc(n + 1);
		struct seen seen = { 0 };
		int err;

		memcpy(copy, text.p, n);
		err = samples_parse(&(struct blob){ copy, n }, see, &seen);
		free(copy);
		assert_false(seen.wrong);
		assert_true(err == -EBADMSG || n == seen.n * sizeof(struct sample_raw) + seen.sum * sizeof(uint64_t));
		whole += !err;
	}
	assert_int_equal(whole, 5);
}

static void too_many_callers(void **state)
{
	struct sample_raw raw = { .ncallers = UINT16_MAX };
	struct seen seen = { 0 };
	STR text = { 0 };

	(void)state;
	str_add(&text, &raw, sizeof(raw));
	str_reserve(&text, UINT16_MAX * sizeof(uint64_t));
	memset(text.p + text.n, 1, UINT16_MAX * sizeof(uint64_t));
	text.n += UINT16_MAX * sizeof(uint64_t);
	assert_int_equal(samples_parse(&(struct blob){ (unsigned char *)text.p, text.n }, see, &seen), -EBADMSG);
	assert_int_equal(seen.n, 0);
}

static int head(const char *text, struct samples_head *ret)
{
	return samples_head_parse(&(struct blob){ (const unsigned char *)text, strlen(text) }, ret);
}

static void heads(void **state)
{
	static const char *const wrong[] = { "",
					     "\n",
					     "cycles\n",
					     "cycles 99 1 2\n",
					     "cycles 99 1 2 3",
					     "cycles 99 1 2 x\n",
					     "cycles 4294967296 1 2 3\n",
					     "an_event_with_a_long_name 99 1 2 3\n" };
	struct samples_head h = { .event = "cpu-clock", .hz = 999, .from = 17, .to = UINT64_MAX, .lost = 4 }, back;
	STR text = { 0 };

	(void)state;
	samples_head_put(&text, &h);
	assert_int_equal(head(text.p, &back), 0);
	assert_string_equal(back.event, h.event);
	assert_int_equal(back.hz, h.hz);
	assert_int_equal(back.from, h.from);
	assert_int_equal(back.to, h.to);
	assert_int_equal(back.lost, h.lost);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(head(wrong[i], &back), -EBADMSG);
}

static void tasks(void **state)
{
	struct arena *a = arena_new();
	struct samples_tasks t;
	STR text = { 0 };

	(void)state;
	samples_task_put(&text, 30, 3, "a b\\c\nd");
	samples_task_put(&text, 4, 4, "");
	assert_int_equal(samples_tasks_parse(&t, &(struct blob){ (unsigned char *)text.p, text.n }, a), 0);
	assert_string_equal(samples_comm(&t, 30), "a b\\c\nd");
	assert_string_equal(samples_comm(&t, 4), "");
	assert_null(samples_comm(&t, 5));
	assert_int_equal(samples_tasks_parse(&t, &(struct blob){ (const unsigned char *)"4 x y\n", 6 }, a), -EBADMSG);
	assert_int_equal(samples_tasks_parse(&t, &(struct blob){ (unsigned char *)text.p, text.n - 1 }, a), -EBADMSG);
	arena_free(a);
}

/* Pieces up to the first that does not exist; a damaged or refused one is noted. */
static void pieces(void **state)
{
	struct fake_machine m;
	struct seen seen = { 0 };
	STR one = { 0 };
	STR two = { 0 };

	(void)state;
	fake_init(&m);
	assert_int_equal(samples_read(m.env.machine, m.env.arena, see, &seen), 0);
	made(&one, 0, 5);
	made(&two, 5, 3);
	fake_set(&m, "samples/0", 0, one.p, one.n);
	fake_set(&m, "samples/1", 0, two.p, two.n);
	assert_int_equal(samples_read(m.env.machine, m.env.arena, see, &seen), 0);
	assert_int_equal(seen.n, 8);
	assert_false(seen.wrong);
	assert_null(m.env.machine->refused);
	fake_set(&m, "samples/1", 0, two.p, two.n - 1);
	seen = (struct seen){ 0 };
	assert_int_equal(samples_read(m.env.machine, m.env.arena, see, &seen), -EBADMSG);
	assert_int_equal(seen.n, 7);
	assert_int_equal(m.env.machine->refused->why, -EBADMSG);
	fake_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back), cmocka_unit_test(cut),   cmocka_unit_test(too_many_callers),
		cmocka_unit_test(heads),	  cmocka_unit_test(tasks), cmocka_unit_test(pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
