/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in tar_write.c. */

#include "base/base.h"

/*
 * Gzipped ustar (POSIX.1-1988 with PAX records), as `tar tzf` reads it.
 *
 * Names are keys, escaped so that a name never has "..", an empty component or a leading slash. %XX (upper case hex)
 * stands for '%', '\', blanks, control and non-ASCII bytes; for each '/' after "pin/" ("pin//sys/fs/bpf/x" is
 * "pin/%2Fsys%2Ffs%2Fbpf%2Fx"), and another '/' that would make an empty component; for the first dot of the components
 * "." and ".."; and for the dot of a final ".errno", which marks the name of a refusal.
 *
 * Before each member is a PAX header with the record "comment", which consists of words separated by blanks:
 * crc32=0xXXXXXXXX is the checksum of the member's bytes, as in gzip. tar(1) ignores comments; we ignore other words,
 * and other records except "path".
 *
 * The gzip members have whole tar members, about 256 KiB of them or those of a second, so that a truncated file lacks
 * only the last gzip member. The last tar member, in its own gzip member, is "index". It has a line for each member, in
 * their order:
 *
 *	START OFFSET SIZE CRC32 NAME
 *
 * with the offset of the gzip member in the file, that of the first byte of the member in the unpacked gzip member, the
 * size of the member in bytes, and its checksum. An empty gzip member (gzip.h, mark) ends the file and has the offset
 * of the gzip member of the index.
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
bool tar_header_is(const struct tar_header *h);	     /* its checksum is right */

/* Writing. The caller still owns @fd. After an error, each further call returns the same error. */
struct tar_writer;
int tar_writer_open(struct tar_writer **ret, int fd, struct err *e);
/* Name as from tar_name_put(). */
int tar_writer_add(struct tar_writer *w, const char *name, const void *p, size_t n, struct err *e);
int tar_writer_flush(struct tar_writer *w, struct err *e);  /* everything added is in the file and can be read */
void tar_writer_set_level(struct tar_writer *w, int level); /* as gzip_set_level() */
void tar_writer_tick(struct tar_writer *w);		    /* flushes if data has been waiting for a second */
/* Writes index and end, and syncs; nothing may be added afterwards. */
int tar_writer_finish(struct tar_writer *w, struct err *e);
void tar_writer_close(struct tar_writer **w); /* NULL inside is fine */

/* Reading: the caller passes the bytes of a plain tar, in order and in portions of any size. */
struct tar_member {
	const char *name; /* plain and relative, without "./"; until the next call */
	uint64_t size;
	bool summed; /* the checksum is known */
	uint32_t crc32;
};
/* Functions for regular members. The reader stops at a negative result and returns it; the function has set *e. */
struct tar_sink {
	int (*begin)(void *ctx, const struct tar_member *m); /* its bytes follow */
	int (*bytes)(void *ctx, const unsigned char *p, size_t n);
	int (*end)(void *ctx);
};
struct tar_reader {
	const struct tar_sink *sink;
	void *ctx;
	struct err *e;
	uint64_t off; /* bytes taken */
	bool ended;   /* the end of the archive was read; further bytes are ignored */
	/* internal */
	enum { TAR_HEADER, TAR_EXTRA, TAR_BYTES, TAR_SKIP, TAR_PADDING } state;
	struct tar_header header;
	struct str extra; /* contents of a PAX or GNU header */
	struct str name;  /* name of the next member, from them */
	bool long_name, summed;
	uint32_t crc32;
	uint64_t at, left, padding; /* start of the present member; bytes until the next state */
	unsigned members;
};
void tar_reader_init(struct tar_reader *r, const struct tar_sink *sink, void *ctx, struct err *e);
/*
 * Directories are skipped; links, devices, sparse files, names that are absolute, have "..", empty components or
 * control bytes are refused, as are more members and larger ones than an archive may have (source.h). -ENOEXEC: not a
 * tar, known after its first block; -EBADMSG: damaged.
 */
int tar_feed(struct tar_reader *r, const void *p, size_t n);
int tar_feed_end(struct tar_reader *r); /* at the end of the input: the same errors, or 0 if the archive is complete */
void tar_reader_release(struct tar_reader *r);
