/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "kernel/clock.h"
#include "kernel/perf/cpus.h"
#include "kernel/perf/sampling.h"

#define CONTEXT(c) ((uint64_t)(c))

struct made {
	struct perf_event_header h;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t nr, chain[8];
};

static struct made made(uint16_t mode, const uint64_t *chain, size_t n)
{
	struct made m = { .h = { PERF_RECORD_SAMPLE, mode,
				 (uint16_t)(offsetof(struct made, chain) + n * sizeof(*chain)) },
			  .ip = 0x1010,
			  .pid = 7,
			  .tid = 8,
			  .time = 99,
			  .cpu = 3,
			  .nr = n };

	memcpy(m.chain, chain, n * sizeof(*chain));
	return m;
}

static void kernel(void **state)
{
	const uint64_t chain[] = { CONTEXT(PERF_CONTEXT_KERNEL), 0x1011, 0x2020, 0x3030,
				   CONTEXT(PERF_CONTEXT_USER),	 0x4040 };
	struct made m = made(PERF_RECORD_MISC_KERNEL, chain, 6);
	struct sample s;

	(void)state;
	assert_int_equal(sampling_parse(&m, m.h.size, &s), 0);
	assert_int_equal(s.ip, 0x1010);
	assert_int_equal(s.time, 99);
	assert_int_equal(s.pid, 7);
	assert_int_equal(s.tid, 8);
	assert_int_equal(s.cpu, 3);
	assert_false(s.user);
	assert_int_equal(s.ncallers, 2);
	assert_int_equal(s.callers[0], 0x2020);
	assert_int_equal(s.callers[1], 0x3030);
}

/* In user space, and with a chain of markers only. */
static void no_callers(void **state)
{
	const uint64_t chain[] = { CONTEXT(PERF_CONTEXT_KERNEL), 0x1010, 0x2020 };
	struct made m = made(PERF_RECORD_MISC_USER, chain, 3);
	struct sample s;

	(void)state;
	assert_int_equal(sampling_parse(&m, m.h.size, &s), 0);
	assert_true(s.user);
	assert_int_equal(s.ncallers, 0);
	for (size_t n = 0; n < 3; n++) {
		m = made(PERF_RECORD_MISC_KERNEL, chain, n);
		assert_int_equal(sampling_parse(&m, m.h.size, &s), 0);
		assert_int_equal(s.ncallers, 0);
	}
}

static void damaged(void **state)
{
	const uint64_t chain[] = { CONTEXT(PERF_CONTEXT_KERNEL), 0x1010, 0x2020 };
	struct made m = made(PERF_RECORD_MISC_KERNEL, chain, 3);
	struct sample s;

	(void)state;
	for (size_t n = 0; n < m.h.size; n++)
		assert_int_equal(sampling_parse(&m, n, &s), -EBADMSG);
	m.nr = UINT64_MAX / 8 + 2;
	assert_int_equal(sampling_parse(&m, m.h.size, &s), -EBADMSG);
	m = made(PERF_RECORD_MISC_KERNEL, chain, 3);
	m.h.type = PERF_RECORD_LOST;
	assert_int_equal(sampling_parse(&m, m.h.size, &s), -EBADMSG);
}

struct seen {
	size_t n, own;
	uint64_t first, last;
};

static void see(void *ctx, const struct sample *s)
{
	struct seen *seen = ctx;

	seen->n++;
	seen->own += s->pid == (uint32_t)getpid();
	seen->first = seen->first && seen->first < s->time ? seen->first : s->time;
	seen->last = s->time > seen->last ? s->time : seen->last;
}

/* A process that computes is sampled, at times of the clock. */
static void live(void **state)
{
	NEEDS_SYSFS();
	struct sampling *s;
	struct seen seen = { 0 };
	uint64_t from, to;
	int err = sampling_open(&s, SAMPLING_HZ);

	(void)state;
	if (err == -EACCES || err == -EPERM || err == -ENOSYS)
		skip_because("perf events are not permitted here");
	assert_int_equal(err, 0);
	from = clock_ns(CLOCK_BOOTTIME);
	/* Other processes also compute. */
	while ((to = clock_ns(CLOCK_BOOTTIME)) - from < 10000000000 && seen.own < 20)
		sampling_read(s, see, &seen);
	assert_true(seen.own >= 20);
	assert_true(seen.first > from - 1000000000 && seen.last < to + 1000000000);
	assert_int_equal(sampling_count(s).passed, seen.n);
	assert_int_equal(sampling_count(s).bad, 0);
	sampling_close(&s);
	assert_null(s);
}

static void too_often(void **state)
{
	NEEDS_SYSFS();
	struct sampling *s;
	int err = sampling_open(&s, 1000000000);

	(void)state;
	assert_true(err == -EINVAL || err == -EACCES || err == -EPERM || err == -ENOSYS);
}

/* What a kernel without any events was asked for. */
static struct {
	bool refuses;
	unsigned n;
	struct {
		uint32_t type, precise;
	} v[8];
} asked;

int __real_perf_cpu_event(struct perf_event_attr *attr, int cpu);
int __wrap_perf_cpu_event(struct perf_event_attr *attr, int cpu);
int __wrap_perf_cpu_event(struct perf_event_attr *attr, int cpu)
{
	if (!asked.refuses)
		return __real_perf_cpu_event(attr, cpu);
	assert_true(asked.n < ARRAY_SIZE(asked.v));
	asked.v[asked.n].type = attr->type;
	asked.v[asked.n++].precise = attr->precise_ip;
	return -EOPNOTSUPP;
}

/* The addresses are as exact as the CPU can; without its events there is a clock. */
static void exact(void **state)
{
	NEEDS_SYSFS();
	struct sampling *s;

	(void)state;
	asked.refuses = true;
	assert_int_equal(sampling_open(&s, SAMPLING_HZ), -EOPNOTSUPP);
	asked.refuses = false;
	assert_int_equal(asked.n, 5);
	for (unsigned i = 0; i < 4; i++)
		assert_true(asked.v[i].type == PERF_TYPE_HARDWARE && asked.v[i].precise == 3 - i);
	assert_true(asked.v[4].type == PERF_TYPE_SOFTWARE && asked.v[4].precise == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel), cmocka_unit_test(no_callers), cmocka_unit_test(damaged),
		cmocka_unit_test(live),	  cmocka_unit_test(too_often),	cmocka_unit_test(exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
