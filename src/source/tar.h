/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_TAR_H
#define SOURCE_TAR_H

#include <stddef.h>
#include <stdint.h>

struct err;
/*
 * gzip'd ustar (POSIX.1-1988 with PAX "path" records for names over 100 bytes), as `tar tzf` reads it. Keys are escaped so
 * that a member name never has "..", an empty component or a leading slash ("pin//sys/fs/bpf/x" is "pin/%2Fsys%2Ffs%2Fbpf%2Fx").
 */
struct tar_writer;
int tar_writer_open(struct tar_writer **ret, int fd, struct err *e);	/* takes fd on success */
int tar_writer_add(struct tar_writer *w, const char *name, const void *p, size_t n, struct err *e);
int tar_writer_close(struct tar_writer **w, struct err *e);		/* end blocks, flush, fsync, close; NULL inside is fine */

/*
 * Call fn for each regular member. Bounds: see ARCHIVE_MAX; a member is never larger than what is left of the file. -EBADMSG
 * for a broken file, fn's own negative result if it stops. gzip or plain tar.
 */
typedef int tar_member_fn(void *ctx, const char *name, const void *p, size_t n);
int tar_read(const void *p, size_t n, tar_member_fn *fn, void *ctx, struct err *e);

#endif
