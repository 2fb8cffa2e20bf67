/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/sampling.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "kernel/clock.h"
#include "kernel/perf_ring.h"

#define RING (1u << 20)

struct cpu {
	int event;
	struct perf_ring ring;
	uint64_t lost;			/* that records told of */
};
struct sampling {
	struct cpu *cpu;
	unsigned n;
	bool hardware;
	uint64_t told, bad, throttled;
};

/* From how many of the precise forms of cycles there are down to none. */
#define PRECISE_MAX 3

/*
 * The clock of boot may not be read in an interrupt that cannot be masked, where hardware events are. The clock without sleep may, and
 * is not far from it.
 */
static int event_open(bool hardware, uint32_t hz, int cpu)
{
	struct perf_event_attr attr = {
		.type = hardware ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
		.config = hardware ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr), .freq = 1, .sample_freq = hz, .disabled = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN,
		.exclude_callchain_user = 1, .exclude_idle = 1, .exclude_guest = hardware, .use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		.watermark = 1, .wakeup_watermark = RING / 2,
	};
	long fd = -1;

	for (int precise = hardware ? PRECISE_MAX : 0; fd < 0 && precise >= 0; precise--) {
		attr.precise_ip = (unsigned)precise & PRECISE_MAX;
		fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return fd < 0 ? -errno : (int)fd;
}

/* 0, also where the CPU is offline. */
static int cpu_open(struct sampling *s, uint32_t hz, int number)
{
	struct cpu *c = &s->cpu[s->n];
	CLEAN_FD event = event_open(s->hardware, hz, number);
	int err;

	if (event < 0)
		return event == -ENODEV ? 0 : event;
	err = perf_ring_open(&c->ring, event, perf_ring_size(RING));
	if (err)
		return err;
	c->event = TAKE_FD(event);
	s->n++;
	return 0;
}

static void cpus_close(struct sampling *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		perf_ring_close(&s->cpu[i].ring);
		clean_fd(&s->cpu[i].event);
	}
	s->n = 0;
}

static int cpus_open(struct sampling *s, uint32_t hz, int cpus, bool hardware)
{
	int err = 0;

	s->hardware = hardware;
	for (int i = 0; !err && i < cpus; i++)
		err = cpu_open(s, hz, i);
	if (!err && !s->n)
		err = -ENODEV;
	if (err)
		cpus_close(s);
	return err;
}

int sampling_open(struct sampling **ret, uint32_t hz)
{
	int cpus = libbpf_num_possible_cpus(), err = cpus < 0 ? cpus : 0;
	struct sampling *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->cpu = err ? NULL : calloc((size_t)cpus, sizeof(*s->cpu));
	if (!err && !s->cpu)
		err = -ENOMEM;
	if (!err)
		err = cpus_open(s, hz, cpus, true);
	/* The CPU, or the machine that it is a part of, counts no cycles. */
	if (err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV)
		err = cpus_open(s, hz, cpus, false);
	for (unsigned i = 0; !err && i < s->n; i++)
		err = ioctl(s->cpu[i].event, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
	if (err) {
		sampling_close(&s);
		return err;
	}
	*ret = s;
	return 0;
}

int sampling_failed(int err, struct err *e)
{
	err_sys(e, err, "cannot take samples (perf_event_open)");
	if (err == -EINVAL)
		return err_hint(e, "kernel.perf_event_max_sample_rate says how many a second are allowed");
	return err_hint(e, "it needs CAP_PERFMON or root, or a lower kernel.perf_event_paranoid");
}

void sampling_close(struct sampling **s)
{
	if (!*s)
		return;
	cpus_close(*s);
	free((*s)->cpu);
	free(*s);
	*s = NULL;
}

const char *sampling_event(const struct sampling *s)
{
	return s->hardware ? "cycles" : "cpu-clock";
}

struct body { uint64_t ip; uint32_t pid, tid; uint64_t time; uint32_t cpu, reserved; uint64_t nr; };
#define IS_CONTEXT(addr) ((addr) >= (uint64_t)PERF_CONTEXT_MAX)

/* The chain begins with where it is; marks between its parts say whose they are, and only the kernel's was asked for. */
static void callers(const uint64_t *chain, uint64_t n, struct sample *ret)
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
		callers((const uint64_t *)((const unsigned char *)p + head), b.nr, ret);
	return 0;
}

/* Between the clock of the events and that of boot. */
static uint64_t asleep(void)
{
	const uint64_t mono = clock_ns(CLOCK_MONOTONIC);

	return clock_ns(CLOCK_BOOTTIME) - mono;
}

static void record(struct sampling *s, struct cpu *c, const void *p, size_t n, uint64_t later, sampling_heard *heard, void *ctx)
{
	struct { struct perf_event_header h; uint64_t id, lost; } lost;
	struct sample sample;

	memcpy(&lost.h, p, sizeof(lost.h));
	if (lost.h.type == PERF_RECORD_THROTTLE) {
		s->throttled++;
	} else if (lost.h.type == PERF_RECORD_LOST && n >= sizeof(lost)) {
		memcpy(&lost, p, sizeof(lost));
		c->lost += lost.lost;
	} else if (lost.h.type == PERF_RECORD_SAMPLE && !sampling_parse(p, n, &sample)) {
		sample.time += later;
		s->told++;
		heard(ctx, &sample);
	} else if (lost.h.type == PERF_RECORD_SAMPLE || lost.h.type == PERF_RECORD_LOST) {
		s->bad++;
	}
}

void sampling_read(struct sampling *s, sampling_heard *heard, void *ctx)
{
	const uint64_t later = asleep();
	const void *p;
	size_t n;
	int more;

	for (unsigned i = 0; i < s->n; i++) {
		struct cpu *c = &s->cpu[i];

		perf_ring_begin(&c->ring);
		while ((more = perf_ring_next(&c->ring, &p, &n)) > 0)
			record(s, c, p, n, later, heard, ctx);
		s->bad += more < 0;
		perf_ring_end(&c->ring);
	}
}

struct sampling_count sampling_count(const struct sampling *s)
{
	struct sampling_count c = { .told = s->told, .bad = s->bad, .throttled = s->throttled, .cpus = s->n };

	for (unsigned i = 0; i < s->n; i++)
		c.lost += s->cpu[i].lost;
	return c;
}
