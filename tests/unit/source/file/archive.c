/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../../keys.h"
#include "../../test.h"
#include "../../../tools/fake_source.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "source/file/gzip.h"
#include "source/file/input.h"
#include "source/source.h"
#include "source/file/tar.h"
#include "source/file/archive.h"
#include "tarball.h"

static int load(struct source **ret, const struct str *s, struct err *e)
{
	err_clear(e);
	return source_archive_mem(ret, s->p, s->n, e);
}

static int put_question(struct source *s, struct arena *a, const char *key, const char *want)
{
	struct blob b = { 0 };
	int err = source_get(s, a, &b, "%s", key);

	if (!err) {
		assert_int_equal(b.n, strlen(want));
		assert_memory_equal(b.p, want, b.n);
	}
	return err;
}

static void answers(void **state)
{
	struct source *src = NULL;
	struct err e = { 0 };
	ARENA a = arena_new();
	STR s = { 0 };

	(void)state;
	ball_text(&s, "./prog/1/fdinfo", "old");
	ball_member(&s, '5', "prog/", "", 0);
	ball_text(&s, "prog/2/info.errno", "1\n");
	ball_text(&s, "prog/3/info.errno", "2");
	ball_text(&s, "pin/%2Fsys%2Ffs%2Fbpf%2Fx%2Eerrno", "prog 1\n");
	ball_text(&s, "prog/4/info", "");
	ball_text(&s, "meta", META);
	ball_text(&s, "prog/1/fdinfo", "new"); /* the last one is used */
	ball_text(&s, "prog/3/info", "there after all");
	ball_end(&s);
	assert_int_equal(load(&src, &s, &e), 0);
	assert_string_equal(src->ops->name, "archive");
	assert_int_equal(put_question(src, a, "prog/1/fdinfo", "new"), 0);
	assert_int_equal(put_question(src, a, "prog/2/info", ""), -EPERM);
	assert_int_equal(put_question(src, a, "prog/3/info", "there after all"), 0);
	assert_int_equal(put_question(src, a, "pin//sys/fs/bpf/x.errno", "prog 1\n"), 0);
	assert_int_equal(put_question(src, a, "pin//sys/fs/bpf/x", ""), -ENODATA);
	assert_int_equal(put_question(src, a, "prog/4/info", ""), 0);
	assert_int_equal(put_question(src, a, "prog/ids", ""), -ENODATA);
	assert_int_equal(put_question(src, a, "", ""), -ENODATA);
	assert_int_equal(put_question(src, a, "meta", META), 0);
	source_close(&src);
	assert_null(src);
}

static void key_too_long(void **state)
{
	struct source *src = NULL;
	ARENA a = arena_new();
	struct blob b;

	(void)state;
	assert_int_equal(source_fake(&src, (const struct fake_answer[]){ { 0 } }), 0);
	assert_int_equal(source_get(src, a, &b, "pin/%0*d", QUESTION_KEY_MAX - 4, 0), -ENODATA);
	assert_int_equal(source_get(src, a, &b, "pin/%0*d", QUESTION_KEY_MAX - 3, 0), -ENAMETOOLONG);
	source_close(&src);
}

static void pack(struct str *ret, const void *p, size_t n)
{
	z_stream z = { 0 };

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	str_reserve(ret, deflateBound(&z, n) + 64);
	z.next_in = (unsigned char *)p;
	z.avail_in = (uInt)n;
	z.next_out = (unsigned char *)ret->p + ret->n;
	z.avail_out = (uInt)(ret->cap - ret->n);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	ret->n += z.total_out;
	deflateEnd(&z);
}

static void gzip_streams(void **state)
{
	struct source *src = NULL;
	struct err e = { 0 };
	ARENA a = arena_new();
	STR s = { 0 }, gz = { 0 };
	size_t whole;

	(void)state;
	ball_meta(&s);
	ball_text(&s, "prog/9/info", "1");
	ball_end(&s);
	pack(&gz, s.p, s.n);
	assert_int_equal(load(&src, &gz, &e), 0);
	assert_int_equal(put_question(src, a, "prog/9/info", "1"), 0);
	source_close(&src);
	whole = gz.n;
	for (gz.n = 2; gz.n < whole; gz.n++) /* truncated anywhere */
		assert_int_equal(load(&src, &gz, &e), -EBADMSG);
	gz.p[whole / 2] ^= 0x10;
	gz.n = whole;
	assert_int_equal(load(&src, &gz, &e), -EBADMSG);
	str_reset(&gz); /* two streams in one file */
	pack(&gz, s.p, 512);
	pack(&gz, s.p + 512, s.n - 512);
	assert_int_equal(load(&src, &gz, &e), 0);
	source_close(&src);
	str_puts(&gz, "junk"); /* gzip and tar also ignore it */
	assert_int_equal(load(&src, &gz, &e), 0);
	source_close(&src);
}

