/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "../unit/keys.h"
#include "source/file/gzip.h"
#include "source/file/input.h"
#include "source/source.h"
#include "source/file/tar.h"
#include "source/file/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * An archive of a few gzip members, with an index that describes them more or less well. An answer with the right place
 * and checksum has the bytes at that place. Input: records of a line of the index, then the bytes of the members.
 */
enum { RECORDS = 8, MEMBERS = 4 };
struct record {
	uint8_t key, member, off[2], size[2], wrong_sum, wrong_start;
};
struct part {
	uint64_t start; /* of its gzip member */
	size_t at;	/* of its first byte in the whole */
};
static const char meta[] = "bpflens 0.1.0\nendian little\nformat 2\n";
static const char *const keys[] = { "sys/kallsyms", "btf/3/data", "prog/1/xlated", "prog/2/jited" };
#define NKEYS (sizeof(keys) / sizeof(*keys))

static void index_add(struct str *index, uint64_t start, uint64_t off, size_t size, uint32_t crc, const char *key)
{
	str_fmt(index, "%llu %llu %zu %u %s\n", (unsigned long long)start, (unsigned long long)off, size, crc, key);
}

/* As tar_writer_finish() writes it. */
static void index_write(struct gzip_writer *w, const struct str *index)
{
	static const uint8_t zeros[3 * TAR_BLOCK];
	struct tar_header h = { .name = TAR_INDEX, .type = '0', .magic = "ustar", .version = { '0', '0' } };
	uint64_t start = gzip_written(w);

	snprintf(h.size, sizeof(h.size), "%011zo", index->n);
	snprintf(h.sum, sizeof(h.sum), "%06o", tar_header_sum(&h));
	gzip_write(w, &h, sizeof(h));
	gzip_write(w, index->p, index->n);
	gzip_write(w, zeros, 2 * TAR_BLOCK + (TAR_BLOCK - index->n % TAR_BLOCK) % TAR_BLOCK);
	gzip_put_mark(w, start);
}

static void answers_check(const uint8_t *p, size_t n, const struct blob *want)
{
	struct source *s = NULL;
	struct err e = { 0 };
	ARENA a = arena_new();
	struct blob got;

	if (source_archive_mem(&s, p, n, &e)) {
		if (!e.code || !*e.msg)
			abort();
		return;
	}
	for (size_t k = 0; k < NKEYS; k++)
		if (!source_get(s, a, &got, "%s", keys[k]) && want[k].p &&
		    (got.n != want[k].n || memcmp(got.p, want[k].p, got.n)))
			abort();
	s->ops->close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct blob want[NKEYS] = { 0 };
	struct gzip_writer *w = NULL;
	struct part part[MEMBERS];
	const struct record *r = (const struct record *)data;
	STR whole = { 0 };
	STR index = { 0 };
	struct input in;
	uint8_t *file;
	size_t n;

	if (size < RECORDS * sizeof(*r))
		return 0;
	str_add(&whole, meta, sizeof(meta) - 1);
	str_add(&whole, (const char *)data + RECORDS * sizeof(*r), size - RECORDS * sizeof(*r));
	if (input_temp(&in) || gzip_writer_open(&w, in.fd))
		abort();
	for (size_t i = 0; i < MEMBERS; i++) {
		part[i] = (struct part){ gzip_written(w), i * whole.n / MEMBERS };
		gzip_write(w, whole.p + part[i].at, (i + 1) * whole.n / MEMBERS - part[i].at);
		gzip_end(w);
	}
	index_add(&index, 0, 0, sizeof(meta) - 1, gzip_crc32(0, meta, sizeof(meta) - 1), "meta");
	for (; (const uint8_t *)r < data + RECORDS * sizeof(*r); r++) {
		const struct part *m = &part[r->member % MEMBERS];
		size_t off = r->off[0] | (size_t)r->off[1] << 8, len = r->size[0] | (size_t)r->size[1] << 8;
		bool inside = m->at + off <= whole.n && len <= whole.n - m->at - off;
		const char *p = inside ? whole.p + m->at + off : "";
		uint32_t crc = gzip_crc32(0, p, inside ? len : 0) ^ r->wrong_sum;

		index_add(&index, m->start + r->wrong_start, off, len, crc, keys[r->key % NKEYS]);
		want[r->key % NKEYS] =
			(struct blob){ inside && !r->wrong_start ? (const unsigned char *)p : NULL, len };
	}
	index_write(w, &index);
	n = in.size = gzip_written(w);
	gzip_writer_close(&w);
	file = malloc(n);
	if (!file || input_read(&in, 0, file, n) != (ssize_t)n)
		abort();
	answers_check(file, n, want);
	free(file);
	input_close(&in);
	return 0;
}
