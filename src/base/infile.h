/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Open a file that a user named for reading: a descriptor or -errno. A FIFO is waited for until it has data or its
 * writer has ended; a note on standard error says so after a second.
 */
int infile_open(const char *path);

/*
 * Append a file of at most @max bytes (-EFBIG beyond). Of a pipe or device, which may have no end, only a few bytes are
 * read if @begins says that no file of the kind begins with them. 0 or -errno.
 */
typedef bool infile_begins(const void *p, size_t n);
int infile_read(struct str *ret, const char *path, size_t max, infile_begins *begins);
/* Is it a regular file that begins like its kind? Nothing else is opened. */
bool infile_is(const char *path, infile_begins *begins);
