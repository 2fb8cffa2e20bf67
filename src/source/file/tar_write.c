/* SPDX-License-Identifier: BSD-2-Clause */
#include <time.h>

#include "source/file/gzip.h"
#include "source/file/tar.h"
#include "source/file/archive.h"

#define SEGMENT_BYTES (256u << 10) /* more would hardly improve compression */

struct tar_writer {
	struct gzip_writer *gz;
	int fd;
	uint64_t total;		 /* unpacked bytes */
	uint64_t start, pending; /* of the open gzip member: its start in the file, unpacked bytes in it */
	time_t since;		 /* when it was begun */
	struct str index;
	struct err failed; /* the first error; nothing is written after it */
};

int tar_writer_open(struct tar_writer **ret, int fd, struct err *e)
{
	CLEAN_PTR struct tar_writer *w = calloc(1, sizeof(*w));

	if (!w || gzip_writer_open(&w->gz, fd))
		return err_sys(e, -ENOMEM, "cannot write an archive");
	w->fd = fd;
	*ret = TAKE_PTR(w);
	return 0;
}

static void put_bytes(struct tar_writer *w, const void *p, size_t n)
{
	int err = w->failed.code ? 0 : gzip_write(w->gz, p, n);

	if (err)
		err_sys(&w->failed, err, "cannot write");
	w->pending += n;
	w->total += n;
}

static void put_member(struct tar_writer *w, char type, const char *name, const void *p, size_t n)
{
	static const char zeros[TAR_BLOCK];
	struct tar_header h = { .type = type, .magic = "ustar", .version = { '0', '0' } };
	size_t len = strlen(name);

	memcpy(h.name, name, len < sizeof(h.name) ? len : sizeof(h.name));
	memcpy(h.mode, "0000600", 8);
	memcpy(h.uid, "0000000", 8);
	memcpy(h.gid, "0000000", 8);
	snprintf(h.size, sizeof(h.size), "%011llo", llu(n) & 077777777777);
	snprintf(h.mtime, sizeof(h.mtime), "%011llo", llu(time(NULL)) & 077777777777);
	snprintf(h.sum, sizeof(h.sum), "%06o", tar_header_sum(&h) & 0777777);
	h.sum[7] = ' ';
	put_bytes(w, &h, sizeof(h));
	put_bytes(w, p, n);
	put_bytes(w, zeros, -n % TAR_BLOCK);
}

/* The length of a PAX record includes its own digits. */
static void add_record(struct str *s, const char *key, const char *value)
{
	size_t body = strlen(key) + strlen(value) + strlen(" =\n"), n = body + 1;
	char digits[24];

	while ((size_t)snprintf(digits, sizeof(digits), "%zu", n) + body != n)
		n++;
	str_fmt(s, "%s %s=%s\n", digits, key, value);
}

static void put_records(struct tar_writer *w, const char *name, uint32_t crc32)
{
	STR records = { 0 };
	char text[32];

	snprintf(text, sizeof(text), "crc32=0x%08x", crc32);
	add_record(&records, "comment", text);
	if (strlen(name) > sizeof(((struct tar_header *)0)->name))
		add_record(&records, "path", name);
	put_member(w, 'x', "pax", records.p, records.n);
}

static void put_answer(struct tar_writer *w, const char *name, const void *p, size_t n)
{
	uint32_t crc32 = gzip_crc32(0, p, n);

	put_records(w, name, crc32);
	str_fmt(&w->index, "%llu %llu %zu 0x%08x %s\n", llu(w->start), llu(w->pending) + TAR_BLOCK, n, crc32, name);
	put_member(w, '0', name, p, n);
}

static int failed(const struct tar_writer *w, struct err *e)
{
	return w->failed.code ? err_set(e, w->failed.code, "%s", w->failed.msg) : 0;
}

int tar_writer_add(struct tar_writer *w, const char *name, const void *p, size_t n, struct err *e)
{
	size_t len = strlen(name);

	if (!len || len > TAR_NAME_MAX)
		return err_set(e, -ENAMETOOLONG, "a name of %zu bytes does not fit an archive", len);
	if (!w->failed.code &&
	    (n > ARCHIVE_ANSWER_MAX || w->total + n > ARCHIVE_MAX - w->index.n - TAR_NAME_MAX - 16 * TAR_BLOCK))
		err_set(&w->failed, -EFBIG, "more than %llu MiB, the limit of an archive", ARCHIVE_MAX >> 20);
	if (!w->pending)
		w->since = time(NULL);
	if (!w->failed.code)
		put_answer(w, name, p, n);
	if (w->pending >= SEGMENT_BYTES)
		tar_writer_flush(w, NULL);
	return failed(w, e);
}

int tar_writer_flush(struct tar_writer *w, struct err *e)
{
	int err = w->failed.code ? 0 : gzip_end(w->gz);

	if (err)
		err_sys(&w->failed, err, "cannot write");
	w->start = gzip_written(w->gz);
	w->pending = 0;
	return failed(w, e);
}

void tar_writer_set_level(struct tar_writer *w, int level)
{
	gzip_set_level(w->gz, level);
}

void tar_writer_tick(struct tar_writer *w)
{
	if (w->pending && time(NULL) != w->since)
		tar_writer_flush(w, NULL);
}

int tar_writer_finish(struct tar_writer *w, struct err *e)
{
	static const char zeros[2 * TAR_BLOCK];
	uint64_t start;
	int err;

	tar_writer_flush(w, NULL);
	start = w->start;
	put_records(w, TAR_INDEX, gzip_crc32(0, w->index.p, w->index.n));
	put_member(w, '0', TAR_INDEX, w->index.p, w->index.n);
	put_bytes(w, zeros, sizeof(zeros));
	err = w->failed.code ? 0 : gzip_put_mark(w->gz, start);
	if (!err && !w->failed.code && fsync(w->fd) < 0 && errno != EINVAL && errno != EROFS)
		err = -errno;
	if (err)
		err_sys(&w->failed, err, "cannot write");
	return failed(w, e);
}

void tar_writer_close(struct tar_writer **w)
{
	if (!*w)
		return;
	gzip_writer_close(&(*w)->gz);
	str_release(&(*w)->index);
	free(TAKE_PTR(*w));
}
