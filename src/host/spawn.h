/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_SPAWN_H
#define HOST_SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct err;
/*
 * A command beside us, with our standard input, output and error, and the signals @mask held. 0 or -errno with a
 * sentence: it cannot be run.
 */
int spawn(pid_t *ret, const char *const *argv, size_t n, const sigset_t *mask, struct err *e);
/* Has it ended? *ret_status: as a shell says it, 128 + N behind signal N. */
bool spawn_ended(pid_t pid, int *ret_status);

#endif
