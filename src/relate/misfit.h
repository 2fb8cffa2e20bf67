/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "relate/graph.h"

/* Maps that are there, but do not connect the two that think they share them. */
enum misfit {
	MISFIT_NONE,
	MISFIT_STALE, /* it is pinned, and attached programs use another map of its name and type, not this one */
	/* A buffer of events: attached programs use it and no process has it open, or the other way round. */
	MISFIT_UNREAD,
	MISFIT_UNWRITTEN,
	MISFITS
};
struct misfits {
	const struct graph *g;
	struct arena *keep;
	/* By node: is it kept by an attachment, by any program, directly or not? */
	const bool *attached, *used;
	struct hash named; /* hash of type and name -> index + 1 of the first such map that an attached program uses */
};
/* Lives in env->keep, as @g. */
void misfits_init(struct misfits *ret, struct env *env, const struct graph *g);
/* @why: a clause with the reason, in env->keep. False answers of holders and places were noted when @g was read. */
enum misfit misfit_of(const struct misfits *m, uint32_t node, const char **why);
