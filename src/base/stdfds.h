/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_STDFDS_H
#define BASE_STDFDS_H

/*
 * Fills those of the descriptors 0, 1 and 2 that are closed with one that can be neither read nor written (EBADF, as
 * before), so that no file opened later becomes standard output. Before anything else is opened. 0 or -errno.
 */
int stdfds_fill(void);

#endif
