/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_STOP_H
#define HOST_STOP_H

#include <signal.h>
#include <stdbool.h>

/*
 * For commands that run until they are told to end. Between begin and end SIGINT, SIGHUP and SIGTERM end waiting and
 * not the program, so that what it prints is complete.
 */
struct stop {
	int fd;	    /* -1: not begun */
	int output; /* who reads it no more ends waiting as well; begins as -1: that is no reason */
	sigset_t before;
};
int stop_begin(struct stop *s); /* 0 or -errno */
/*
 * Until @fd (-1: none) can be read, or told to end, or @ms milliseconds (-1: no limit) went by; true: end. A signal
 * that is there comes first.
 */
bool stop_wait(struct stop *s, int fd, int ms);
/* Those that came are not seen by who looks for waiting signals. They may come again. */
void stop_take(struct stop *s);
void stop_end(struct stop *s);
#define STOP __attribute__((cleanup(stop_end))) struct stop

#endif
