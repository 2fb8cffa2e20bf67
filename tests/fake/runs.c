/* SPDX-License-Identifier: BSD-2-Clause */
/* What the runs of a program do: its packets go to the rings that it uses, and profile_exit.bpf.c counts events. */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include "fake.h"
#include "own/bpf/profile.bpf.h"

#define POINTER(v) ((void *)(uintptr_t)(v))

/* The event in a slot of a map. */
static const struct object *event_at(const struct object *map, uint64_t slot)
{
	CLEAN_FD file = object_file(map);
	uint32_t id = 0;

	if (slot < map->info.map.max_entries && pread(file, &id, sizeof(id), (off_t)slot * 8) != sizeof(id))
		abort();
	return id ? object_by_id(OBJECT_PERF, id) : NULL;
}

static void sample_send(const struct object *event, const void *data, uint32_t n)
{
	struct {
		struct perf_event_header h;
		uint64_t time;
		uint32_t size;
		unsigned char data[260]; /* with it a multiple of 8 */
	} r = { .h.type = PERF_RECORD_SAMPLE, .time = fake_now(), .size = (n + 4 + 7) / 8 * 8 - 4 };

	memcpy(r.data, data, n < sizeof(r.data) ? n : sizeof(r.data));
	r.h.size = (uint16_t)(offsetof(__typeof__(r), data) + r.size);
	perf_write(event, &r, r.h.size);
}

/* On CPU 0. */
void run_sends(const struct object *prog, const void *data, uint32_t n)
{
	for (uint32_t i = 0; i < prog->nholds; i++) {
		const struct object *o = &kernel->objects[prog->holds[i]];
		const struct object *event;

		if (o->kind != OBJECT_MAP)
			continue;
		if (o->info.map.type == BPF_MAP_TYPE_RINGBUF)
			ring_output(o, data, n);
		event = o->info.map.type == BPF_MAP_TYPE_PERF_EVENT_ARRAY ? event_at(o, 0) : NULL;
		if (event)
			sample_send(event, data, n);
	}
}

/* Each event counts 1000 times its slot plus 1 in a run, half of the time. */
static void count(const struct object *profiler)
{
	const struct object *map = map_of(profiler, "bpflens.counts"), *events = map_of(profiler, "bpflens.events");
	struct profile_cpu *cpu = map ? contents(map, sizeof(*cpu)) : NULL;

	if (!cpu || !events)
		return;
	cpu->runs++;
	for (uint32_t i = 0; i < PROFILE_EVENTS && event_at(events, i); i++) {
		cpu->sum[i].value += 1000 * (i + 1);
		cpu->sum[i].enabled += 1000;
		cpu->sum[i].running += 500;
	}
	munmap(cpu, sizeof(*cpu));
}

void run_counts(const struct object *prog)
{
	for (int i = 0; i < OBJECTS; i++) {
		const struct object *o = &kernel->objects[i], *p;

		if (!o->used || o->kind != OBJECT_LINK || o->info.link.type != ABI_LINK_TRACING || !object_is_open(o))
			continue;
		p = object_by_id(OBJECT_PROG, o->info.link.prog_id);
		if (p && !strcmp(p->info.prog.name, "profile_exit") && p->target == prog->id)
			count(p);
	}
}

/* Our own programs are run for what they return. */
int run_raw(const struct object *prog, union bpf_attr *attr)
{
	const struct object *map = prog->nholds ? &kernel->objects[prog->holds[0]] : NULL;
	const uint64_t *slot = POINTER(attr->test.ctx_in);

	if (!strcmp(prog->info.prog.name, "events_find_tak"))
		attr->test.retval = event_at(map, *slot) ? 0 : (uint32_t)-ENOENT;
	return 0;
}
