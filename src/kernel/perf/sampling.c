/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/perf/sampling.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "kernel/clock.h"
#include "kernel/perf/cpus.h"

#define RING (1u << 20)

struct sampling {
	struct perf_cpus cpus;
	bool hardware;
	uint64_t passed, bad, throttled;
};

/* The highest value of precise_ip; lower ones are tried down to 0. */
#define PRECISE_MAX 3

struct wish {
	uint32_t hz;
	bool hardware;
};
/*
 * CLOCK_BOOTTIME cannot be used in a non-maskable interrupt, where hardware events are sampled. CLOCK_MONOTONIC can,
 * and differs only by the time asleep.
 */
static int sampling_event_open(const void *ctx, int cpu)
{
	const struct wish *w = ctx;
	struct perf_event_attr attr = {
		.type = w->hardware ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
		.config = w->hardware ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.freq = 1,
		.sample_freq = w->hz,
		.disabled = 1,
		.sample_type =
			PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN,
		.exclude_callchain_user = 1,
		.exclude_idle = 1,
		.exclude_guest = w->hardware,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = RING / 2,
	};
	int fd = -1;

	for (int precise = w->hardware ? PRECISE_MAX : 0; fd < 0 && precise >= 0; precise--) {
		attr.precise_ip = (unsigned)precise & PRECISE_MAX;
		fd = perf_cpu_event(&attr, cpu);
	}
	return fd;
}

static int cpus_open(struct sampling *s, uint32_t hz, bool hardware)
{
	s->hardware = hardware;
	return perf_cpus_open(&s->cpus, sampling_event_open, &(const struct wish){ hz, hardware }, RING);
}

int sampling_open(struct sampling **ret, uint32_t hz)
{
	struct sampling *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	err = cpus_open(s, hz, true);
	/* The CPU, or the virtual machine, does not count cycles. */
	if (err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV)
		err = cpus_open(s, hz, false);
	for (unsigned i = 0; !err && i < s->cpus.n; i++)
		err = ioctl(s->cpus.cpu[i].event, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
	if (err) {
		sampling_close(&s);
		return err;
	}
	*ret = s;
	return 0;
}

int sampling_error(int err, struct err *e)
{
	err_sys(e, err, "cannot take samples (perf_event_open)");
	if (err == -EINVAL)
		return err_hint(e, "kernel.perf_event_max_sample_rate limits the samples per second");
	return err_hint(e, "run it as root or with CAP_PERFMON, or lower kernel.perf_event_paranoid");
}

void sampling_close(struct sampling **s)
{
	if (!*s)
		return;
	perf_cpus_close(&(*s)->cpus);
	free(*s);
	*s = NULL;
}

const char *sampling_event(const struct sampling *s)
{
	return s->hardware ? "cycles" : "cpu-clock";
}

struct body {
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t nr;
};
#define IS_CONTEXT(addr) ((addr) >= (uint64_t)PERF_CONTEXT_MAX)

void sampling_callers(const uint64_t *chain, uint64_t n, struct sample *ret)
{
	uint64_t at = 0, end;

	while (at < n && IS_CONTEXT(chain[at]))
		at++;
	at++;
	for (end = at; end < n && !IS_CONTEXT(chain[end]); end++)
		;
	if (end <= at)
		return;
	ret->callers = chain + at;
	ret->ncallers = (uint16_t)(end - at);
}

int sampling_parse(const void *p, size_t n, struct sample *ret)
{
	const size_t head = sizeof(struct perf_event_header) + sizeof(struct body);
	struct perf_event_header h;
	struct body b;

	if (n < head)
		return -EBADMSG;
	memcpy(&h, p, sizeof(h));
	memcpy(&b, (const unsigned char *)p + sizeof(h), sizeof(b));
	if (h.type != PERF_RECORD_SAMPLE || b.nr > (n - head) / sizeof(uint64_t))
		return -EBADMSG;
	*ret = (struct sample){ .time = b.time, .ip = b.ip, .pid = b.pid, .tid = b.tid, .cpu = b.cpu };
	ret->user = (h.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL;
	if (!ret->user)
		sampling_callers((const uint64_t *)((const unsigned char *)p + head), b.nr, ret);
	return 0;
}

/* Nanoseconds between CLOCK_MONOTONIC and CLOCK_BOOTTIME. */
static uint64_t asleep(void)
{
	const uint64_t mono = clock_ns(CLOCK_MONOTONIC);

	return clock_ns(CLOCK_BOOTTIME) - mono;
}

static void sampling_record(struct sampling *s, struct perf_cpu *c, const void *p, size_t n, uint64_t later,
			    sampling_handler *handle, void *ctx)
{
	struct perf_event_header h;
	struct sample sample;
	uint64_t lost;

	memcpy(&h, p, sizeof(h));
	if (h.type == PERF_RECORD_THROTTLE) {
		s->throttled++;
	} else if (h.type == PERF_RECORD_LOST && !perf_ring_lost(p, n, &lost)) {
		c->lost += lost;
	} else if (h.type == PERF_RECORD_SAMPLE && !sampling_parse(p, n, &sample)) {
		sample.time += later;
		s->passed++;
		handle(ctx, &sample);
	} else if (h.type == PERF_RECORD_SAMPLE || h.type == PERF_RECORD_LOST) {
		s->bad++;
	}
}

void sampling_read(struct sampling *s, sampling_handler *handle, void *ctx)
{
	const uint64_t later = asleep();
	const void *p;
	size_t n;
	int more;

	for (unsigned i = 0; i < s->cpus.n; i++) {
		struct perf_cpu *c = &s->cpus.cpu[i];

		perf_ring_begin(&c->ring);
		while ((more = perf_ring_next(&c->ring, &p, &n)) > 0)
			sampling_record(s, c, p, n, later, handle, ctx);
		s->bad += more < 0;
		perf_ring_end(&c->ring);
	}
}

struct sampling_count sampling_count(const struct sampling *s)
{
	struct sampling_count c = { .passed = s->passed, .bad = s->bad, .throttled = s->throttled, .cpus = s->cpus.n };

	for (unsigned i = 0; i < s->cpus.n; i++)
		c.lost += s->cpus.cpu[i].lost;
	return c;
}
