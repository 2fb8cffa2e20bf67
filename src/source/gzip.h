/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_GZIP_H
#define SOURCE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Files of gzip members, one after the other, each of which can be unpacked without those before it. gzip(1) sees one
 * file.
 */
struct input;

uint32_t gzip_crc32(uint32_t crc, const void *p, size_t n); /* 0 to begin with */
bool gzip_is(const struct input *in, uint64_t at);	    /* a member may start there */
/* deflate cannot do better: so many bytes are the most that @n packed ones can hold. */
uint64_t gzip_unpacked_max(uint64_t n);

/* Reading, from the member on that starts at offset @at. The input must outlive it. 0 or -ENOMEM. */
struct gzip_reader;
int gzip_reader_open(struct gzip_reader **ret, const struct input *in, uint64_t at);
/* Unpacked bytes, at most @n; 0: the member ends here and its checksum is right; -EBADMSG: broken or cut; -errno. */
ssize_t gzip_read(struct gzip_reader *r, void *buf, size_t n);
/* After a 0: 1 another member starts, 0 the file ends, -EBADMSG what follows is no member; -errno. */
int gzip_next(struct gzip_reader *r);
uint64_t gzip_start(const struct gzip_reader *r); /* offset of the member that is being read */
void gzip_reader_close(struct gzip_reader **r);

/* Writing to a descriptor that stays the caller's. 0 or -errno; after a failure each call fails in the same way. */
struct gzip_writer;
#define GZIP_LEVEL 5
int gzip_writer_open(struct gzip_writer **ret, int fd);
int gzip_write(struct gzip_writer *w, const void *p, size_t n); /* starts a member if none is open */
void gzip_set_level(struct gzip_writer *w,
		    int level);	     /* of members that start from now on: 0, none, to 9; GZIP_LEVEL at first */
int gzip_end(struct gzip_writer *w); /* the open member is complete and in the file */
uint64_t
gzip_written(const struct gzip_writer *w); /* bytes in the file: after gzip_end(), where the next member starts */
void gzip_writer_close(struct gzip_writer **w);

/* A number in an empty member, which tells readers from where the file can be understood: the last bytes of a whole
 * file. */
int gzip_put_mark(struct gzip_writer *w, uint64_t number);
bool gzip_get_mark(const struct input *in, uint64_t *number); /* false: the file does not end with one */

#endif
