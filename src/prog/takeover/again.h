/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct env;
struct err;
/*
 * Do something now, and again whenever a file is written or another one takes its name, each time in a child process,
 * until the user interrupts. 1: this is the child, which returns to main(); 0: the end, in the parent; -errno.
 */
int again_run(struct env *env, const char *path, struct err *e);
