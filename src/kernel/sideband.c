/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/sideband.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clean.h"
#include "base/str.h"
#include "kernel/clock.h"
#include "kernel/perf_ring.h"

#define RING_DEFAULT (512 << 10)

/* One CPU. */
struct band {
	int event;
	struct perf_ring ring;
	uint64_t lost;			/* that records told of */
};
struct found {				/* a record in the heap of one call */
	uint64_t time;
	size_t at, n;
};
struct sideband {
	int epoll;
	struct band *band;
	unsigned n;
	struct str bytes;
	struct found *found;
	size_t nfound, cap;
	uint64_t told, bad;
};

static int event_open(const struct sideband_opts *o, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .size = sizeof(attr),
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, .sample_id_all = 1,
		.ksymbol = 1, .bpf_event = 1, .comm = o->tasks, .task = o->tasks,
		.use_clockid = 1, .clockid = CLOCK_BOOTTIME, .read_format = PERF_FORMAT_LOST,
		/* Records that are no samples wake by their bytes alone. */
		.watermark = 1, .wakeup_watermark = o->wake ? (uint32_t)o->wake : 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	/* Linux 5.19 and older */
	if (fd < 0 && errno == EINVAL) {
		attr.read_format = 0;
		fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return fd < 0 ? -errno : (int)fd;
}

/* 0, also where the CPU is offline. */
static int band_open(struct sideband *s, const struct sideband_opts *o, int cpu)
{
	struct epoll_event wanted = { .events = EPOLLIN };
	struct band *b = &s->band[s->n];
	CLEAN_FD event = event_open(o, cpu);
	int err;

	if (event < 0)
		return event == -ENODEV ? 0 : event;
	err = perf_ring_open(&b->ring, event, perf_ring_size(o->ring ? o->ring : RING_DEFAULT));
	if (err)
		return err;
	b->event = TAKE_FD(event);
	s->n++;
	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, b->event, &wanted) ? -errno : 0;
}

int sideband_open(struct sideband **ret, const struct sideband_opts *o)
{
	int cpus = libbpf_num_possible_cpus(), err = cpus < 0 ? cpus : 0;
	struct sideband *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll < 0)
		err = -errno;
	s->band = err ? NULL : calloc((size_t)cpus, sizeof(*s->band));
	if (!err && !s->band)
		err = -ENOMEM;
	for (int cpu = 0; !err && cpu < cpus; cpu++)
		err = band_open(s, o, cpu);
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
	for (unsigned i = 0; i < (*s)->n; i++) {
		perf_ring_close(&(*s)->band[i].ring);
		clean_fd(&(*s)->band[i].event);
	}
	clean_fd(&(*s)->epoll);
	str_release(&(*s)->bytes);
	free((*s)->found);
	free((*s)->band);
	free(*s);
	*s = NULL;
}

int sideband_fd(const struct sideband *s)
{
	return s->epoll;
}

/* Those that are not newer than @until; true: there are newer ones. */
static bool band_take(struct sideband *s, struct band *b, uint64_t until)
{
	struct sideband_record r;
	const void *p;
	size_t n;
	int more;

	perf_ring_begin(&b->ring);
	while ((more = perf_ring_next(&b->ring, &p, &n)) > 0) {
		if (sideband_parse(p, n, &r)) {
			s->bad++;
			continue;
		}
		if (r.time > until) {
			perf_ring_back(&b->ring, n);
			break;
		}
		b->lost += r.kind == SIDEBAND_LOST ? r.lost.count : 0;
		s->found = array_more(s->found, s->nfound, &s->cap, sizeof(*s->found));
		s->found[s->nfound++] = (struct found){ r.time, s->bytes.n, n };
		str_add(&s->bytes, p, n);
	}
	s->bad += more < 0;
	perf_ring_end(&b->ring);
	return more > 0;
}

static int by_time(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/*
 * The time is taken before any ring is looked at. A record that is not newer was written with all that led to it, so that these
 * are in the rings by now, whichever CPU they are from.
 */
bool sideband_read(struct sideband *s, sideband_heard *heard, void *ctx)
{
	return sideband_read_until(s, clock_ns(CLOCK_BOOTTIME), heard, ctx);
}

bool sideband_read_until(struct sideband *s, uint64_t until, sideband_heard *heard, void *ctx)
{
	struct sideband_record r;
	bool more = false;

	s->nfound = 0;
	str_reset(&s->bytes);
	for (unsigned i = 0; i < s->n; i++)
		more |= band_take(s, &s->band[i], until);
	if (s->nfound)
		qsort(s->found, s->nfound, sizeof(*s->found), by_time);
	for (size_t i = 0; i < s->nfound; i++) {
		sideband_parse(s->bytes.p + s->found[i].at, s->found[i].n, &r);
		heard(ctx, &r);
	}
	s->told += s->nfound;
	return more;
}

/* The kernel's own count; 0 where it has none. */
static uint64_t event_lost(int event)
{
	struct { uint64_t value, lost; } v = { 0 };

	return read(event, &v, sizeof(v)) == sizeof(v) ? v.lost : 0;
}

struct sideband_count sideband_count(const struct sideband *s)
{
	struct sideband_count c = { .told = s->told, .bad = s->bad, .cpus = s->n };

	for (unsigned i = 0; i < s->n; i++) {
		uint64_t lost = event_lost(s->band[i].event);

		c.lost += lost > s->band[i].lost ? lost : s->band[i].lost;
	}
	return c;
}
