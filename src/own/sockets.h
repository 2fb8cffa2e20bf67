/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

struct str;
struct own;
/*
 * Sockets hold the network namespace that they were opened in, and /proc does not show which. One of our own iterator
 * programs reads the namespaces of all sockets and of all open namespace files in one walk.
 */
struct netns_file {
	uint32_t pid, fd, ino, is_socket;
};
/* Append those of all namespaces except @but. 0, or -errno: a kernel before 5.8 or without BTF, or no permission. */
int netns_files(struct own *own, uint32_t but, struct str *ret);
/* The network and mount namespaces of each process, and of its threads that are in others, in order of processes. */
struct netns_task {
	uint32_t pid, tid, net, mnt;
};
/* Append them. 0, or -errno: as above. */
int netns_tasks(struct own *own, struct str *ret);
/* Open the namespace of the socket "/proc/PID/fd/FD". A descriptor, or -errno; -EINVAL: not such a path. */
int netns_of_socket(const char *path);

/* Sockets of processes that run a filter, which the kernel shows nowhere else, from an iterator program. */
struct own_socket_filter {
	uint32_t pid, fd;
	uint64_t ino;	       /* of the socket */
	uint32_t prog_id;      /* 0: a classic filter, which has no id */
	uint16_t ninsns;       /* of a classic filter */
	uint16_t is_reuseport; /* it selects a socket of a SO_REUSEPORT group */
};
/* Append them in order of processes. 0, or -errno with @ret unchanged. */
int socket_filters_iterate(struct own *own, struct str *ret);
