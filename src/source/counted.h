/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_COUNTED_H
#define SOURCE_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/object.h"

struct machine;
struct arena;
/*
 * Which objects there are, by two ways of counting that owe each other nothing: the lists of ids, and behind them the
 * kernel's iterators. The kernel gives numbers in order (until after two thousand million it begins again), so that an
 * object tells by its number whether it was there before the lists: what somebody has afterwards, and was there before,
 * was left out.
 */
struct counted_ids {
	const uint32_t *ids; /* ascending, each once */
	size_t n;
	int why; /* -errno: not counted; -ENOENT: the kernel has no such way. 0: it was */
};
enum {
	COUNTED_PROCESS = OBJECT_KINDS,
	COUNTED_KINDS
}; /* besides enum object_kind: numbers of processes, listed by /proc */
struct counted {
	struct counted_ids listed[COUNTED_KINDS], walked[COUNTED_KINDS];
	uint32_t before[COUNTED_KINDS]; /* of objects: what has a lower number was there before the list */
};
/*
 * 0, or -errno, noted: it cannot be said what there is. A way that was refused is noted, too, but for one that the
 * kernel does not have. In the arena.
 */
int counted_read(struct counted *ret, struct machine *m, struct arena *a);
extern const char counted_process[]; /* the word for a process in the answer */
bool counted_has(const struct counted_ids *c, uint32_t id);

#endif
