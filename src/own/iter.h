/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_ITER_H
#define OWN_ITER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct str;
/* Attaching and running iterator programs. All return a value >= 0 or -errno. */

/* What to walk. A kernel whose iterator has no such argument, or is too old for it, takes no notice: look at the link's
 * info. */
struct iter_walk {
	enum { ITER_ALL, ITER_MAP, ITER_TASK, ITER_CGROUP } of;
	uint32_t map_fd;
	uint32_t tid, pid;	   /* one of them (6.1) */
	uint32_t cgroup_fd, order; /* fd 0: the root */
};
enum { ITER_SELF_ONLY = 1, ITER_DESCENDANTS_PRE, ITER_DESCENDANTS_POST, ITER_ANCESTORS_UP }; /* order */

/* A link for it. @w NULL: all there is. */
int iter_link(int prog_fd, const struct iter_walk *w);
/* One walk of a link: a descriptor to be read to its end. */
int iter_open(int link_fd);
/* Bytes that it wrote; 0: the end; -EAGAIN: the program stopped at an object, or had no word for a million, and goes on
 * next time. */
ssize_t iter_step(int fd, void *buf, size_t n);
/* The same, going on by itself. */
ssize_t iter_read(int fd, void *buf, size_t n);
/* All of a walk, appended, with what after() (NULL: nothing) adds behind each step, unless it fails. On failure @ret is
 * as before. */
typedef int iter_after(void *ctx, struct str *ret);
int iter_run(int link_fd, iter_after *after, void *ctx, struct str *ret);

#endif
