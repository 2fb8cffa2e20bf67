/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/runs/times.h"

#include <linux/bpf.h>

#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "kernel/elem.h"

#include "own/runs/times_entry.bpf.inc"
#include "own/runs/times_exit.bpf.inc"
static const struct runs_programs programs = { OWN_PROGRAM(times_entry), OWN_PROGRAM(times_exit) };

int times_attach(struct times *t, struct own *own, const struct own_target *at, uint32_t cpus)
{
	if (!cpus)
		return -EINVAL;
	t->cpus = cpus;
	t->cpu = calloc(cpus, sizeof(*t->cpu));
	if (!t->cpu)
		return -ENOMEM;
	t->map = own_map(own, &(struct own_map_wish){ "bpflens.times", BPF_MAP_TYPE_PERCPU_ARRAY, 4,
						      sizeof(struct times_cpu), 1, 0 });
	if (t->map < 0)
		return t->map;
	return runs_attach(&t->hooks, own, &programs, NULL, (struct own_map[]){ { "times", t->map }, { NULL, -1 } },
			   at);
}

/* The kernel counts how often it skipped a program (since Linux 5.12). */
static int skipped(const struct own_loaded *l, uint64_t *ret)
{
	struct abi_prog_info info = { 0 };
	uint32_t len = sizeof(info);
	int err = sys_object_info(l->prog, &info, &len);

	*ret = info.recursion_misses;
	return err;
}

/* A run whose entry was skipped is counted by the exit program. */
int times_read(struct times *t, struct times_sum *ret)
{
	const uint32_t key = 0;
	int err = elem_lookup(t->map, &key, t->cpu, BPF_ANY);

	memset(ret, 0, sizeof(*ret));
	if (!err)
		err = skipped(&t->hooks.exit, &ret->lost);
	for (uint32_t c = 0; !err && c < t->cpus; c++) {
		const struct times_cpu *cpu = &t->cpu[c];

		ret->sum += cpu->sum;
		ret->most = cpu->most > ret->most ? cpu->most : ret->most;
		ret->lost += cpu->lost;
		for (uint32_t i = 0; i < TIMES_SLOTS; i++)
			ret->count[i] += cpu->count[i];
	}
	return err;
}

void times_close(struct times *t)
{
	runs_close(&t->hooks);
	clean_fd(&t->map);
	free(t->cpu);
	*t = (struct times)TIMES_NONE;
}

uint64_t times_least(uint32_t slot)
{
	uint32_t shift = slot / TIMES_PART;

	return shift < 2 ? slot : (uint64_t)(TIMES_PART + slot % TIMES_PART) << (shift - 1);
}
