/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/own.h"

/*
 * Two programs of ours at the entry and the exit of each run of another program (fentry, fexit). They are detached when
 * our descriptors are closed.
 */
struct runs_hooks {
	struct own_loaded entry, exit;
	int at_entry, at_exit; /* links; -1: none */
};
#define RUNS_HOOKS_NONE \
	{ \
		.at_entry = -1, .at_exit = -1 \
	}
struct runs_programs {
	struct own_program entry, exit;
};
/* Load and attach; @consts, which may be NULL, and @maps are for both. 0 or -errno, as own_load_with(). */
int runs_attach(struct runs_hooks *h, struct own *own, const struct runs_programs *p, const struct own_const *consts,
		const struct own_map *maps, const struct own_target *at);
void runs_detach(struct runs_hooks *h); /* the programs stay loaded */
void runs_close(struct runs_hooks *h);
