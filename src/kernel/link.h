/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_LINK_H
#define KERNEL_LINK_H

/* What is done to links; all by descriptor, 0 or -errno. */

/* The link stays, attached to nothing. -EOPNOTSUPP: links of its type end with their last descriptor and pin only. */
int sys_link_cut(int fd);
/*
 * Run another program, or of a struct_ops link another map. @old: only in place of this one (-EPERM: it is another),
 * -1: of any.
 */
int sys_link_swap(int fd, int fresh, int old);

#endif
