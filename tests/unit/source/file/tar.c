/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "source/file/gzip.h"
#include "source/file/input.h"
#include "source/source.h"
#include "source/file/tar.h"
#include "tarball.h"

static void escapes(void **state)
{
	static const char *const pairs[][2] = {
		{ "prog/ids", "prog/ids" },
		{ "link/12/buf/16.24.0+32.24.8", "link/12/buf/16.24.0+32.24.8" },
		{ "pin//sys/fs/bpf/x", "pin/%2Fsys%2Ffs%2Fbpf%2Fx" },
		{ "pin//a/../b", "pin/%2Fa%2F%2E.%2Fb" },
		{ "pin/", "pin%2F" },
		{ "a/../b", "a/%2E./b" },
		{ "../b", "%2E./b" },
		{ "a/.", "a/%2E" },
		{ "a/.x/..y", "a/.x/..y" },
		{ "a//b", "a/%2Fb" },
		{ "/a/", "%2Fa%2F" },
		{ "a%b\\c d\n\x7f\xff", "a%25b%5Cc%20d%0A%7F%FF" },
		{ "pin//x.errno", "pin/%2Fx%2Eerrno" },
		{ "a.errno/b", "a.errno/b" },
		{ ".errno", "%2Eerrno" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		STR name = { 0 }, key = { 0 };

		tar_name_put(&name, pairs[i][0]);
		assert_string_equal(name.p, pairs[i][1]);
		assert_int_equal(tar_name_key(&key, name.p), 0);
		assert_string_equal(key.p, pairs[i][0]);
	}
}

static void invalid_escapes(void **state)
{
	static const char *const bad[] = { "%", "%2", "%zz", "%00", "a%", "%2f", "%-1", "%%41" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		STR key = { 0 };

		assert_int_equal(tar_name_key(&key, bad[i]), -EBADMSG);
	}
}

/* Any bytes are the same after writing and reading. */
static void escapes_of_noise(void **state)
{
	static const char alphabet[] = "a./%\\ \n\xc3\xa4pin";

	(void)state;
	srandom(7);
	for (int round = 0; round < 20000; round++) {
		STR name = { 0 }, back = { 0 };
		char key[16];
		size_t n = 1 + (size_t)random() % 12;

		for (size_t i = 0; i < n; i++)
			key[i] = alphabet[(size_t)random() % (sizeof(alphabet) - 1)];
		key[n] = '\0';
		tar_name_put(&name, key);
		assert_true(name.p[0] != '/' && name.p[name.n - 1] != '/');
		assert_null(strstr(name.p, "//"));
		assert_null(strstr(name.p, "/../"));
		assert_int_equal(tar_name_key(&back, name.p), 0);
		assert_string_equal(back.p, key);
	}
}

struct seen {
	unsigned n;
	char last[5000];
	uint64_t size, bytes;
	bool summed, open;
	uint32_t crc32, want;
};

static int see_begin(void *ctx, const struct tar_member *m)
{
	struct seen *s = ctx;

	assert_false(s->open);
	s->open = true;
	s->n++;
	snprintf(s->last, sizeof(s->last), "%s", m->name);
	s->size = m->size;
	s->bytes = 0;
	s->summed = m->summed;
	s->want = m->crc32;
	s->crc32 = 0;
	return 0;
}

static int see_bytes(void *ctx, const unsigned char *p, size_t n)
{
	struct seen *s = ctx;

	assert_true(s->open);
	s->bytes += n;
	s->crc32 = gzip_crc32(s->crc32, p, n);
	return 0;
}

static int see_end(void *ctx)
{
	struct seen *s = ctx;

	assert_int_equal(s->bytes, s->size);
	if (s->summed)
		assert_int_equal(s->crc32, s->want);
	s->open = false;
	return 0;
}

static const struct tar_sink see = { see_begin, see_bytes, see_end };

/* In portions of @step bytes. */
static int read_tar(const struct str *s, size_t step, struct seen *seen, struct err *e)
{
	struct tar_reader r;
	int err = 0;

	tar_reader_init(&r, &see, seen, e);
	for (size_t off = 0; off < s->n && !err; off += step)
		err = tar_feed(&r, s->p + off, step < s->n - off ? step : s->n - off);
	if (!err)
		err = tar_feed_end(&r);
	tar_reader_release(&r);
	return err;
}

/* All bytes of a file of gzip members, and the number of members. */
static unsigned unpack(const struct input *in, struct str *ret)
{
	struct gzip_reader *r = NULL;
	unsigned members = 0;
	char buf[1000];
	ssize_t n;

	assert_int_equal(gzip_reader_open(&r, in, 0), 0);
	do {
		while ((n = gzip_read(r, buf, sizeof(buf))) > 0)
			str_add(ret, buf, (size_t)n);
		assert_int_equal(n, 0);
		members++;
	} while (gzip_next(r));
	gzip_reader_close(&r);
	return members;
}

static void write_and_read(void **state)
{
	struct tar_writer *w = NULL;
	struct err e = { 0 };
	struct seen seen = { 0 };
	struct input in;
	char long_name[3000], data[1500];
	STR tar = { 0 };
	unsigned sizes = 0;
	size_t n;

	(void)state;
	memset(data, 'd', sizeof(data));
	assert_int_equal(input_temp(&in), 0);
	assert_int_equal(tar_writer_open(&w, in.fd, &e), 0);
	for (unsigned i = 0; i < sizeof(data); i += 73, sizes++)
		assert_int_equal(tar_writer_add(w, "some/name", data, i, &e), 0);
	/* Every length around the places where a PAX record's own length gains a digit. */
	for (n = 80; n < sizeof(long_name); n += n < 130 ? 1 : 97, sizes++) {
		memset(long_name, 'n', n);
		long_name[n] = '\0';
		assert_int_equal(tar_writer_add(w, long_name, "x", 1, &e), 0);
	}
	for (n = 980; n < 1000; n++, sizes++) {
		memset(long_name, 'n', n);
		long_name[n] = '\0';
		assert_int_equal(tar_writer_add(w, long_name, "x", 1, &e), 0);
	}
	assert_int_equal(tar_writer_add(w, "", "x", 1, &e), -ENAMETOOLONG);
	err_clear(&e);
	assert_int_equal(tar_writer_finish(w, &e), 0);
	tar_writer_close(&w);
	assert_null(w);
	in.size = (uint64_t)lseek(in.fd, 0, SEEK_END);
	assert_int_equal(unpack(&in, &tar), 4); /* answers of more than 256 KiB, index, mark */
	for (size_t step = 1; step < 3000; step = step * 3 + 1) {
		seen = (struct seen){ 0 };
		assert_int_equal(read_tar(&tar, step, &seen, &e), 0);
		assert_int_equal(seen.n, sizes + 1);
		assert_string_equal(seen.last, TAR_INDEX);
		assert_true(seen.summed);
	}
	input_close(&in);
}

/* A new gzip member each 256 KiB, when asked to, and with an answer that is larger; none for nothing. */
static void segments_of_a_file(void **state)
{
	CLEAN_PTR char *big = calloc(1, 1 << 20);
	struct tar_writer *w = NULL;
	struct err e = { 0 };
	struct input in;
	STR tar = { 0 };

	(void)state;
	assert_int_equal(input_temp(&in), 0);
	assert_int_equal(tar_writer_open(&w, in.fd, &e), 0);
	assert_int_equal(tar_writer_flush(w, &e), 0);
	for (int i = 0; i < 150; i++)
		assert_int_equal(tar_writer_add(w, "x", big, 1024, &e), 0);
	assert_int_equal(tar_writer_add(w, "big", big, 1 << 20, &e), 0);
	assert_int_equal(tar_writer_add(w, "y", big, 1, &e), 0);
	assert_int_equal(tar_writer_flush(w, &e), 0);
	assert_int_equal(tar_writer_flush(w, &e), 0);
	assert_int_equal(tar_writer_finish(w, &e), 0);
	tar_writer_close(&w);
	in.size = (uint64_t)lseek(in.fd, 0, SEEK_END);
	assert_int_equal(unpack(&in, &tar), 5); /* 103 times x, x and big, y, index, mark */
	input_close(&in);
}

static void full_disk(void **state)
{
	struct tar_writer *w = NULL;
	struct err e = { 0 };
	int fd = open("/dev/full", O_WRONLY), err = 0;
	char noise[8192];

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(tar_writer_open(&w, fd, &e), 0);
	srandom(1);
	for (int i = 0; i < 1000 && !err; i++) {
		for (size_t k = 0; k < sizeof(noise); k++)
			noise[k] = (char)random();
		err = tar_writer_add(w, "noise", noise, sizeof(noise), &e);
	}
	assert_int_equal(err, -ENOSPC);
	err_clear(&e);
	assert_int_equal(tar_writer_add(w, "more", "x", 1, &e), -ENOSPC);
	err_clear(&e);
	assert_int_equal(tar_writer_finish(w, &e), -ENOSPC);
	tar_writer_close(&w);
	tar_writer_close(&w);
	close(fd);
}

static void long_names_of_others(void **state)
{
	struct err e = { 0 };
	struct seen seen = { 0 };
	STR s = { 0 };
	char name[200];
	size_t at;

	(void)state;
	memset(name, 'g', 150);
	name[150] = '\0';
	ball_member(&s, 'L', "././@LongLink", name, 151);
	ball_text(&s, "gggg", "1");
	ball_end(&s);
	assert_int_equal(read_tar(&s, 100, &seen, &e), 0);
	assert_string_equal(seen.last, name);
	str_reset(&s);
	at = ball_header(&s, '0', "name", 0); /* ustar: prefix and name */
	strcpy(s.p + at + 345, "some/prefix");
	ball_sum(s.p + at);
	ball_member(&s, '5', "./", "", 0);
	ball_member(&s, 'g', "pax_global_header", "11 comment\n", 11);
	ball_end(&s);
	assert_int_equal(read_tar(&s, 512, &seen, &e), 0);
	assert_string_equal(seen.last, "some/prefix/name");
	str_reset(&s);
	ball_text(&s, "././dotted", "1");
	ball_end(&s);
	assert_int_equal(read_tar(&s, 1, &seen, &e), 0);
	assert_string_equal(seen.last, "dotted");
	assert_int_equal(seen.n, 3);
	assert_false(seen.summed);
}

/* Unknown records and words are ignored. */
static void records(void **state)
{
	static const char pax[] = "13 atime=1.5\n44 comment=life=7 crc32=0x83dcefb7 time=12 \n21 VENDOR.some=thing\n";
	static const char bad[] = "29 comment=crc32=0x83dcefb70\n";
	struct err e = { 0 };
	struct seen seen = { 0 };
	STR s = { 0 };

	(void)state;
	ball_member(&s, 'x', "pax", pax, sizeof(pax) - 1);
	ball_text(&s, "one", "1");
	ball_text(&s, "two", "1");
	ball_end(&s);
	assert_int_equal(read_tar(&s, 512, &seen, &e), 0);
	assert_int_equal(seen.n, 2);
	assert_int_equal(seen.want, 0x83dcefb7); /* of the first; the second has none */
	assert_false(seen.summed);
	str_reset(&s);
	ball_member(&s, 'x', "pax", bad, sizeof(bad) - 1);
	ball_text(&s, "one", "1");
	ball_end(&s);
	assert_int_equal(read_tar(&s, 512, &seen, &e), -EBADMSG);
}

/* A long name or a PAX record is kept in memory, and refused by its header if it is too large. */
static void large_records(void **state)
{
	static const char types[] = { 'x', 'L' };
	const size_t most = TAR_NAME_MAX + 4096;

	(void)state;
	for (size_t i = 0; i < sizeof(types); i++) {
		for (size_t n = most; n <= most + 1; n++) {
			struct err e = { 0 };
			struct seen seen = { 0 };
			struct tar_reader r;
			STR s = { 0 };

			ball_header(&s, types[i], "extra", n);
			tar_reader_init(&r, &see, &seen, &e);
			assert_int_equal(tar_feed(&r, s.p, s.n), n > most ? -EBADMSG : 0);
			tar_reader_release(&r);
		}
	}
}

static int give_up(void *ctx, const struct tar_member *m)
{
	(void)ctx, (void)m;
	return -ECANCELED;
}

static void reader_stops(void **state)
{
	static const struct tar_sink sink = { give_up, see_bytes, see_end };
	struct err e = { 0 };
	struct tar_reader r;
	STR s = { 0 };

	(void)state;
	ball_text(&s, "a", "1");
	ball_end(&s);
	tar_reader_init(&r, &sink, NULL, &e);
	assert_int_equal(tar_feed(&r, s.p, s.n), -ECANCELED);
	tar_reader_release(&r);
}

/* An index is searched without a reason wanted, in a file that may be anything. */
static void no_reason(void **state)
{
	static const char other[2 * TAR_BLOCK] = "something else";
	struct tar_reader r;

	(void)state;
	tar_reader_init(&r, &see, NULL, NULL);
	assert_int_equal(tar_feed(&r, other, 100), 0);
	assert_int_equal(tar_feed_end(&r), -ENOEXEC);
	tar_reader_release(&r);
	tar_reader_init(&r, &see, NULL, NULL);
	assert_int_equal(tar_feed(&r, other, sizeof(other)), -ENOEXEC);
	tar_reader_release(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes),
		cmocka_unit_test(invalid_escapes),
		cmocka_unit_test(escapes_of_noise),
		cmocka_unit_test(write_and_read),
		cmocka_unit_test(segments_of_a_file),
		cmocka_unit_test(records),
		cmocka_unit_test(large_records),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(long_names_of_others),
		cmocka_unit_test(reader_stops),
		cmocka_unit_test(no_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
