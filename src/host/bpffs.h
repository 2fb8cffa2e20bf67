/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct str;
/*
 * Append "INO PID LINE\n" for each mount of a bpffs in each mount namespace, ours first: the namespace, a process in it
 * (0: this one), and the line of its mountinfo. "? processes ERRNO\n": some processes could not be read. 0 or -errno.
 */
int bpffs_collect(struct str *ret);
/* Is an open directory on a bpffs? 0; -EXDEV: no; or another -errno if that is not known. */
int bpffs_check(int fd);
