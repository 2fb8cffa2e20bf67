/* SPDX-License-Identifier: BSD-2-Clause */

#include "source/file/contents.h"
#include "source/file/contents_put.h"
#include "source/file/gzip.h"
#include "source/file/tar.h"
#include "source/file/archive.h"

#define STEP ((size_t)64 << 10)
#define LINE_MAX_BYTES (TAR_NAME_MAX + 4 * 21)

struct index {
	struct contents *c;
	const struct input *in;
	struct str line; /* an incomplete line */
	bool whole;
};

static int index_begin(void *ctx, const struct tar_member *m)
{
	const struct index *x = ctx;

	return x->whole || strcmp(m->name, TAR_INDEX) ? -EBADMSG : 0;
}

/* Parses the number at the beginning of the line; returns what follows. NULL: no number. */
static char *take_number(char *p, uint64_t *ret)
{
	char *end = p ? strchr(p, ' ') : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	return num_parse_u64(p, ret) ? NULL : end + 1;
}

static int index_line(struct index *x, char *line)
{
	struct answer w = { .where = IN_GZIP, .summed = true };
	uint64_t crc32;
	STR key = { 0 };
	char *p = line;
	int err;

	p = take_number(p, &w.start);
	p = take_number(p, &w.off);
	p = take_number(p, &w.size);
	p = take_number(p, &crc32);
	if (!p || !*p || crc32 > UINT32_MAX || w.start >= x->in->size || w.off > CONTENTS_INSIDE_MAX ||
	    w.size > ARCHIVE_ANSWER_MAX || w.size > gzip_unpacked_max(x->in->size - w.start))
		return -EBADMSG;
	w.crc32 = (uint32_t)crc32;
	err = contents_name(&key, p, &w.refused, NULL);
	return err ? err : contents_put(x->c, key.p, &w, NULL);
}

static int index_bytes(void *ctx, const unsigned char *p, size_t n)
{
	struct index *x = ctx;
	int err = 0;

	while (n && !err) {
		const unsigned char *eol = memchr(p, '\n', n);
		size_t step = eol ? (size_t)(eol - p) : n;

		if (x->line.n + step > LINE_MAX_BYTES)
			return -EBADMSG;
		str_add(&x->line, p, step);
		if (eol) {
			err = index_line(x, x->line.p);
			str_reset(&x->line);
			step++;
		}
		p += step;
		n -= step;
	}
	return err;
}

static int contents_index_close(void *ctx)
{
	struct index *x = ctx;

	x->whole = !x->line.n;
	return 0;
}

static const struct tar_sink index_sink = { index_begin, index_bytes, contents_index_close };

static int index_read(struct index *x, struct gzip_reader *r)
{
	CLEAN_PTR unsigned char *buf = malloc(STEP);
	struct tar_reader tar;
	ssize_t n = -ENOMEM;

	tar_reader_init(&tar, &index_sink, x, NULL);
	while (buf && (n = gzip_read(r, buf, STEP)) > 0) {
		int err = tar_feed(&tar, buf, (size_t)n);

		if (err) {
			n = err;
			break;
		}
	}
	tar_reader_release(&tar);
	return n ? (int)n : x->whole && tar.ended ? 0 : -EBADMSG;
}

bool contents_from_index(struct contents *c, const struct input *in)
{
	struct index x = { .c = c, .in = in };
	struct gzip_reader *r = NULL;
	uint64_t start;
	int err = -ENODATA;

	if (gzip_get_mark(in, &start) && start < in->size)
		err = gzip_reader_open(&r, in, start);
	if (!err)
		err = index_read(&x, r);
	gzip_reader_close(&r);
	str_release(&x.line);
	if (err) {
		contents_free(c);
		contents_init(c);
	}
	return !err;
}
