/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GEN_FILE_H
#define GEN_FILE_H

#include <stddef.h>

struct err;
struct newfile;
/* A file of that name with these bytes, whole or not at all; what was there is replaced. */
int gen_file_write(const char *path, const void *p, size_t n, struct err *e);
/* newfile_finish() for what compilers are to read: who may read it is up to the umask. */
int gen_file_finish(struct newfile *f, struct err *e);

#endif
