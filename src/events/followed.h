/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct sideband_record;
/* The processes with calls that are shown: all, or some processes and those that they create from then on. */
struct followed {
	bool all;
	struct hash member; /* by pid: not NULL while the process lives */
};
void followed_init(struct followed *t, struct arena *a);		 /* all */
void followed_add(struct followed *t, uint32_t pid);			 /* this process; no longer all */
void followed_note(struct followed *t, const struct sideband_record *r); /* forks and exits */
bool followed_has(const struct followed *t, uint32_t pid);
