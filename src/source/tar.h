/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_TAR_H
#define SOURCE_TAR_H

#include <stddef.h>
#include <stdint.h>

struct err; struct str;
/*
 * gzip'd ustar (POSIX.1-1988 with PAX "path" records for names over 100 bytes), as `tar tzf` reads it.
 *
 * Names are keys, escaped so that a name never has "..", an empty component or a leading slash: %XX (upper case hex) for
 * '%', '\', blanks, control and non-ASCII bytes, for each '/' behind "pin/" ("pin//sys/fs/bpf/x" is
 * "pin/%2Fsys%2Ffs%2Fbpf%2Fx"), for another '/' that would make an empty component, for the first dot of the components "."
 * and "..", and for the dot of a final ".errno", which a name has only to mark a refusal.
 */
void tar_name_put(struct str *ret, const char *key);		/* append the name of a key */
int tar_name_key(struct str *ret, const char *name);		/* append the key of a name; -EBADMSG: not escaped like that */

struct tar_writer;
int tar_writer_open(struct tar_writer **ret, int fd, struct err *e);	/* takes fd on success */
/* Name as from tar_name_put(). After a failure every further call fails in the same way. */
int tar_writer_add(struct tar_writer *w, const char *name, const void *p, size_t n, struct err *e);
int tar_writer_close(struct tar_writer **w, struct err *e);		/* end blocks, flush, fsync, close; NULL inside is fine */

/* *ret: malloc'ed, the bytes of a gzip file, at most max; NULL if it is none (then p and n are the file itself). */
int tar_unpack(const void *p, size_t n, size_t max, unsigned char **ret, size_t *ret_n, struct err *e);
/*
 * Call fn for each regular member of a plain tar; the bytes lie in p. Directories are skipped, "./" before a name too;
 * links, devices, sparse files, names that are absolute, have "..", empty components or control bytes are refused.
 * GNU long names are understood. Bounds: see ARCHIVE_MEMBERS; a member is never larger than what is left of the file.
 * -ENOEXEC: no tar at all; -EBADMSG: a broken one; fn's own negative result if it stops (it sets *e).
 */
typedef int tar_member_fn(void *ctx, const char *name, const void *p, size_t n);
int tar_read(const void *p, size_t n, tar_member_fn *fn, void *ctx, struct err *e);

#endif
