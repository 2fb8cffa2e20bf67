/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/env.h"
#include "own/own.h"

/* A program as the target of fentry and fexit programs of ours. */

/*
 * The first function of program @id, whose descriptor is @fd. 0, or -errno with a sentence if the kernel attaches
 * nothing to such a program: it is a tracing program, or has no machine code or no BTF.
 */
int target_find(struct env *env, uint32_t id, int fd, struct own_target *ret, struct err *e);
/* The sentence for what loading and attaching returned, as own_load(); @doing: "profiling". Returns @err. */
int target_refused(int err, uint32_t id, const char *doing, struct err *e);
