/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_CGROUPS_H
#define HOST_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The kernel's number of a cgroup: @name in the directory @fd, or "" for @fd itself. 0: it has gone, or is none. It is
 * its 8-byte file handle, which is also the inode number where that has 64 bits.
 */
uint64_t cgroup_number(int fd, const char *name);
/* Its directory, opened by number; @mount: any directory of a cgroup2 file system. -EPERM: without CAP_DAC_READ_SEARCH.
 */
int cgroup_open(int mount, uint64_t id);
/* 0; -EBADF: no directory of cgroup v2. */
int cgroup_check(int fd);
/* The same cgroup by its path, for write commands; -ENOENT: another one is there now. */
int cgroup_open_at(const char *path, uint64_t id);

#endif
