/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_BPFFS_H
#define HOST_BPFFS_H

struct str;
/*
 * "INO PID LINE\n" for each mount of a bpffs in each mount namespace, the one we are in first: the namespace, a process
 * in it (0: we), the line of its mountinfo. "? processes ERRNO\n": some could not be looked at. 0 or -errno.
 */
int bpffs_collect(struct str *ret);

#endif
