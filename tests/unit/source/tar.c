/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/str.h"
#include "source/source.h"
#include "source/tar.h"
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

static void escapes_that_are_none(void **state)
{
	static const char *const bad[] = { "%", "%2", "%zz", "%00", "a%", "%2f", "%-1", "%%41" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		STR key = { 0 };

		assert_int_equal(tar_name_key(&key, bad[i]), -EBADMSG);
	}
}

/* Any bytes survive the way there and back. */
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
	size_t last_n;
	unsigned char sum;
};

static int see(void *ctx, const char *name, const void *p, size_t n)
{
	struct seen *s = ctx;

	s->n++;
	snprintf(s->last, sizeof(s->last), "%s", name);
	s->last_n = n;
	for (size_t i = 0; i < n; i++)
		s->sum = (unsigned char)(s->sum * 31 + ((const unsigned char *)p)[i]);
	return 0;
}

static void write_and_read(void **state)
{
	struct tar_writer *w = NULL;
	struct err e = { 0 };
	struct seen seen = { 0 };
	CLEAN_PTR unsigned char *bytes = NULL;
	int fd = memfd_create("tar", 0), keep = dup(fd);
	char long_name[3000], data[1500];
	STR file = { 0 };
	unsigned sizes = 0;
	size_t n;

	(void)state;
	memset(data, 'd', sizeof(data));
	assert_int_equal(tar_writer_open(&w, fd, &e), 0);
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
	assert_int_equal(tar_writer_close(&w, &e), 0);
	assert_null(w);
	assert_int_equal(lseek(keep, 0, SEEK_SET), 0);
	assert_int_equal(str_read_fd(&file, keep, 1 << 30), 0);
	close(keep);
	assert_int_equal(tar_unpack(file.p, file.n, 1 << 30, &bytes, &n, &e), 0);
	assert_non_null(bytes);
	assert_int_equal(tar_read(bytes, n, see, &seen, &e), 0);
	assert_int_equal(seen.n, sizes);
	assert_int_equal(strlen(seen.last), 999);
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
	assert_int_equal(tar_writer_close(&w, &e), -ENOSPC);
	assert_int_equal(tar_writer_close(&w, &e), 0);
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
	assert_int_equal(tar_read(s.p, s.n, see, &seen, &e), 0);
	assert_string_equal(seen.last, name);
	str_reset(&s);
	at = ball_header(&s, '0', "name", 0);		/* ustar: prefix and name */
	strcpy(s.p + at + 345, "some/prefix");
	ball_sum(s.p + at);
	ball_member(&s, '5', "./", "", 0);
	ball_member(&s, 'g', "pax_global_header", "11 comment\n", 11);
	ball_end(&s);
	assert_int_equal(tar_read(s.p, s.n, see, &seen, &e), 0);
	assert_string_equal(seen.last, "some/prefix/name");
	str_reset(&s);
	ball_text(&s, "././dotted", "1");
	ball_end(&s);
	assert_int_equal(tar_read(s.p, s.n, see, &seen, &e), 0);
	assert_string_equal(seen.last, "dotted");
	assert_int_equal(seen.n, 3);
}

static int give_up(void *ctx, const char *name, const void *p, size_t n)
{
	(void)ctx, (void)name, (void)p, (void)n;
	return -ECANCELED;
}

static void reader_stops(void **state)
{
	struct err e = { 0 };
	STR s = { 0 };

	(void)state;
	ball_text(&s, "a", "1");
	ball_end(&s);
	assert_int_equal(tar_read(s.p, s.n, give_up, NULL, &e), -ECANCELED);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes),
		cmocka_unit_test(escapes_that_are_none),
		cmocka_unit_test(escapes_of_noise),
		cmocka_unit_test(write_and_read),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(long_names_of_others),
		cmocka_unit_test(reader_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
