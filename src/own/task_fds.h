/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

struct str;
struct own;
/* Descriptors that may be perf events or raw tracepoints, so that not all descriptors must be read. */
struct own_task_fd {
	uint32_t pid, fd;
};
/* Append them in order. 0, or -errno with @ret unchanged. */
int task_fds_candidates(struct own *own, struct str *ret);
