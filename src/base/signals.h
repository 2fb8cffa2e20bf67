/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <signal.h>

#include "base/base.h"

/*
 * At the start of the program: a pipe without reader and a file that is too large are errors of write(2), and children
 * can be waited for, although our parent may ignore SIGCHLD.
 */
void signals_begin(void);
/* In a child, before exec: what our parent ignored is ignored, all else is at its default. */
void signals_pass_on(void);

/*
 * For code that must clean up before a signal ends the program: between hold and release SIGHUP, SIGINT, SIGQUIT
 * and SIGTERM are blocked, unless they are ignored; release delivers them.
 */
struct signals {
	bool held;
	sigset_t ours, before;
};
void signals_hold(struct signals *s);
bool signals_came(const struct signals *s); /* one is pending */
/* One of those that end a program is blocked in @of, the mask of this process, and has come. */
bool signals_wait(const sigset_t *of);
void signals_release(struct signals *s); /* does nothing if they are not held */
