/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EVENTS_TARGET_H
#define EVENTS_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

struct sideband_record; struct arena;
/* The processes whose calls are told: all, or some and those that they make from then on. */
struct target {
	bool all;
	struct hash member;		/* by pid: not NULL while it is there */
};
void target_init(struct target *t, struct arena *a);		/* all */
void target_add(struct target *t, uint32_t pid);		/* that one; no longer all */
void target_hear(struct target *t, const struct sideband_record *r);	/* processes come and go */
bool target_has(const struct target *t, uint32_t pid);

#endif
