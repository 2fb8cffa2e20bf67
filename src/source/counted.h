/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "kernel/object.h"

struct machine;
/*
 * The objects of a machine, listed in two independent ways: by the lists of ids, and after them by the kernel's
 * iterators. The kernel assigns ids in order (it starts again after two thousand million), so the id of an object shows
 * whether it existed before the lists were made: if it did and is not in the list, it was left out.
 */
struct counted_ids {
	const uint32_t *ids; /* ascending, each once */
	size_t n;
	int why; /* -errno: not listed; -ENOENT: the kernel does not offer this way; 0: listed */
};
enum { COUNTED_PROCESS = OBJECT_KINDS, COUNTED_KINDS }; /* in addition to enum object_kind: pids, listed by /proc */
struct counted {
	struct counted_ids listed[COUNTED_KINDS], walked[COUNTED_KINDS];
	uint32_t before[COUNTED_KINDS]; /* for objects: one with a lower id existed before the list */
};
/*
 * 0, or -errno, noted: there is no answer. A way that was refused is also noted, unless the kernel does not offer it.
 * In the arena.
 */
int counted_read(struct counted *ret, struct machine *m, struct arena *a);
extern const char counted_process[]; /* the name of processes in the answer */
bool counted_has(const struct counted_ids *c, uint32_t id);
