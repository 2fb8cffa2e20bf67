/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <signal.h>

#include "base/base.h"

struct stop;
#define SPAWN_GRACE 5 /* seconds that a command has to end when it is stopped; then it is killed */

/* A command that runs at the same time as we. Zeroed: none. */
struct spawned {
	pid_t pid; /* 0: none, or it has ended */
	/*
	 * When it has ended: its exit status, or 128 + N after signal N, as in a shell. 0 if we stopped it without
	 * having got a signal, and it ended as expected.
	 */
	int status;
	bool unasked; /* it was stopped without a signal to us: --seconds, --count, nobody reads */
	uint64_t due; /* ns, CLOCK_MONOTONIC: it was stopped and has to end until then; 0: it was not stopped */
};
/*
 * Run a command with our standard input, output and error, the signal mask @mask, and what our parent ignored ignored.
 * 0, or -errno with a message: it cannot be run.
 */
int spawn(struct spawned *ret, const char *const *argv, size_t n, const sigset_t *mask, struct err *e);
bool spawn_has_ended(struct spawned *s); /* it has ended, or there is none */
bool spawn_overdue(const struct spawned *s);
/*
 * Stop it because we are to end: send it the signal that @stop took, unless the terminal did, or SIGTERM if there was
 * none. When it is stopped again, it is overdue.
 */
void spawn_stop(struct spawned *s, const struct stop *stop);
/* Stop it, unless it was, and wait until it has ended; if it is overdue, kill it. */
void spawn_end(struct spawned *s);
