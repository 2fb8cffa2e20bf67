/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_NETNS_SOCKETS_H
#define OWN_NETNS_SOCKETS_H

#include <stdint.h>

struct str;
struct own;
/*
 * Sockets keep the network namespace that they were opened in, and /proc does not tell which that is. An iterator
 * program of our own reads it, of all of them in one walk, and the files of namespaces that it meets.
 */
struct netns_file {
	uint32_t pid, fd, ino, is_socket;
};
/* Appends those of other namespaces than @but. 0 or -errno: an older kernel (5.8), one without BTF, or we may not. */
int netns_files(struct own *own, uint32_t but, struct str *ret);
/* The namespace of the socket that "/proc/PID/fd/FD" is: a descriptor, or -errno; -EINVAL: the path is no such. */
int netns_of_socket(const char *path);

#endif
