/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_TASK_FDS_H
#define OWN_TASK_FDS_H

#include <stdint.h>

struct str;
struct own;
/* Which descriptors of which processes may be perf events or raw tracepoints, so that not all of them have to be asked
 * about. */
struct own_task_fd {
	uint32_t pid, fd;
};
/* Appends them, in order. 0 or -errno, then @ret is as before. */
int task_fds_candidates(struct own *own, struct str *ret);

#endif
