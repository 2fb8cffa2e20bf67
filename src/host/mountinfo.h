/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_MOUNTINFO_H
#define HOST_MOUNTINFO_H

#include <stdbool.h>

/* A line of /proc/PID/mountinfo (proc_pid_mountinfo(5)). */
#define MOUNTINFO_MAX (64u << 20) /* bytes of the file that are read */
struct mountinfo {
	const char *root;    /* what of the file system is mounted */
	const char *path;    /* where, absolute */
	const char *type;    /* of the file system */
	const char *options; /* the file system's own, by commas */
};
/* Takes the line, without its newline, apart in place. False: it is none, and then it is changed all the same. */
bool mountinfo_parse(char *line, struct mountinfo *ret);

#endif
