/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/bytes.h"
#include "base/newfile.h"
#include "source/file/contents.h"
#include "source/file/gzip.h"
#include "source/questions.h"
#include "source/file/segments.h"
#include "source/source.h"
#include "source/file/swap.h"
#include "source/file/tar.h"
#include "source/file/archive.h"

struct archive {
	struct source source;
	struct input in;
	struct contents contents;
	struct segments segments;
	bool format2;
	bool swap; /* its integers are in the other byte order */
};

static int read_bytes(struct archive *ar, const struct answer *w, void *buf)
{
	const struct input *in = w->where == IN_TEMP ? &ar->contents.temp : &ar->in;
	ssize_t got;

	if (!w->size)
		return 0;
	if (w->where == IN_GZIP)
		return segments_read(&ar->segments, w->start, w->off, buf, (size_t)w->size);
	got = input_read(in, w->off, buf, (size_t)w->size);
	return got < 0 ? (int)got : (uint64_t)got == w->size ? 0 : -EBADMSG;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return NUM_CMP(x, y);
}

/* A list without a checksum must at least contain the objects whose info is there; else it was truncated. */
static int check_ids(const struct archive *ar, enum object_kind kind, struct arena *a, const struct blob *list)
{
	ARENA_SCOPE(a);
	size_t n = list->n / sizeof(uint32_t);
	const struct str *infos = &ar->contents.infos[kind];
	uint32_t *ids;
	int err = 0;

	if (!infos->n)
		return 0;
	ids = arena_dup(a, list->p, n * sizeof(*ids));
	qsort(ids, n, sizeof(*ids), compare_ids);
	for (size_t i = 0; i < infos->n && !err; i += sizeof(*ids))
		if (!bsearch(infos->p + i, ids, n, sizeof(*ids), compare_ids))
			err = -EBADMSG;
	return err;
}

/* Makes an answer of the bytes at @p. */
static int answer_make(struct archive *ar, const struct asked *q, const struct answer *w, struct arena *a,
		       unsigned char *p)
{
	const struct blob bytes = { p, (size_t)w->size }, *b = &bytes;

	if (w->summed && gzip_crc32(0, b->p, b->n) != w->crc32)
		return -EBADMSG;
	if (w->refused) {
		int err = contents_errno(b->p, b->n);

		return err ? err : -EBADMSG;
	}
	if (ar->swap)
		swap_answer(&ar->source, a, q, p, b->n);
	return w->summed || q->q > Q_IDS_LAST ? 0 : check_ids(ar, (enum object_kind)(q->q - Q_IDS), a, b);
}

static int archive_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct archive *ar = (struct archive *)s;
	const struct answer *w;
	STR key = { 0 };
	unsigned char *p;
	int err = question_key(q, &key);

	if (err)
		return err;
	w = keys_get(&ar->contents.keys, key.p);
	if (!w)
		return -ENODATA;
	p = arena_room(a, (size_t)w->size);
	err = read_bytes(ar, w, p);
	if (!err)
		err = answer_make(ar, q, w, a, p);
	if (!err) {
		*ret = (struct blob){ p, (size_t)w->size };
		return 0;
	}
	if (ar->format2 || !question_was_none(q->q, err))
		return err;
	*ret = (struct blob){ (const unsigned char *)"", 0 };
	return 0;
}

static void archive_close(struct source *s)
{
	struct archive *ar = (struct archive *)s;

	contents_free(&ar->contents);
	segments_release(&ar->segments);
	input_close(&ar->in);
	free(ar);
}

static const struct source_ops archive_ops = {
	.name = "archive", .saved = true, .get = archive_get, .close = archive_close
};

/* The word after "NAME " on a line of meta; empty if there is none. */
static struct blob meta_word(struct blob meta, const char *name)
{
	size_t len = strlen(name);

	while (meta.n) {
		const unsigned char *eol = memchr(meta.p, '\n', meta.n);
		size_t n = eol ? (size_t)(eol - meta.p) : meta.n;

		if (n > len && !memcmp(meta.p, name, len) && meta.p[len] == ' ')
			return (struct blob){ meta.p + len + 1, n - len - 1 };
		n += eol != NULL;
		meta.p += n;
		meta.n -= n;
	}
	return (struct blob){ 0 };
}

