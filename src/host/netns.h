/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_NETNS_H
#define HOST_NETNS_H

#include <stdint.h>

struct str;
struct own;
/*
 * Network namespaces: which there are, and being in one for a moment. A namespace is known by its inode number.
 *
 * netns_collect() appends "DEV INO PATH\n" for each that a task, a mount or a descriptor keeps, once, our own first,
 * then by INO. PATH leads to it: a mount's before a task's before a descriptor's, escaped as in /proc/mounts; mounts
 * count in the mount namespace of any task. One that only a socket keeps is found where a BPF iterator can be run. Then
 * come
 * "? processes ERRNO\n" if a process could not be looked at, and "? sockets ERRNO\n" if those of sockets were not
 * looked for. 0 or -errno.
 */
int netns_collect(struct own *own, struct str *ret);
/* A descriptor of ours; *ino its number. */
int netns_open_own(uint64_t *ino);
/* One that was collected: -ENOENT if the path leads nowhere, or to another one, by now. */
int netns_open(const char *path, uint64_t ino);
/* The calling thread changes over to @to; -errno. */
int netns_enter(int to);
/* And back to where it came from. Does not return if it cannot: nothing that follows would be true. */
void netns_leave(int own);

#endif
