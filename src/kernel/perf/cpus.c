/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/perf/cpus.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "kernel/cpus.h"

int perf_cpu_event(struct perf_event_attr *attr, int cpu)
{
	long fd = syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int cpu_add(struct perf_cpus *p, perf_cpu_open *open, const void *ctx, size_t size, int number)
{
	struct perf_cpu *c = &p->cpu[p->n];
	CLEAN_FD event = open(ctx, number);
	int err;

	if (event < 0)
		return event == -ENODEV ? 0 : event;
	err = perf_ring_open(&c->ring, event, size);
	if (err)
		return err;
	c->event = TAKE_FD(event);
	p->n++;
	return 0;
}

int perf_cpus_open(struct perf_cpus *ret, perf_cpu_open *open, const void *ctx, size_t size)
{
	CLEAN_PTR uint32_t *number = NULL;
	const int cpus = cpus_possible(&number);
	struct perf_cpus p = { 0 };
	int err = 0;

	if (cpus < 0)
		return cpus;
	p.cpu = calloc((size_t)cpus, sizeof(*p.cpu));
	if (!p.cpu)
		return -ENOMEM;
	for (int i = 0; !err && i < cpus; i++)
		err = cpu_add(&p, open, ctx, perf_ring_size(size), (int)number[i]);
	if (!err && !p.n)
		err = -ENODEV;
	if (err) {
		perf_cpus_close(&p);
		return err;
	}
	*ret = p;
	return 0;
}

void perf_cpus_close(struct perf_cpus *p)
{
	for (unsigned i = 0; i < p->n; i++) {
		perf_ring_close(&p->cpu[i].ring);
		clean_fd(&p->cpu[i].event);
	}
	free(p->cpu);
	*p = (struct perf_cpus){ 0 };
}
