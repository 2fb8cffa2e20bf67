/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Files of consecutive gzip members, each of which can be unpacked without the previous ones. For gzip(1) it is one
 * file.
 */
struct input;

uint32_t gzip_crc32(uint32_t crc, const void *p, size_t n); /* crc: 0 at first */
bool gzip_is(const struct input *in, uint64_t at);	    /* a member may start there */
/* The maximum number of bytes that @n compressed bytes can unpack to, a limit of deflate. */
uint64_t gzip_unpacked_max(uint64_t n);

/* Reads from the member that starts at offset @at. The input must outlive the reader. 0 or -ENOMEM. */
struct gzip_reader;
int gzip_reader_open(struct gzip_reader **ret, const struct input *in, uint64_t at);
/*
 * Unpacked bytes, at most @n; 0: the member ends here and its checksum is correct; -EBADMSG: damaged or truncated;
 * -errno.
 */
ssize_t gzip_read(struct gzip_reader *r, void *buf, size_t n);
/* After a 0: 1: another member starts; 0: the file ends; -EBADMSG: what follows is not a member; -errno. */
int gzip_next(struct gzip_reader *r);
uint64_t gzip_start(const struct gzip_reader *r); /* offset of the member that is being read */
void gzip_reader_close(struct gzip_reader **r);

/*
 * Writes to a descriptor, which the caller still owns. 0 or -errno; after an error, each call returns the same error.
 */
struct gzip_writer;
#define GZIP_LEVEL 5
int gzip_writer_open(struct gzip_writer **ret, int fd);
int gzip_write(struct gzip_writer *w, const void *p, size_t n); /* starts a member if none is open */
/* The level of members that start from now on: 0, none, to 9; GZIP_LEVEL at first. */
void gzip_set_level(struct gzip_writer *w, int level);
int gzip_end(struct gzip_writer *w); /* the open member is complete and in the file */
/* Bytes in the file: after gzip_end(), where the next member starts. */
uint64_t gzip_written(const struct gzip_writer *w);
void gzip_writer_close(struct gzip_writer **w);

/* A number in an empty member, from which a reader finds the index: the last bytes of a complete file. */
int gzip_put_mark(struct gzip_writer *w, uint64_t number);
bool gzip_get_mark(const struct input *in, uint64_t *number); /* false: the file does not end with one */
