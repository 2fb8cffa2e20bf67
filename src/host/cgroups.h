/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * The kernel's number of a cgroup: @name in the directory @fd, or "" for @fd itself. 0: it is gone, or not a cgroup.
 * The number is its 8-byte file handle, and also the inode number where inode numbers have 64 bits.
 */
uint64_t cgroup_number(int fd, const char *name);
/*
 * Open the cgroup's directory by its number; @mount: any directory of a cgroup2 file system. -EPERM:
 * CAP_DAC_READ_SEARCH is needed.
 */
int cgroup_open(int mount, uint64_t id);
/* 0; -EBADF: not a directory of cgroup v2. */
int cgroup_check(int fd);
/* Open the same cgroup by its path, for write commands; -ENOENT: another cgroup has this path now. */
int cgroup_open_at(const char *path, uint64_t id);