static bool word_is(struct blob w, const char *text)
{
	return w.n == strlen(text) && !memcmp(w.p, text, w.n);
}

/*
 * "endian" is the byte order of integers; "memory" that of memory, if it differs: in an archive saved from an archive.
 */
static int read_order(struct archive *ar, struct blob meta, struct err *e)
{
	struct blob order = meta_word(meta, "endian"), memory = meta_word(meta, "memory");

	memory = memory.n ? memory : order;
	if ((!word_is(order, "little") && !word_is(order, "big")) ||
	    (!word_is(memory, "little") && !word_is(memory, "big")))
		return err_set(e, -ENOEXEC, "recorded on a machine of unknown byte order");
	ar->swap = word_is(order, "big") != BIG_HERE;
	ar->source.swapped = word_is(memory, "big") != BIG_HERE;
	return 0;
}

static int check_meta(struct archive *ar, struct err *e)
{
	struct err *torn = &ar->contents.cut;
	ARENA a = arena_new();
	struct blob meta;
	int err = archive_get(&ar->source, &(const struct asked){ Q_META }, a, &meta);

	if (err == -EBADMSG)
		return err_set(e, err, "damaged archive: the checksum of the member \"meta\" is wrong");
	if (err == -ENOMEM)
		return err_sys(e, err, "cannot read the member \"meta\"");
	if (err || !meta_word(meta, "bpflens").n)
		return torn->code ? err_set(e, torn->code, "%s", torn->msg) :
				    err_set(e, -ENOEXEC, "not an archive made by bpflens (it has no member \"meta\")");
	ar->format2 = meta_word(meta, "format").n;
	/* Before format 2, a file was written as a whole: what is left of a truncated one is not reliable. */
	if (torn->code && !ar->format2)
		return err_set(e, torn->code, "%s", torn->msg);
	return read_order(ar, meta, e);
}

/* Takes @in, also on error. */
static int archive_open(struct source **ret, struct input *in, struct err *e)
{
	struct archive *ar = calloc(1, sizeof(*ar));
	int err = 0;

	if (!ar) {
		input_close(in);
		return err_sys(e, -ENOMEM, "cannot read an archive");
	}
	ar->source.ops = &archive_ops;
	ar->in = *in;
	ar->segments.in = &ar->in;
	contents_init(&ar->contents);
	if (!contents_from_index(&ar->contents, &ar->in))
		err = contents_scan(&ar->contents, &ar->in, e);
	if (!err)
		err = check_meta(ar, e);
	if (err)
		archive_close(&ar->source);
	else
		*ret = &ar->source;
	return err;
}

int source_archive_mem(struct source **ret, const void *p, size_t n, struct err *e)
{
	struct input in = { .fd = -1, .mem = p, .size = n };

	return archive_open(ret, &in, e);
}

/* The file that newfile_show() leaves if the writer is killed. */
static void hint_partial(const char *path, struct err *e)
{
	CLEAN_PTR char *partial = NULL;

	if (asprintf(&partial, "%s" NEWFILE_PARTIAL, path) < 0)
		partial = NULL;
	else if (!access(partial, F_OK))
		err_hint(e, "%s was left by a 'save' or 'record' that was killed; --from reads it", partial);
}

static bool archive_begins(const void *head)
{
	const struct input in = { .fd = -1, .mem = head, .size = INPUT_HEAD };
	struct tar_header h;

	memcpy(&h, head, sizeof(h));
	return gzip_is(&in, 0) || tar_header_is(&h);
}

int source_archive(struct source **ret, const char *path, struct err *e)
{
	struct input in = INPUT_NONE;
	int err = input_open(&in, path, ARCHIVE_MAX, archive_begins, e);

	if (err == -ENOENT)
		hint_partial(path, e);
	if (err)
		return err;
	err = archive_open(ret, &in, e);
	if (err)
		err_in(e, "%s", path);
	return err;
}

bool source_archive_cut(const struct source *s, uint64_t *answers)
{
	const struct archive *ar = (const struct archive *)s;

	if (s->ops != &archive_ops || !ar->contents.cut.code)
		return false;
	*answers = ar->contents.n;
	return true;
}