/* A file that is not an archive is refused after its first block, not after a gigabyte. */
static void gzip_bomb(void **state)
{
	struct source *src = NULL;
	struct err e = { 0 };
	STR zeros = { 0 }, gz = { 0 };
	size_t n = 4 << 20;

	(void)state;
	str_reserve(&zeros, n);
	memset(zeros.p, 0, n);
	pack(&gz, zeros.p, n);
	gz.p[gz.n - 200] ^= 1; /* in a part that is not read */
	assert_int_equal(load(&src, &gz, &e), -ENOEXEC);
	str_reset(&zeros);
	str_reset(&gz);
	ball_text(&zeros, "meta", META);
	ball_header(&zeros, '0', "x", 077777777777ull);
	pack(&gz, zeros.p, zeros.n);
	assert_int_equal(load(&src, &gz, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "larger"));
}

/* Before format 2 all answers must be unpacked to find one: a large one is refused by its header. */
static void large_answers(void **state)
{
	(void)state;
	for (int now = 0; now < 2; now++) {
		struct source *src = NULL;
		struct err e = { 0 };
		STR tar = { 0 }, gz = { 0 };

		ball_text(&tar, "meta", now ? META "format 2\n" : META);
		ball_header(&tar, '0', "btf/9/data", ARCHIVE_OLD_MAX);
		pack(&gz, tar.p, tar.n);
		assert_int_equal(load(&src, &gz, &e), now ? 0 : -EBADMSG);
		assert_string_equal(e.msg, now ? "" : "unpacks to more than 256 MiB");
		source_close(&src);
	}
}

/* An archive of a few gzip members, in the format of the writer. */
static void write_new(struct str *ret, unsigned segments)
{
	static const char meta[] = META "format 2\n";
	struct tar_writer *w = NULL;
	struct input in;
	char key[32];

	assert_int_equal(input_temp(&in), 0);
	assert_int_equal(tar_writer_open(&w, in.fd, NULL), 0);
	assert_int_equal(tar_writer_add(w, "meta", meta, sizeof(meta) - 1, NULL), 0);
	for (unsigned i = 0; i < segments; i++) {
		assert_int_equal(tar_writer_flush(w, NULL), 0);
		snprintf(key, sizeof(key), "prog/%u/fdinfo", i);
		assert_int_equal(tar_writer_add(w, key, key, strlen(key), NULL), 0);
		snprintf(key, sizeof(key), "prog/%u/xlated.errno", i);
		assert_int_equal(tar_writer_add(w, key, "1\n", 2, NULL), 0);
		assert_int_equal(tar_writer_add(w, "pin/last", key, strlen(key), NULL), 0);
	}
	assert_int_equal(tar_writer_finish(w, NULL), 0);
	tar_writer_close(&w);
	assert_int_equal(str_read_fd(ret, (lseek(in.fd, 0, SEEK_SET), in.fd), 1 << 20), 0);
	input_close(&in);
}

/* Offsets of the gzip members. */
static size_t starts(const struct str *s, size_t *ret, size_t max)
{
	struct input in = { .fd = -1, .mem = (const unsigned char *)s->p, .size = s->n };
	struct gzip_reader *r = NULL;
	size_t n = 0;
	char buf[4096];

	assert_int_equal(gzip_reader_open(&r, &in, 0), 0);
	do {
		assert_true(n < max);
		ret[n++] = gzip_start(r);
		while (gzip_read(r, buf, sizeof(buf)) > 0)
			;
	} while (gzip_next(r) == 1);
	gzip_reader_close(&r);
	return n;
}

/* The first @whole answers of write_new(), and no others. */
static void has(struct source *src, unsigned whole, unsigned segments)
{
	ARENA a = arena_new();
	char key[32];

	for (unsigned i = 0; i < segments; i++) {
		snprintf(key, sizeof(key), "prog/%u/fdinfo", i);
		assert_int_equal(put_question(src, a, key, key), i < whole ? 0 : -ENODATA);
		snprintf(key, sizeof(key), "prog/%u/xlated", i);
		assert_int_equal(put_question(src, a, key, ""), i < whole ? -EPERM : -ENODATA);
	}
	snprintf(key, sizeof(key), "prog/%u/xlated.errno", whole - 1);
	assert_int_equal(put_question(src, a, "pin/last", whole ? key : ""), whole ? 0 : -ENODATA);
	assert_int_equal(put_question(src, a, "index", ""), -ENODATA);
}

