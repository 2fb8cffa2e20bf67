/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

struct str;
struct own;
/* The network and mount namespaces of each process, and of its threads that are in others, in order of processes. */
struct netns_task {
	uint32_t pid, tid, net, mnt;
};
/* Append them. 0, or -errno: a kernel before 5.8 or without BTF, or no permission. */
int netns_tasks(struct own *own, struct str *ret);
/* Open the namespace of the socket "/proc/PID/fd/FD". A descriptor, or -errno; -EINVAL: not such a path. */
int netns_of_socket(const char *path);
