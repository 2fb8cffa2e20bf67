/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <sys/types.h>

#define WAIT_END (-1) /* no limit */
/*
 * Wait for the end of a child, at most @ms milliseconds. Its wait status (WIFEXITED() and so on); -EAGAIN: it still
 * runs; -ECHILD: it has ended, but its status is unknown, because it is no child of ours or was waited for before.
 */
int wait_child(pid_t pid, int ms);
/* The exit status that a shell shows for a wait status: 128 + N after signal N. */
int wait_exit(int status);
