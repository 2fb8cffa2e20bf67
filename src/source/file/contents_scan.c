/* SPDX-License-Identifier: BSD-2-Clause */

#include "source/file/contents.h"
#include "source/file/contents_put.h"
#include "source/file/gzip.h"
#include "source/file/tar.h"
#include "source/file/archive.h"

#define STEP ((size_t)64 << 10)
#define HEAD_MAX 256

/* An answer that counts once its gzip member is complete. */
struct pending {
	struct pending *next;
	const char *key;
	struct answer answer;
};

struct scan {
	struct contents *c;
	const struct input *in;
	struct tar_reader tar;
	struct err *e;
	bool packed;
	uint64_t start;		       /* of the gzip member in the file */
	uint64_t base;		       /* position of its first byte among all unpacked bytes */
	struct pending *open;	       /* the answer that is being read; NULL: none */
	struct pending *first, **last; /* complete answers */
	bool format2;		       /* known once "meta" was read */
	char head[HEAD_MAX];	       /* the first bytes of the answer */
	size_t head_n;
};

static int check_unpacked(const struct scan *s, uint64_t n)
{
	const uint64_t max = s->format2 || !s->packed ? ARCHIVE_MAX : ARCHIVE_OLD_MAX;

	return n > max ? err_set(s->e, -EBADMSG, "unpacks to more than %llu MiB", llu(max) >> 20) : 0;
}

static int scan_begin(void *ctx, const struct tar_member *m)
{
	struct scan *s = ctx;
	uint64_t off = s->tar.off - s->base;
	struct answer w = { .size = m->size,
			    .summed = m->summed,
			    .crc32 = m->crc32,
			    .where = s->packed ? IN_GZIP : IN_FILE,
			    .start = s->start,
			    .off = off };
	STR key = { 0 };
	int err;

	s->open = NULL;
	if (!strcmp(m->name, TAR_INDEX))
		return 0;
	err = contents_name(&key, m->name, &w.refused, s->e);
	if (err)
		return err;
	err = check_unpacked(s, s->tar.off + m->size);
	if (err)
		return err;
	if (m->size > ARCHIVE_ANSWER_MAX)
		return err_set(s->e, -EBADMSG, "damaged archive: member %.200s: more than %llu MiB", m->name,
			       ARCHIVE_ANSWER_MAX >> 20);
	if (s->packed && off > CONTENTS_INSIDE_MAX) {
		err = s->c->temp.fd < 0 ? input_temp(&s->c->temp) : 0;
		if (err)
			return err_sys(s->e, err, "cannot create a temporary file to unpack it");
		w.where = IN_TEMP;
		w.off = s->c->temp.size;
	}
	s->open = arena_alloc(s->c->arena, sizeof(*s->open));
	s->open->key = arena_str(s->c->arena, key.p, key.n);
	s->open->answer = w;
	s->head_n = 0;
	return 0;
}

static int scan_bytes(void *ctx, const unsigned char *p, size_t n)
{
	struct scan *s = ctx;
	int err = 0;

	if (s->open && s->open->answer.where == IN_TEMP)
		err = s->c->temp.size > ARCHIVE_TEMP_MAX - n ? -EFBIG : input_append(&s->c->temp, p, n);
	if (err)
		return err_sys(s->e, err, "cannot write the unpacked data to a temporary file");
	for (size_t i = 0; i < n && s->head_n < HEAD_MAX; i++)
		s->head[s->head_n++] = (char)p[i];
	return 0;
}

static int scan_end(void *ctx)
{
	struct scan *s = ctx;
	struct pending *w = s->open;

	s->open = NULL;
	if (!w)
		return 0;
	if (!strcmp(w->key, "meta"))
		s->format2 = memmem(s->head, s->head_n, "\nformat ", strlen("\nformat "));
	if (w->answer.refused && !contents_errno(s->head, s->head_n))
		return err_set(s->e, -EBADMSG, "damaged archive: member %.200s.errno is not an error number", w->key);
	*s->last = w;
	s->last = &w->next;
	return 0;
}

static const struct tar_sink scan_sink = { scan_begin, scan_bytes, scan_end };

static int commit(struct scan *s)
{
	int err = 0;

	for (const struct pending *w = s->first; w && !err; w = w->next)
		err = contents_put(s->c, w->key, &w->answer, s->e);
	s->first = NULL;
	s->last = &s->first;
	return err;
}

/* The file ends here, or the rest is damaged: fatal if nothing before it is complete. */
static int scan_truncate(struct scan *s, int err)
{
	bool end = !err;

	if (err && err != -EBADMSG)
		return err_sys(s->e, err, "cannot read");
	if (!s->c->n)
		return end ? tar_feed_end(&s->tar) : err_set(s->e, -EBADMSG, "damaged or truncated gzip data");
	err_set(&s->c->cut, -EBADMSG, "damaged or truncated gzip data at byte %llu", llu(end ? s->in->size : s->start));
	return 0;
}

static int scan_gzip(struct scan *s, struct gzip_reader *r, unsigned char *buf)
{
	uint64_t total = 0;

	for (;;) {
		ssize_t n = gzip_read(r, buf, STEP);
		int err;

		if (n < 0)
			return scan_truncate(s, (int)n);
		total += (uint64_t)n;
		err = check_unpacked(s, total);
		if (err)
			return err;
		if (n) {
			err = tar_feed(&s->tar, buf, (size_t)n);
			if (err)
				return err;
			continue;
		}
		err = commit(s);
		if (err || s->tar.ended)
			return err;
		err = gzip_next(r);
		s->start = gzip_start(r);
		if (err <= 0)
			return scan_truncate(s, err);
		s->base = s->tar.off;
	}
}

static int scan_plain(struct scan *s, unsigned char *buf)
{
	uint64_t off = 0;
	int err = 0;

	while (!err && !s->tar.ended) {
		ssize_t n = input_read(s->in, off, buf, STEP);

		if (n < 0)
			return err_sys(s->e, (int)n, "cannot read");
		if (!n)
			return tar_feed_end(&s->tar);
		off += (uint64_t)n;
		err = tar_feed(&s->tar, buf, (size_t)n);
	}
	return err ? err : commit(s);
}

static int scan(struct scan *s)
{
	CLEAN_PTR unsigned char *buf = malloc(STEP);
	struct gzip_reader *r = NULL;
	int err = buf ? 0 : -ENOMEM;

	if (!err && s->packed)
		err = gzip_reader_open(&r, s->in, 0);
	if (err)
		return err_sys(s->e, err, "cannot read an archive");
	err = s->packed ? scan_gzip(s, r, buf) : scan_plain(s, buf);
	gzip_reader_close(&r);
	return err;
}

int contents_scan(struct contents *c, const struct input *in, struct err *e)
{
	struct scan s = { .c = c, .in = in, .e = e, .packed = gzip_is(in, 0) };
	int err;

	s.last = &s.first;
	tar_reader_init(&s.tar, &scan_sink, &s, e);
	err = scan(&s);
	tar_reader_release(&s.tar);
	return err;
}