#define WHOLE 5u
static void cut_anywhere(void **state)
{
	struct err e = { 0 };
	STR s = { 0 };
	size_t at[WHOLE + 4], n, whole;

	(void)state;
	write_new(&s, WHOLE);
	n = starts(&s, at, ARRAY_SIZE(at));
	assert_int_equal(n, WHOLE + 3); /* meta, answers, index, mark */
	whole = s.n;
	for (s.n = 0; s.n <= whole; s.n++) {
		struct source *src = NULL;
		uint64_t answers = 0;
		unsigned there = 0;
		int err = load(&src, &s, &e);

		while (there < n - 1 && at[there + 1] <= s.n)
			there++;
		if (!there) {
			assert_int_equal(err, s.n < 2 ? -ENOEXEC : -EBADMSG);
			continue;
		}
		assert_int_equal(err, 0);
		/* The contents of the index are also in the file: nothing is missing without it. */
		assert_int_equal(source_archive_cut(src, &answers), there <= WHOLE + 1);
		there = there > WHOLE + 1 ? WHOLE : there - 1;
		if (answers)
			assert_int_equal(answers, 1 + there * 3);
		has(src, there, WHOLE);
		source_close(&src);
	}
}

/* An answer is right, damaged, or lost with the end of the file; never wrong, and never lost without a message. */
static void check_damaged(struct source *src, const char *key, int want)
{
	ARENA a = arena_new();
	uint64_t answers;
	int err = put_question(src, a, key, key);

	if (err == -ENODATA)
		assert_true(source_archive_cut(src, &answers));
	else if (err != -EBADMSG)
		assert_int_equal(err, want);
}

static void changed_anywhere(void **state)
{
	STR s = { 0 };

	(void)state;
	write_new(&s, 2);
	for (size_t i = 0; i < s.n; i++) {
		struct source *src = NULL;
		struct err e = { 0 };

		s.p[i] ^= 0x21;
		if (!load(&src, &s, &e)) {
			check_damaged(src, "prog/0/fdinfo", 0);
			check_damaged(src, "prog/1/fdinfo", 0);
			check_damaged(src, "prog/0/xlated", -EPERM);
			check_damaged(src, "prog/1/xlated", -EPERM);
			source_close(&src);
		}
		s.p[i] ^= 0x21;
	}
}

/* With the index, damage in one gzip member does not affect others. */
static void damaged_inside(void **state)
{
	struct source *src = NULL;
	struct err e = { 0 };
	ARENA a = arena_new();
	STR s = { 0 };
	size_t at[WHOLE + 4];
	uint64_t answers;

	(void)state;
	write_new(&s, WHOLE);
	starts(&s, at, ARRAY_SIZE(at));
	memset(s.p + at[2] + 20, 0xff, 20);
	assert_int_equal(load(&src, &s, &e), 0);
	assert_false(source_archive_cut(src, &answers));
	assert_int_equal(put_question(src, a, "prog/0/fdinfo", "prog/0/fdinfo"), 0);
	assert_int_equal(put_question(src, a, "prog/1/fdinfo", ""), -EBADMSG);
	assert_int_equal(put_question(src, a, "prog/1/xlated", ""), -EBADMSG);
	assert_int_equal(put_question(src, a, "prog/2/fdinfo", "prog/2/fdinfo"), 0);
	source_close(&src);
	memset(s.p + at[0] + 20, 0xff, 20);
	assert_int_equal(load(&src, &s, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "meta"));
	str_reset(&s);
	write_new(&s, WHOLE);
	memset(s.p + at[2] + 20, 0xff, 20);
	memset(s.p + at[WHOLE + 1] + 20, 0xff, 20); /* the index cannot be read either: only the beginning is left */
	assert_int_equal(load(&src, &s, &e), 0);
	assert_true(source_archive_cut(src, &answers));
	assert_int_equal(answers, 4);
	source_close(&src);
}

static void sums(void **state)
{
	static const char right[] = "28 comment=crc32=0x83dcefb7\n"; /* of "1" */
	struct source *src = NULL;
	struct err e = { 0 };
	ARENA a = arena_new();
	STR s = { 0 };

	(void)state;
	ball_text(&s, "meta", META);
	ball_member(&s, 'x', "pax", right, sizeof(right) - 1);
	ball_text(&s, "pin/right", "1");
	ball_member(&s, 'x', "pax", right, sizeof(right) - 1);
	ball_text(&s, "pin/wrong", "2");
	ball_member(&s, 'x', "pax", right, sizeof(right) - 1);
	ball_text(&s, "pin/short", "");
	ball_member(&s, 'x', "pax", right, sizeof(right) - 1);
	ball_text(&s, "pin/refused.errno", "2");
	ball_text(&s, "pin/none", "2");
	ball_end(&s);
	assert_int_equal(load(&src, &s, &e), 0);
	assert_int_equal(put_question(src, a, "pin/right", "1"), 0);
	assert_int_equal(put_question(src, a, "pin/wrong", ""), -EBADMSG);
	assert_int_equal(put_question(src, a, "pin/short", ""), -EBADMSG);
	assert_int_equal(put_question(src, a, "pin/refused", ""), -EBADMSG);
	assert_int_equal(put_question(src, a, "pin/none", "2"), 0);
	source_close(&src);
}

