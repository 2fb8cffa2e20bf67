/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/file/gzip.h"

#define ZLIB_CONST
#include <zlib.h>

#include "source/file/input.h"

#define WITH_GZIP_HEADER (15 + 16)
#define BUFFER ((size_t)16 << 10)

uint32_t gzip_crc32(uint32_t crc, const void *p, size_t n)
{
	return (uint32_t)crc32_z(crc, p, n);
}

bool gzip_is(const struct input *in, uint64_t at)
{
	unsigned char magic[2];

	return input_read(in, at, magic, 2) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

uint64_t gzip_unpacked_max(uint64_t n)
{
	return n > UINT64_MAX / 1032 ? UINT64_MAX : n * 1032;
}

struct gzip_reader {
	const struct input *in;
	uint64_t start, next; /* offsets of the member and of the bytes after buf */
	z_stream z;
	unsigned char buf[BUFFER];
};

int gzip_reader_open(struct gzip_reader **ret, const struct input *in, uint64_t at)
{
	CLEAN_PTR struct gzip_reader *r = calloc(1, sizeof(*r));

	if (!r || inflateInit2(&r->z, WITH_GZIP_HEADER) != Z_OK)
		return -ENOMEM;
	r->in = in;
	r->start = r->next = at;
	*ret = TAKE_PTR(r);
	return 0;
}

static int fill(struct gzip_reader *r)
{
	ssize_t got;

	if (r->z.avail_in)
		return 0;
	got = input_read(r->in, r->next, r->buf, sizeof(r->buf));
	if (got < 0)
		return (int)got;
	r->next += (uint64_t)got;
	r->z.next_in = r->buf;
	r->z.avail_in = (uInt)got;
	return 0;
}

ssize_t gzip_read(struct gzip_reader *r, void *buf, size_t n)
{
	uInt room = n < (1u << 30) ? (uInt)n : 1u << 30;

	r->z.next_out = buf;
	r->z.avail_out = room;
	while (r->z.avail_out == room) {
		int err = fill(r), ret;

		if (err)
			return err;
		ret = inflate(&r->z, Z_NO_FLUSH);
		if (ret == Z_STREAM_END)
			break;
		if (ret != Z_OK)
			return ret == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
	}
	return (ssize_t)(room - r->z.avail_out);
}

int gzip_next(struct gzip_reader *r)
{
	int err = fill(r);

	if (err)
		return err;
	if (!r->z.avail_in)
		return 0;
	r->start = r->next - r->z.avail_in;
	return gzip_is(r->in, r->start) && inflateReset(&r->z) == Z_OK ? 1 : -EBADMSG;
}

uint64_t gzip_start(const struct gzip_reader *r)
{
	return r->start;
}

void gzip_reader_close(struct gzip_reader **r)
{
	if (*r)
		inflateEnd(&(*r)->z);
	free(TAKE_PTR(*r));
}

struct gzip_writer {
	int fd, failed;
	int level, wanted; /* of compression, now and from the next member on */
	bool open;
	uint64_t written;
	z_stream z;
	unsigned char buf[BUFFER];
};

static int deflater_init(struct gzip_writer *w, int level)
{
	w->level = w->wanted = level;
	return deflateInit2(&w->z, level, Z_DEFLATED, WITH_GZIP_HEADER, 8, Z_DEFAULT_STRATEGY) == Z_OK ? 0 : -ENOMEM;
}

int gzip_writer_open(struct gzip_writer **ret, int fd)
{
	CLEAN_PTR struct gzip_writer *w = calloc(1, sizeof(*w));

	if (!w || deflater_init(w, GZIP_LEVEL))
		return -ENOMEM;
	w->fd = fd;
	*ret = TAKE_PTR(w);
	return 0;
}

static void packed_write(struct gzip_writer *w, const unsigned char *p, size_t n)
{
	while (n && !w->failed) {
		ssize_t done = write(w->fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			w->failed = done ? -errno : -EIO;
			return;
		}
		w->written += (uint64_t)done;
		p += done;
		n -= (size_t)done;
	}
}

/* Writes all output that deflate has for its input, with Z_FINISH up to the end. */
static void drain(struct gzip_writer *w, int flush)
{
	do {
		w->z.next_out = w->buf;
		w->z.avail_out = sizeof(w->buf);
		deflate(&w->z, flush);
		packed_write(w, w->buf, sizeof(w->buf) - w->z.avail_out);
	} while (!w->z.avail_out && !w->failed);
}

int gzip_write(struct gzip_writer *w, const void *p, size_t n)
{
	const unsigned char *from = p;

	/* Not deflateParams(): that of zlib 1.2.11 may write an empty block. */
	if (!w->open && w->level != w->wanted && !w->failed) {
		deflateEnd(&w->z);
		w->failed = deflater_init(w, w->wanted);
	}
	w->open = true;
	while (n && !w->failed) {
		uInt step = n < (1u << 30) ? (uInt)n : 1u << 30;

		w->z.next_in = from;
		w->z.avail_in = step;
		drain(w, Z_NO_FLUSH);
		from += step;
		n -= step;
	}
	return w->failed;
}

void gzip_set_level(struct gzip_writer *w, int level)
{
	w->wanted = level;
}

int gzip_end(struct gzip_writer *w)
{
	if (w->failed || !w->open)
		return w->failed;
	w->z.avail_in = 0;
	drain(w, Z_FINISH);
	deflateReset(&w->z);
	w->open = false;
	return w->failed;
}

uint64_t gzip_written(const struct gzip_writer *w)
{
	return w->written;
}

void gzip_writer_close(struct gzip_writer **w)
{
	if (*w)
		deflateEnd(&(*w)->z);
	free(TAKE_PTR(*w));
}

/* RFC 1952: deflate, with an extra field, no time, unknown system; the field "BL" of 8 bytes; no data, its checksum and
 * length. */
static const unsigned char mark_head[] = { 0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 12, 0, 'B', 'L', 8, 0 };
static const unsigned char mark_tail[] = { 3, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
#define NUMBER_SIZE 8
#define MARK_SIZE (sizeof(mark_head) + NUMBER_SIZE + sizeof(mark_tail))

int gzip_put_mark(struct gzip_writer *w, uint64_t number)
{
	unsigned char p[MARK_SIZE];

	memcpy(p, mark_head, sizeof(mark_head));
	for (size_t i = 0; i < NUMBER_SIZE; i++)
		p[sizeof(mark_head) + i] = (unsigned char)(number >> 8 * i);
	memcpy(p + sizeof(mark_head) + NUMBER_SIZE, mark_tail, sizeof(mark_tail));
	if (!gzip_end(w))
		packed_write(w, p, sizeof(p));
	return w->failed;
}

bool gzip_get_mark(const struct input *in, uint64_t *number)
{
	unsigned char p[MARK_SIZE];
	uint64_t v = 0;

	if (in->size < MARK_SIZE || input_read(in, in->size - MARK_SIZE, p, MARK_SIZE) != (ssize_t)MARK_SIZE ||
	    memcmp(p, mark_head, sizeof(mark_head)) ||
	    memcmp(p + sizeof(mark_head) + NUMBER_SIZE, mark_tail, sizeof(mark_tail)))
		return false;
	for (size_t i = NUMBER_SIZE; i--;)
		v = v << 8 | p[sizeof(mark_head) + i];
	*number = v;
	return true;
}
