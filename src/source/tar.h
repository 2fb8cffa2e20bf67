/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_TAR_H
#define SOURCE_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

struct err;
/*
 * gzip'd ustar (POSIX.1-1988 with PAX records), as `tar tzf` reads it.
 *
 * Names are keys, escaped so that a name never has "..", an empty component or a leading slash: %XX (upper case hex)
 *for
 * '%', '\', blanks, control and non-ASCII bytes, for each '/' behind "pin/" ("pin//sys/fs/bpf/x" is
 * "pin/%2Fsys%2Ffs%2Fbpf%2Fx"), for another '/' that would make an empty component, for the first dot of the components
 *"." and "..", and for the dot of a final ".errno", which a name has only to mark a refusal.
 *
 * Before each member stands a PAX header with the record "comment", of words with blanks between them: crc32=0xXXXXXXXX
 *is the checksum (of gzip) of the member's bytes. tar(1) ignores comments; we ignore other words, and other records
 *except "path".
 *
 * The gzip members hold whole tar members, some 256 KiB of them or those of one second, so that a file which ends too
 *early loses the last gzip member only. The last tar member, in a gzip member of its own, is "index": for each member,
 *in their order, a line
 *
 *	START OFFSET SIZE CRC32 NAME
 *
 * where the gzip member starts in the file, from which unpacked byte on it has how many bytes of the member, and their
 *check sum. An empty gzip member (gzip.h, mark) ends the file and says where the one of the index starts.
 */
#define TAR_NAME_MAX 16384u /* bytes of an escaped name */
#define TAR_INDEX "index"

void tar_name_put(struct str *ret, const char *key); /* append the name of a key */
int tar_name_key(struct str *ret, const char *name); /* append the key of a name; -EBADMSG: not escaped like that */

struct tar_header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
	char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};
#define TAR_BLOCK 512u
_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "a tar header is one block");
unsigned tar_header_sum(const struct tar_header *h); /* with its own field as blanks */

/* Writing. @fd stays the caller's. After a failure every further call fails in the same way. */
struct tar_writer;
int tar_writer_open(struct tar_writer **ret, int fd, struct err *e);
/* Name as from tar_name_put(). */
int tar_writer_add(struct tar_writer *w, const char *name, const void *p, size_t n, struct err *e);
int tar_writer_flush(struct tar_writer *w, struct err *e); /* what was added is in the file, for whoever reads it now */
void tar_writer_set_level(struct tar_writer *w, int level); /* as gzip_set_level() */
void tar_writer_tick(struct tar_writer *w);		    /* the same if something has been waiting for a second */
int tar_writer_finish(struct tar_writer *w, struct err *e); /* index, end, fsync; nothing may be added any more */
void tar_writer_close(struct tar_writer **w);		    /* NULL inside is fine */

/* Reading, by whoever has the bytes of a plain tar, in order and in any portions. */
struct tar_member {
	const char *name; /* plain and relative, without "./"; until the next call */
	uint64_t size;
	bool summed; /* the checksum is known */
	uint32_t crc32;
};
/* What to do with regular members. A negative result stops the reader, which returns it; the function has set *e. */
struct tar_sink {
	int (*begin)(void *ctx, const struct tar_member *m); /* its bytes come next */
	int (*bytes)(void *ctx, const unsigned char *p, size_t n);
	int (*end)(void *ctx);
};
struct tar_reader {
	const struct tar_sink *sink;
	void *ctx;
	struct err *e;
	uint64_t off; /* bytes taken */
	bool ended;   /* the end of the archive was there; further bytes are not looked at */
	/* inside */
	enum { TAR_HEADER, TAR_EXTRA, TAR_BYTES, TAR_SKIP, TAR_PADDING } state;
	struct tar_header header;
	struct str extra; /* contents of a PAX or GNU header */
	struct str name;  /* what they say of the next member */
	bool long_name, summed;
	uint32_t crc32;
	uint64_t at, left, padding; /* start of the present member; bytes until the next state */
	unsigned members;
};
void tar_reader_init(struct tar_reader *r, const struct tar_sink *sink, void *ctx, struct err *e);
/*
 * Directories are skipped; links, devices, sparse files, names that are absolute, have "..", empty components or
 * control bytes are refused, as are more members and larger ones than an archive may have (source.h). -ENOEXEC: not a
 * tar, known after its first block; -EBADMSG: a broken one.
 */
int tar_feed(struct tar_reader *r, const void *p, size_t n);
int tar_feed_end(struct tar_reader *r); /* there are no more bytes: the same errors, 0 if the archive has ended */
void tar_reader_release(struct tar_reader *r);

#endif
