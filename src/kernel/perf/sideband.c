/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/perf/sideband.h"

#include <linux/perf_event.h>
#include <sys/epoll.h>

#include "kernel/clock.h"
#include "kernel/perf/cpus.h"

#define RING_DEFAULT (512 << 10)

struct record_member { /* a record in the buffer of one call */
	uint64_t time;
	size_t at, n;
};
struct sideband {
	int epoll;
	struct perf_cpus cpus;
	struct str bytes;
	struct record_member *found;
	size_t nfound, cap;
	uint64_t passed, bad;
};

static int sideband_event_open(const void *ctx, int cpu)
{
	const struct sideband_opts *o = ctx;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.ksymbol = !o->text,
		.bpf_event = !o->text,
		.text_poke = o->text,
		.comm = o->tasks,
		.task = o->tasks,
		.use_clockid = 1,
		.clockid = CLOCK_BOOTTIME,
		.read_format = PERF_FORMAT_LOST,
		/* Records other than samples wake the reader only by their bytes. */
		.watermark = 1,
		.wakeup_watermark = o->wake ? (uint32_t)o->wake : 1,
	};
	int fd = perf_cpu_event(&attr, cpu);

	/* Before Linux 6.0 */
	if (fd == -EINVAL) {
		attr.read_format = 0;
		fd = perf_cpu_event(&attr, cpu);
	}
	return fd;
}

static int watch_all(struct sideband *s)
{
	struct epoll_event wanted = { .events = EPOLLIN };

	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll < 0)
		return -errno;
	for (unsigned i = 0; i < s->cpus.n; i++)
		if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->cpus.cpu[i].event, &wanted))
			return -errno;
	return 0;
}

int sideband_open(struct sideband **ret, const struct sideband_opts *o)
{
	struct sideband *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->epoll = -1;
	err = perf_cpus_open(&s->cpus, sideband_event_open, o, o->ring ? o->ring : RING_DEFAULT);
	if (!err)
		err = watch_all(s);
	if (err) {
		sideband_close(&s);
		return err;
	}
	*ret = s;
	return 0;
}

void sideband_close(struct sideband **s)
{
	if (!*s)
		return;
	perf_cpus_close(&(*s)->cpus);
	clean_fd(&(*s)->epoll);
	str_release(&(*s)->bytes);
	free((*s)->found);
	free(*s);
	*s = NULL;
}

int sideband_fd(const struct sideband *s)
{
	return s->epoll;
}

/* Take the records up to @until; true: there are newer ones. */
static bool cpu_take(struct sideband *s, struct perf_cpu *c, uint64_t until)
{
	struct sideband_record r;
	const void *p;
	size_t n;
	int more;

	perf_ring_begin(&c->ring);
	while ((more = perf_ring_next(&c->ring, &p, &n)) > 0) {
		if (sideband_parse(p, n, &r)) {
			s->bad++;
			continue;
		}
		if (r.time > until) {
			perf_ring_back(&c->ring, n);
			break;
		}
		c->lost += r.kind == SIDEBAND_LOST ? r.lost.count : 0;
		ARRAY_MORE(s->found, s->nfound, s->cap);
		s->found[s->nfound++] = (struct record_member){ r.time, s->bytes.n, n };
		str_add(&s->bytes, p, n);
	}
	s->bad += more < 0;
	perf_ring_end(&c->ring);
	return more > 0;
}

static int by_time(const void *a, const void *b)
{
	const struct record_member *x = a, *y = b;

	return NUM_CMP(x->time, y->time) ?: NUM_CMP(x->at, y->at);
}

/*
 * The time is read before any ring. A record that is not newer was written together with those that led to it, so all
 * of them are in the rings now, whichever CPU they are from.
 */
bool sideband_read(struct sideband *s, sideband_handler *handle, void *ctx)
{
	return sideband_read_until(s, clock_ns(CLOCK_BOOTTIME), handle, ctx);
}

bool sideband_read_until(struct sideband *s, uint64_t until, sideband_handler *handle, void *ctx)
{
	struct sideband_record r;
	bool more = false;

	s->nfound = 0;
	str_reset(&s->bytes);
	for (unsigned i = 0; i < s->cpus.n; i++)
		more |= cpu_take(s, &s->cpus.cpu[i], until);
	if (s->nfound)
		qsort(s->found, s->nfound, sizeof(*s->found), by_time);
	for (size_t i = 0; i < s->nfound; i++) {
		sideband_parse(s->bytes.p + s->found[i].at, s->found[i].n, &r);
		handle(ctx, &r);
	}
	s->passed += s->nfound;
	return more;
}

/* The kernel's own count; 0: not supported. */
static uint64_t event_lost(int event)
{
	struct {
		uint64_t value, lost;
	} v = { 0 };

	return read(event, &v, sizeof(v)) == sizeof(v) ? v.lost : 0;
}

struct sideband_count sideband_count(const struct sideband *s)
{
	struct sideband_count c = { .passed = s->passed, .bad = s->bad, .cpus = s->cpus.n };

	for (unsigned i = 0; i < s->cpus.n; i++) {
		uint64_t lost = event_lost(s->cpus.cpu[i].event);

		c.lost += lost > s->cpus.cpu[i].lost ? lost : s->cpus.cpu[i].lost;
	}
	return c;
}
