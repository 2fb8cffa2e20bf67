/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_SPAWN_H
#define HOST_SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct err;
/*
 * Run a command at the same time as us, with our standard input, output and error and with the signal mask @mask. 0, or
 * -errno with a message: it cannot be run.
 */
int spawn(pid_t *ret, const char *const *argv, size_t n, const sigset_t *mask, struct err *e);
/* Has it ended? *ret_status: its exit status, or 128 + N after signal N, as in a shell. */
bool spawn_ended(pid_t pid, int *ret_status);

#endif
