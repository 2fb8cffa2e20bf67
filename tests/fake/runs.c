/* SPDX-License-Identifier: BSD-2-Clause */
/* What the runs of a program do: its packets go to the rings that it uses, and profile_exit.bpf.c and times_exit.bpf.c
 * count. */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include "fake.h"
#include "kernel/loader.h"
#include "own/runs/profile.bpf.h"
#include "own/runs/times.bpf.h"

#define POINTER(v) ((void *)(uintptr_t)(v))

/* The event in a slot of a map. */
static const struct object *event_at(const struct object *map, uint64_t slot)
{
	CLEAN_FD file = object_file(map);
	uint32_t id = 0;

	if (slot < map->info.map.max_entries && pread(file, &id, sizeof(id), (off_t)slot * 8) != sizeof(id))
		FAKE_ABORT();
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

/* The packet is a list of addresses, the stack with number 7. */
static void stack_keep(const struct object *map, const void *data, uint32_t n)
{
	struct object *stacks = object_by_id(OBJECT_MAP, map->id);
	const uint32_t size = map->info.map.value_size;
	unsigned char *slot = contents(map, 16 + size);

	if (!slot)
		return;
	slot[0] = 1;
	slot[8] = 7;
	memcpy(slot + 16, data, n < size ? n : size);
	stacks->top = 1;
	munmap(slot, 16 + size);
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
		if (o->info.map.type == BPF_MAP_TYPE_STACK_TRACE)
			stack_keep(o, data, n);
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

/* A run takes a microsecond. */
static void time_add(const struct object *timer)
{
	const struct object *map = map_of(timer, "bpflens.times");
	struct times_cpu *cpu = map ? contents(map, sizeof(*cpu)) : NULL;

	if (!cpu)
		return;
	cpu->count[times_slot(1000)]++;
	cpu->sum += 1000;
	cpu->most = 1000;
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
		if (p && !strcmp(p->info.prog.name, "times_exit") && p->target == prog->id)
			time_add(p);
	}
}

/* A loader of libbpf, of fewer than 4 programs: all maps and programs that it makes are the same. */
static int loader_runs(const union bpf_attr *attr)
{
	const struct bpf_insn pass[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 2 },
					 { .code = BPF_JMP | BPF_EXIT } };
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1, .map_name = "loaded"
	};
	union bpf_attr prog = { .prog_type = BPF_PROG_TYPE_XDP,
				.insns = (uintptr_t)pass,
				.insn_cnt = 2,
				.license = (uintptr_t) "GPL",
				.prog_name = "loaded" };
	const struct loader_ctx *ctx = POINTER(attr->test.ctx_in);
	struct loader_map *m = (void *)(ctx + 1);
	const uint32_t maps = (ctx->size - (uint32_t)sizeof(*ctx)) / sizeof(*m);
	struct loader_prog *p = (void *)(m + maps);

	for (uint32_t i = 0; i < maps; i++)
		m[i].fd = map_command(BPF_MAP_CREATE, &map);
	for (; (char *)p < (char *)ctx + ctx->size; p++)
		p->fd = prog_command(BPF_PROG_LOAD, &prog);
	return 0;
}

/* Our own programs are run for what they return. */
int run_raw(const struct object *prog, union bpf_attr *attr)
{
	const struct object *map = prog->nholds ? &kernel->objects[prog->holds[0]] : NULL;
	const uint64_t *slot = POINTER(attr->test.ctx_in);

	if (!strcmp(prog->info.prog.name, "__loader.prog"))
		return loader_runs(attr);
	if (!strcmp(prog->info.prog.name, "events_find_tak"))
		attr->test.retval = event_at(map, *slot) ? 0 : (uint32_t)-ENOENT;
	return 0;
}
