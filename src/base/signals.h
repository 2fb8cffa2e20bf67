/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/*
 * For who has something to clear away before a signal ends the program: between hold and release SIGHUP, SIGINT,
 * SIGQUIT, SIGTERM and SIGXFSZ wait, unless they are ignored; release lets them come.
 */
struct signals {
	bool held;
	sigset_t ours, before;
};
void signals_hold(struct signals *s);
bool signals_came(const struct signals *s); /* one is waiting */
void signals_release(struct signals *s);    /* nothing if they are not held */

#endif
