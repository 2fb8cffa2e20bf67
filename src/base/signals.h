/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/*
 * For code that must clean up before a signal ends the program: between hold and release SIGHUP, SIGINT, SIGQUIT,
 * SIGTERM and SIGXFSZ are blocked, unless they are ignored; release delivers them.
 */
struct signals {
	bool held;
	sigset_t ours, before;
};
void signals_hold(struct signals *s);
bool signals_came(const struct signals *s); /* one is pending */
void signals_release(struct signals *s);    /* does nothing if they are not held */

#endif
