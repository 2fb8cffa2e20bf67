/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Open a file that a user named for reading: a descriptor or -errno. A FIFO is waited for until it has data or its
 * writer has ended; a note on standard error says so after a second.
 */
int infile_open(const char *path);
