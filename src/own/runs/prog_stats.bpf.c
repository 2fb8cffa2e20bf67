/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/runs/prog_stats.bpf.h"
#include "own/bpf/program.bpf.h"

OFFSET(bpf_prog, aux);
OFFSET(bpf_prog, stats);
OFFSET(bpf_prog_aux, id);
OFFSET(bpf_prog_aux, used_map_cnt);
OFFSET(bpf_prog_aux, load_time);
OFFSET(bpf_prog_stats, cnt);
OFFSET(bpf_prog_stats, nsecs);
OFFSET(bpf_prog_stats, misses);
OFFSET(bpf_array, pptrs);
const volatile __u32 cpus; /* they have the numbers below */

GIVEN_MAP(each); /* a per-CPU array */
struct {
	volatile __u64 map, value;
} address;

/*
 * The same address of a CPU is at the same distance in all per-CPU memory: the distance is that of the value of a map
 * of ours. The verifier lets no pointer be used as a number before it was in memory.
 */
static __always_inline int distance(const char *first, __u32 cpu, __u64 *ret)
{
	__u32 zero = 0;
	void *value = bpf_map_lookup_percpu_elem(&each, &zero, cpu);

	if (!value)
		return -1;
	address.value = (__u64)value;
	*ret = address.value - (__u64)first;
	return 0;
}

static __always_inline int cpu_add(const char *stats, struct prog_stats *r)
{
	struct {
		__u64 cnt, nsecs, misses;
	} one = { 0, 0, 0 };

	if (PROBE(one, stats, bpf_prog_stats, cnt))
		return -1;
	r->run_cnt += one.cnt;
	r->run_time_ns += one.nsecs;
	r->recursion_misses += one.misses;
	return 0;
}

SEC("iter/bpf_prog") int prog_stats(struct iter_bpf_prog *ctx)
{
	const char *prog = ctx->prog, *aux, *stats = 0, *first = 0;
	struct prog_stats r = { 0 };

	if (!prog || at__bpf_prog_stats__nsecs != at__bpf_prog_stats__cnt + 8 ||
	    at__bpf_prog_stats__misses != at__bpf_prog_stats__cnt + 16)
		return 0;
	aux = READ(aux, prog, bpf_prog, aux);
	r.id = READ(r.id, aux, bpf_prog_aux, id);
	r.nr_maps = READ(r.nr_maps, aux, bpf_prog_aux, used_map_cnt);
	r.load_time = READ(r.load_time, aux, bpf_prog_aux, load_time);
	PROBE(stats, prog, bpf_prog, stats);
	address.map = (__u64)&each;
	PROBE(first, address.map, bpf_array, pptrs);
	if (!stats || !first)
		return 0;
	for (__u32 cpu = 0; cpu < cpus; cpu++) {
		__u64 far;

		if (distance(first, cpu, &far) || cpu_add(stats + far, &r))
			return 0;
	}
	bpf_seq_write(ctx->meta->seq, &r, sizeof(r));
	return 0;
}
