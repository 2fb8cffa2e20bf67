/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct newfile;
/* Write a file completely or not at all. An existing file is replaced. 0 or -errno. */
int gen_file_write(const char *path, const void *p, size_t n, struct err *e);
/* newfile_finish() for a file that compilers read, with the mode that the umask allows. */
int gen_file_finish(struct newfile *f, struct err *e);
