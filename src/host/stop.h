/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <signal.h>

#include "base/base.h"

/*
 * For commands that run until they are interrupted. Between begin and end SIGINT, SIGHUP and SIGTERM end the wait and
 * not the program, so that its output is completed. SIGHUP is left alone if it is ignored.
 */
struct stop {
	int fd;	    /* -1: not begun */
	int output; /* a pipe whose last reader's end also ends the wait; stop_begin() sets -1: none */
	sigset_t before;
	int signal;	  /* the last signal that was taken; 0: none */
	bool by_terminal; /* the terminal sent it to all its processes */
};
int stop_begin(struct stop *s); /* 0 or -errno */
/*
 * Wait until @fd (-1: none) is readable, a signal arrives, or @ms milliseconds (-1: no limit) have passed; true: end. A
 * pending signal takes precedence.
 */
bool stop_wait(struct stop *s, int fd, int ms);
/* Consume the signals that arrived, so that they are no longer pending. They may arrive again. */
void stop_take(struct stop *s);
void stop_end(struct stop *s);
#define STOP __attribute__((cleanup(stop_end))) struct stop
