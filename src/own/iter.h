/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* Attach and run iterator programs. All functions return a value >= 0 or -errno. */

/* What to walk. A kernel that does not know an argument, or not for this iterator, ignores it. The link's info shows
 * it. */
struct iter_walk {
	enum { ITER_ALL, ITER_MAP, ITER_TASK, ITER_CGROUP } of;
	uint32_t map_fd;
	uint32_t tid, pid;	   /* set one of them (since Linux 6.1) */
	uint32_t cgroup_fd, order; /* fd 0: the root */
};
enum { ITER_SELF_ONLY = 1, ITER_DESCENDANTS_PRE, ITER_DESCENDANTS_POST, ITER_ANCESTORS_UP }; /* order */

/* Create a link. @w NULL: walk all objects. Returns its descriptor. */
int iter_link(int prog_fd, const struct iter_walk *w);
/* Begin a walk of a link. Returns a descriptor to read to its end. */
int iter_open(int link_fd);
/* The same, but repeated after -EAGAIN. */
ssize_t iter_read(int fd, void *buf, size_t n);
/* Append the output of a complete walk to @ret, and after each step what after() appends, if it is not NULL. On failure
 * @ret is unchanged. */
typedef int iter_after(void *ctx, struct str *ret);
int iter_run(int link_fd, iter_after *after, void *ctx, struct str *ret);
