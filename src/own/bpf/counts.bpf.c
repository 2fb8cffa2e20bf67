/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>

#include "own/bpf/counts.bpf.h"
#include "own/bpf/program.bpf.h"

OFFSET(bpf_map, id);
OFFSET(bpf_map, map_type);
OFFSET(bpf_map, elem_count) __weak;
OFFSET(lpm_trie, n_entries) __weak;
OFFSET(bpf_queue_stack, head) __weak;
OFFSET(bpf_queue_stack, tail) __weak;
OFFSET(bpf_queue_stack, size) __weak;
extern __s64 bpf_map_sum_elem_count(const void *map) __ksym __weak;

enum { LPM_TRIE = 11, QUEUE = 22, STACK = 23 }; /* enum bpf_map_type */

/* A queue or stack: head and tail are indexes of an array of that size. */
static __always_inline bool queue_count(const char *map, uint64_t *ret)
{
	__u32 head = 0, tail = 0, size = 0;

	if (at__bpf_queue_stack__head < 0 || at__bpf_queue_stack__tail < 0 || at__bpf_queue_stack__size < 0)
		return false;
	PROBE(head, map, bpf_queue_stack, head);
	PROBE(tail, map, bpf_queue_stack, tail);
	PROBE(size, map, bpf_queue_stack, size);
	if (!size)
		return false;
	*ret = (head + (__u64)size - tail) % size;
	return true;
}

static __always_inline bool map_count(const char *map, __u32 type, uint64_t *ret)
{
	__u64 counter = 0, entries = 0;

	if (at__bpf_map__elem_count >= 0 && bpf_map_sum_elem_count) {
		PROBE(counter, map, bpf_map, elem_count);
		if (counter) {
			__s64 sum = bpf_map_sum_elem_count(map);

			/* Summed up while CPUs count, so the sum may be negative for a moment. */
			*ret = sum > 0 ? sum : 0;
			return true;
		}
	}
	if (type == LPM_TRIE && at__lpm_trie__n_entries >= 0) {
		PROBE(entries, map, lpm_trie, n_entries);
		*ret = entries;
		return true;
	}
	return (type == QUEUE || type == STACK) && queue_count(map, ret);
}

SEC("iter/bpf_map") int map_counts(struct iter_bpf_map *ctx)
{
	const char *map = ctx->map;
	struct count c = { 0 };

	if (!map || !map_count(map, READ((__u32){ 0 }, map, bpf_map, map_type), &c.n))
		return 0;
	c.id = READ(c.id, map, bpf_map, id);
	bpf_seq_write(ctx->meta->seq, &c, sizeof(c));
	return 0;
}
