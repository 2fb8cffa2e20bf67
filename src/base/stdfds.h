/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Open those of the descriptors 0, 1 and 2 that are closed, such that reading and writing fail with EBADF as before, so
 * that no file opened later becomes standard output. Call it before anything else is opened. 0 or -errno.
 */
int stdfds_fill(void);
