/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_FILTER_H
#define HOST_FILTER_H

#include <stddef.h>

struct str;
/*
 * A program of PATH that makes one text of another: it reads the @n bytes of @text and ends. What it writes is appended
 * to @ret, its errors go nowhere. @argv: its words, NULL behind the last. 0 or -errno, then @ret is as before: -ENOENT:
 * there is no such program; -ETIME: it took longer than @seconds; -EIO: it failed, or wrote more than @most bytes.
 */
int filter_run(const char *const *argv, const char *text, size_t n, unsigned seconds, size_t most, struct str *ret);

#endif
