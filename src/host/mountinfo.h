/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* A line of /proc/PID/mountinfo (proc_pid_mountinfo(5)). */
#define MOUNTINFO_MAX (64u << 20) /* most bytes of the file that are read */
struct mountinfo {
	const char *root;    /* the directory of the file system that is mounted */
	const char *path;    /* the mount point, absolute */
	const char *type;    /* of the file system */
	const char *options; /* of the file system, separated by commas */
};
/* Parse a line, without its newline, in place. False: it is not a line of mountinfo; it may be changed also then. */
bool mountinfo_parse(char *line, struct mountinfo *ret);
