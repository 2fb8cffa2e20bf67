/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/runs/profile.h"

#include <linux/bpf.h>

#include "kernel/elem.h"
#include "kernel/perf/event.h"

#include "own/runs/profile_entry.bpf.inc"
#include "own/runs/profile_exit.bpf.inc"
static const struct runs_programs programs = { OWN_PROGRAM(profile_entry), OWN_PROGRAM(profile_exit) };

/* Open an event and put it into the map, which then holds it. */
static int profile_event_open(int map, uint32_t slot, const struct profile_event *ev, uint32_t cpu)
{
	CLEAN_FD fd = perf_event_make(&(struct perf_wish){
		.type = ev->type,
		.config = ev->config,
		.pid = -1,
		.cpu = (int32_t)cpu,
		.kernel = true,
	});

	return fd < 0 ? fd : elem_update(map, &slot, &fd, BPF_ANY);
}

/* Open an event on each CPU, in slot @slot of its row. A CPU that is offline fails with -ENODEV. */
static int event_open_all(int map, uint32_t slot, const struct profile_event *ev, uint32_t cpus)
{
	bool there = false;

	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		int err = profile_event_open(map, cpu * PROFILE_EVENTS + slot, ev, cpu);

		if (err && err != -ENODEV)
			return err;
		there = there || !err;
	}
	return there ? 0 : -ENODEV;
}

int profile_open(struct profile *p, struct own *own, struct profile_event *events, size_t n, uint32_t cpus)
{
	uint32_t slot = 0;

	if (!n || n > PROFILE_EVENTS || !cpus || cpus > UINT16_MAX)
		return -EINVAL;
	p->cpus = cpus;
	p->events = own_map(own, &(struct own_map_wish){ "bpflens.events", BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4,
							 cpus * PROFILE_EVENTS, 0 });
	if (p->events < 0)
		return p->events;
	p->counts = own_map(own, &(struct own_map_wish){ "bpflens.counts", BPF_MAP_TYPE_PERCPU_ARRAY, 4,
							 sizeof(struct profile_cpu), 1, 0 });
	if (p->counts < 0)
		return p->counts;
	for (size_t i = 0; i < n; i++) {
		events[i].err = event_open_all(p->events, slot, &events[i], cpus);
		slot += !events[i].err;
	}
	return slot ? 0 : -ENODEV;
}

int profile_attach(struct profile *p, struct own *own, const struct own_target *at, const struct profile_event *events,
		   size_t n)
{
	struct own_const consts[] = { { "nevents", 0 }, { 0 } };
	const struct own_map maps[] = { { "events", p->events }, { "counts", p->counts }, { NULL, -1 } };

	for (size_t i = 0; i < n; i++)
		consts[0].v += !events[i].err;
	return runs_attach(&p->hooks, own, &programs, consts, maps, at);
}

static void count_sum(struct profile_count *to, const struct profile_count *c)
{
	to->value += c->value;
	to->enabled += c->enabled;
	to->running += c->running;
}

int profile_sum(struct profile *p, struct profile_event *events, size_t n, uint64_t *ret_runs)
{
	CLEAN_PTR struct profile_cpu *cpu = calloc(p->cpus, sizeof(*cpu));
	const uint32_t key = 0;
	uint64_t runs = 0;
	int err;

	runs_detach(&p->hooks);
	err = cpu ? elem_lookup(p->counts, &key, cpu, BPF_ANY) : -ENOMEM;
	if (err)
		return err;
	for (uint32_t c = 0; c < p->cpus; c++) {
		size_t slot = 0;

		runs += cpu[c].runs;
		for (size_t i = 0; i < n; i++)
			if (!events[i].err)
				count_sum(&events[i].sum, &cpu[c].sum[slot++]);
	}
	*ret_runs = runs;
	return 0;
}

void profile_close(struct profile *p)
{
	runs_close(&p->hooks);
	clean_fd(&p->events);
	clean_fd(&p->counts);
	*p = (struct profile)PROFILE_NONE;
}
