/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorded.h"

#include <sys/prctl.h>

#include "recording/sampler.h"
#include "source/samples.h"

/* Samples that wait to be read. Not @on: the real ones. */
static struct {
	bool on;
	int err;
	struct sample sample;
	unsigned waiting, closed;
	struct sampling_count count;
} cpu;

int __real_sampling_open(struct sampling **ret, uint32_t hz);
int __wrap_sampling_open(struct sampling **ret, uint32_t hz);
int __wrap_sampling_open(struct sampling **ret, uint32_t hz)
{
	if (!cpu.on)
		return __real_sampling_open(ret, hz);
	*ret = cpu.err ? NULL : (struct sampling *)&cpu;
	return cpu.err;
}

void __real_sampling_close(struct sampling **s);
void __wrap_sampling_close(struct sampling **s);
void __wrap_sampling_close(struct sampling **s)
{
	if (!cpu.on) {
		__real_sampling_close(s);
		return;
	}
	cpu.closed += *s != NULL;
	*s = NULL;
}

const char *__real_sampling_event(const struct sampling *s);
const char *__wrap_sampling_event(const struct sampling *s);
const char *__wrap_sampling_event(const struct sampling *s)
{
	return cpu.on ? "cpu-clock" : __real_sampling_event(s);
}

void __real_sampling_read(struct sampling *s, sampling_handler *handle, void *ctx);
void __wrap_sampling_read(struct sampling *s, sampling_handler *handle, void *ctx);
void __wrap_sampling_read(struct sampling *s, sampling_handler *handle, void *ctx)
{
	if (!cpu.on) {
		__real_sampling_read(s, handle, ctx);
		return;
	}
	for (; cpu.waiting; cpu.waiting--, cpu.count.passed++)
		handle(ctx, &cpu.sample);
}

struct sampling_count __real_sampling_count(const struct sampling *s);
struct sampling_count __wrap_sampling_count(const struct sampling *s);
struct sampling_count __wrap_sampling_count(const struct sampling *s)
{
	return cpu.on ? cpu.count : __real_sampling_count(s);
}

static struct sampler *begin(struct recorded *r)
{
	struct sampler *s;

	memset(&cpu, 0, sizeof(cpu));
	cpu.on = true;
	cpu.sample = (struct sample){ .time = 7, .ip = 0x1000, .pid = (uint32_t)getpid(), .tid = (uint32_t)gettid() };
	recorded_begin(r);
	assert_int_equal(sampler_begin(&s, r->file, 99), 0);
	assert_non_null(s);
	return s;
}

static void end(struct recorded *r, struct sampler *s)
{
	sampler_close(&s);
	assert_null(s);
	assert_int_equal(cpu.closed, 1);
	cpu.on = false;
	recorded_end(r);
}

static struct samples_head head_of(struct recorded *r, struct source *archive)
{
	struct samples_head ret;
	struct blob b;

	assert_int_equal(source_get(archive, r->arena, &b, "sys/sampling"), 0);
	assert_int_equal(samples_head_parse(&b, &ret), 0);
	return ret;
}

static size_t piece(struct recorded *r, struct source *archive, unsigned i)
{
	struct blob b;

	return source_get(archive, r->arena, &b, "samples/%u", i) ? 0 : b.n / sizeof(struct sample_raw);
}

static void has_pieces(struct recorded *r, struct source *archive)
{
	const unsigned full = SAMPLES_PIECE / sizeof(struct sample_raw);
	struct samples_tasks tasks;
	char comm[16] = "";
	struct blob b;

	assert_int_equal(piece(r, archive, 0), full);
	assert_int_equal(piece(r, archive, 1), 3);
	assert_int_equal(piece(r, archive, 2), 2);
	assert_int_equal(piece(r, archive, 3), 0);
	assert_int_equal(source_get(archive, r->arena, &b, "sys/sampled_tasks"), 0);
	assert_int_equal(samples_tasks_parse(&tasks, &b, r->arena), 0);
	assert_int_equal(tasks.n, 1);
	assert_int_equal(prctl(PR_GET_NAME, comm), 0);
	assert_string_equal(samples_comm(&tasks, (uint32_t)gettid()), comm);
	assert_int_equal(head_of(r, archive).hz, 99);
	assert_string_equal(head_of(r, archive).event, "cpu-clock");
	assert_int_equal(head_of(r, archive).lost, 5);
	assert_true(head_of(r, archive).to >= head_of(r, archive).from);
}

/* Full pieces are written at once, others with a flush; each thread is named once. */
static void test_pieces(void **state)
{
	struct recorded r;
	struct sampler *s = begin(&r);

	(void)state;
	if (access("/proc/self/comm", R_OK))
		skip_because("/proc is not mounted");
	cpu.waiting = SAMPLES_PIECE / sizeof(struct sample_raw) + 1;
	sampler_read(s, false);
	cpu.waiting = 2;
	sampler_read(s, true);
	sampler_read(s, true); /* nothing new: no piece */
	cpu.waiting = 1;
	sampler_read(s, false);
	cpu.waiting = 1;
	cpu.count.lost = 4;
	cpu.count.bad = 1;
	sampler_end(s);
	assert_int_equal(sampler_count(s).samples, SAMPLES_PIECE / sizeof(struct sample_raw) + 5);
	assert_int_equal(sampler_count(s).lost, 5);
	recorded_finish(&r, has_pieces);
	end(&r, s);
}

static void has_second(struct recorded *r, struct source *archive)
{
	assert_int_equal(piece(r, archive, 0), 1);
	assert_int_equal(piece(r, archive, 1), 0);
	assert_int_equal(head_of(r, archive).lost, 3);
	assert_true(head_of(r, archive).from > 0);
}

/* Between two files nothing is read; the second has what came since, and its own losses. */
static void test_next(void **state)
{
	struct recorded first, second;
	struct sampler *s = begin(&first);

	(void)state;
	recorded_begin(&second);
	cpu.waiting = 1;
	cpu.count.lost = 4;
	sampler_leave(s);
	cpu.waiting = 1;
	sampler_read(s, true);
	assert_int_equal(cpu.waiting, 1);
	sampler_next(s, second.file);
	cpu.count.lost = 7;
	sampler_end(s);
	assert_int_equal(sampler_count(s).lost, 7);
	recorded_finish(&second, has_second);
	recorded_end(&second);
	end(&first, s);
}

/* Without a rate nothing is sampled, and nothing fails. */
static void test_none(void **state)
{
	struct sampler *s = (struct sampler *)&cpu;
	struct recorded r;

	(void)state;
	recorded_begin(&r);
	memset(&cpu, 0, sizeof(cpu));
	cpu.on = true;
	assert_int_equal(sampler_begin(&s, r.file, 0), 0);
	assert_null(s);
	sampler_read(s, true);
	sampler_leave(s);
	sampler_next(s, r.file);
	sampler_end(s);
	assert_int_equal(sampler_count(s).samples, 0);
	sampler_close(&s);
	cpu.err = -EACCES;
	assert_int_equal(sampler_begin(&s, r.file, 99), -EACCES);
	assert_null(s);
	cpu.on = false;
	recorded_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_next),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
