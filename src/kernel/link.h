/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Operations on a link, by descriptor. 0 or -errno. */

/*
 * Detach the link; it stays, attached to nothing. -EOPNOTSUPP: links of its type end only with their last descriptor
 * and pin.
 */
int sys_link_cut(int fd);
/*
 * Replace the program of a link, or the map of a struct_ops link, by @fresh. @old: only if this one is attached now
 * (else -EPERM); -1: whichever is attached.
 */
int sys_link_swap(int fd, int fresh, int old);
