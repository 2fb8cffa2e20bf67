/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYSTEM_ITER_H
#define SYSTEM_ITER_H

#include <stdint.h>

struct str;
/* Running an iterator program of our own. All return a value >= 0 or -errno. */

/* A link for it. @tid != 0: of an iterator over tasks, visit only that one (6.1; older kernels take no notice and visit all). */
int iter_link(int prog_fd, uint32_t tid);
/* Run it to its end, appending what it writes. */
int iter_run(int link_fd, struct str *ret);

#endif
