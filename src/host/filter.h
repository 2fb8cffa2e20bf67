/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Run a program from PATH that converts a text: it reads the @n bytes of @text and ends. Its output is appended to
 * @ret; its standard error is discarded. @argv: its words, terminated by NULL. 0, or -errno with @ret unchanged:
 * -ENOENT: no such program; -ETIME: it took longer than @seconds; -EIO: it failed, or wrote more than @most bytes.
 */
int filter_run(const char *const *argv, const char *text, size_t n, unsigned seconds, size_t most, struct str *ret);
