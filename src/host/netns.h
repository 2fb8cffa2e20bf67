/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct own;
/*
 * Network namespaces: listing and entering them. A namespace is identified by its inode number.
 *
 * netns_collect() appends "DEV INO PATH\n" once for each namespace that a task, a mount or a descriptor holds, ours
 * first, then by INO. PATH leads to it, escaped as in /proc/mounts: that of a mount if there is one, else of a task,
 * else of a descriptor; mounts are those of the mount namespaces of all tasks. A namespace that only a socket holds is
 * found if a BPF iterator can be run. Then follow "? processes ERRNO\n" if a process could not be read, and
 * "? sockets ERRNO\n" if the namespaces of sockets were not searched. 0 or -errno.
 */
int netns_collect(struct own *own, struct str *ret);
/* A descriptor of our namespace, and its number in *ino. */
int netns_open_own(uint64_t *ino);
/* Open a collected namespace: -ENOENT if the path now leads to another one or does not exist. */
int netns_open(const char *path, uint64_t ino);
/* Move the calling thread to namespace @to. 0 or -errno. */
int netns_enter(int to);
/* Return to our own namespace. If that fails the process exits, because all further results would be wrong. */
void netns_leave(int own);