/* A list without a checksum that lost objects. */
static void short_lists(void **state)
{
	struct source *src = NULL;
	struct err e = { 0 };
	ARENA a = arena_new();
	STR s = { 0 };
	struct blob b;
	static const uint32_t ids[] = { 1, 3 };

	(void)state;
	ball_text(&s, "meta", META);
	ball_member(&s, '0', "prog/ids", ids, sizeof(ids));
	ball_text(&s, "prog/1/info", "x");
	ball_text(&s, "prog/3/info", "x");
	ball_text(&s, "prog/2/info.errno", "2");
	ball_member(&s, '0', "map/ids", ids, sizeof(ids[0]));
	ball_text(&s, "map/1/info", "x");
	ball_text(&s, "map/2/info", "x");
	ball_text(&s, "link/ids", "");
	ball_text(&s, "link/7/infos", "x");
	ball_text(&s, "link/7/fdinfo", "x");
	ball_text(&s, "link/4294967296/info", "x");
	ball_text(&s, "linked/7/info", "x");
	ball_end(&s);
	assert_int_equal(load(&src, &s, &e), 0);
	assert_int_equal(source_get(src, a, &b, "prog/ids"), 0);
	assert_int_equal(source_get(src, a, &b, "map/ids"), -EBADMSG);
	assert_int_equal(source_get(src, a, &b, "link/ids"), 0);
	source_close(&src);
}

/* Old archives in one gzip member: answers far inside are kept in a file. The bytes are right at every offset. */
static void far_inside(void **state)
{
	CLEAN_PTR char *noise = malloc(5 << 20);
	struct source *src = NULL;
	struct err e = { 0 };
	ARENA a = arena_new();
	STR s = { 0 }, gz = { 0 };
	struct blob b;
	char key[32];

	(void)state;
	assert_non_null(noise);
	srandom(5);
	for (int i = 0; i < 5 << 20; i++)
		noise[i] = (char)(random() & 15);
	ball_text(&s, "meta", META);
	for (int i = 0; i < 5; i++) {
		snprintf(key, sizeof(key), "btf/%d/data", i);
		noise[0] = (char)i;
		ball_member(&s, '0', key, noise, 5 << 20);
	}
	ball_text(&s, "pin/far.errno", "13\n");
	ball_end(&s);
	pack(&gz, s.p, s.n);
	assert_int_equal(load(&src, &gz, &e), 0);
	for (int i = 5; i--;) {
		noise[0] = (char)i;
		assert_int_equal(source_get(src, a, &b, "btf/%d/data", i), 0);
		assert_int_equal(b.n, 5 << 20);
		assert_memory_equal(b.p, noise, b.n);
	}
	assert_int_equal(put_question(src, a, "pin/far", ""), -EACCES);
	source_close(&src);
}

static void files(void **state)
{
	char path[] = "/tmp/bpflens-archive-XXXXXX";
	int fd = mkstemp(path);
	struct source *src = NULL;
	struct err e = { 0 };
	STR s = { 0 };

	(void)state;
	ball_meta(&s);
	ball_end(&s);
	assert_true(fd >= 0);
	assert_int_equal(source_archive(&src, path, &e), -ENOEXEC);
	assert_non_null(strstr(e.msg, path));
	err_clear(&e);
	assert_int_equal(write(fd, s.p, s.n), s.n);
	assert_int_equal(source_archive(&src, path, &e), 0);
	source_close(&src);
	unlink(path);
	close(fd);
	assert_int_equal(source_archive(&src, path, &e), -ENOENT);
	err_clear(&e);
	assert_int_equal(source_archive(&src, "/", &e), -EISDIR);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),	    cmocka_unit_test(key_too_long),   cmocka_unit_test(gzip_streams),
		cmocka_unit_test(gzip_bomb),	    cmocka_unit_test(large_answers),  cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(changed_anywhere), cmocka_unit_test(damaged_inside), cmocka_unit_test(sums),
		cmocka_unit_test(short_lists),	    cmocka_unit_test(far_inside),     cmocka_unit_test(files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
