/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Write a file that compilers read, with the mode that the umask allows, completely or not at all. An existing file is
 * replaced. 0 or -errno.
 */
int gen_file_write(const char *path, const void *p, size_t n, struct err *e);
