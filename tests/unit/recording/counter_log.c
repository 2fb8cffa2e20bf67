/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorded.h"

#include "recording/counter_log.h"
#include "source/machine.h"

struct seen {
	struct counters at[80];
	struct counter v[80][THERE_MAX];
	size_t n;
};

static int see(const struct counters *c, void *ctx, struct err *e)
{
	struct seen *seen = ctx;

	(void)e;
	assert_true(seen->n < ARRAY_SIZE(seen->at) && c->n <= THERE_MAX);
	if (c->n)
		memcpy(seen->v[seen->n], c->v, c->n * sizeof(*c->v));
	seen->at[seen->n++] = *c;
	return 0;
}

static struct seen seen;

/* Reads what was written; closes @archive. */
static void read_back(struct source *archive)
{
	struct machine *m = machine_new(archive);
	struct err e = { 0 };

	seen = (struct seen){ 0 };
	assert_int_equal(counters_each(m, 0, UINT64_MAX, see, &seen, &e), 0);
	assert_null(m->refused);
	machine_free(&m);
}

static void finish_and_read(struct recorded *r)
{
	struct source *archive = NULL;
	struct err e = { 0 };

	assert_int_equal(source_record_finish(r->file, &e), 0);
	assert_int_equal(source_archive(&archive, r->dir.file, &e), 0);
	read_back(archive);
}

static void counted(struct recorded *r, uint64_t runs)
{
	r->info.run_cnt = runs;
	r->info.run_time_ns = runs * 100;
	r->info.recursion_misses = runs / 10;
}

static void has(size_t i, size_t n, uint64_t runs)
{
	assert_true(i < seen.n);
	assert_int_equal(seen.at[i].n, n);
	for (size_t k = 0; k < n; k++) {
		assert_int_equal(seen.v[i][k].run_cnt, runs);
		assert_int_equal(seen.v[i][k].run_time_ns, runs * 100);
		assert_int_equal(seen.v[i][k].recursion_misses, runs / 10);
	}
}

/* Programs that run, come and go; counters never go back; our own programs are left out. */
static void test_moments(void **state)
{
	struct counter_log log;
	struct recorded r;

	(void)state;
	recorded_begin(&r);
	counter_log_init(&log, &r.cat);
	THERE(&r.progs, 3, 5);
	counter_log_write(&log); /* nothing has run */
	counted(&r, 20);
	counter_log_write(&log);
	counted(&r, 10);
	counter_log_write(&log);
	THERE(&r.progs, 5, 9);
	counted(&r, 30);
	counter_log_write(&log);
	r.own.all = &(struct own_object){ .kind = OBJECT_PROG, .id = 9 };
	r.own.n = 1;
	counter_log_write(&log);
	r.refuses_lists = true;
	counter_log_write(&log);
	finish_and_read(&r);
	assert_int_equal(seen.n, 5);
	has(0, 0, 0);
	has(1, 2, 20);
	has(2, 2, 20);
	has(3, 2, 30);
	assert_int_equal(seen.v[3][0].id, 5);
	assert_int_equal(seen.v[3][1].id, 9);
	has(4, 1, 30);
	for (size_t i = 1; i < seen.n; i++)
		assert_true(seen.at[i].boot_ns >= seen.at[i - 1].boot_ns);
	if (!access("/proc/stat", R_OK))
		assert_true(seen.at[0].busy_ns > 0);
	r.own.n = 0;
	r.own.all = NULL;
	counter_log_release(&log);
	recorded_end(&r);
}

/* More moments than between two whole ones, and another file, which can be read without the first. */
static void test_files(void **state)
{
	struct counter_log log;
	struct recorded first, second;

	(void)state;
	recorded_begin(&first);
	recorded_begin(&second);
	counter_log_init(&log, &first.cat);
	THERE(&first.progs, 3, 5);
	THERE(&second.progs, 3, 5);
	for (size_t i = 0; i < COUNTERS_WHOLE + 6; i++) {
		counted(&first, 10 * i);
		counter_log_write(&log);
	}
	finish_and_read(&first);
	assert_int_equal(seen.n, COUNTERS_WHOLE + 6);
	for (size_t i = 1; i < seen.n; i++)
		has(i, 2, 10 * i);
	log.cat = &second.cat;
	counter_log_next(&log);
	counted(&second, 1000);
	counter_log_write(&log);
	finish_and_read(&second);
	assert_int_equal(seen.n, 1);
	has(0, 2, 1000);
	counter_log_release(&log);
	recorded_end(&first);
	recorded_end(&second);
}

/* --pid: only programs of the recording. Zeroed: nothing is written. */
static void test_few(void **state)
{
	struct counter_log none = { 0 }, log;
	struct recorded r;

	(void)state;
	recorded_begin(&r);
	counter_log_write(&none);
	counter_log_init(&log, &r.cat);
	THERE(&r.progs, 3);
	r.cat.only_pid = 77;
	counted(&r, 10);
	counter_log_write(&log);
	assert_int_equal(catalog_begin(&r.cat), 0);
	THERE(&r.progs, 3, 5);
	counter_log_write(&log);
	finish_and_read(&r);
	assert_int_equal(seen.n, 2);
	has(0, 0, 0);
	has(1, 1, 10);
	counter_log_release(&log);
	recorded_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
