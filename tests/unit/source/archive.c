/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "source/source.h"
#include "source/tar.h"
#include "tarball.h"

static int load(struct source **ret, const struct str *s, struct err *e)
{
	err_clear(e);
	return source_archive_mem(ret, s->p, s->n, e);
}

static int ask(struct source *s, struct arena *a, const char *key, const char *want)
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
	ball_text(&s, "empty", "");
	ball_text(&s, "meta", META);
	ball_text(&s, "prog/1/fdinfo", "new");		/* the last one wins */
	ball_text(&s, "prog/3/info", "there after all");
	ball_end(&s);
	assert_int_equal(load(&src, &s, &e), 0);
	assert_string_equal(src->ops->name, "archive");
	assert_int_equal(ask(src, a, "prog/1/fdinfo", "new"), 0);
	assert_int_equal(ask(src, a, "prog/2/info", ""), -EPERM);
	assert_int_equal(ask(src, a, "prog/3/info", "there after all"), 0);
	assert_int_equal(ask(src, a, "pin//sys/fs/bpf/x.errno", "prog 1\n"), 0);
	assert_int_equal(ask(src, a, "pin//sys/fs/bpf/x", ""), -ENODATA);
	assert_int_equal(ask(src, a, "empty", ""), 0);
	assert_int_equal(ask(src, a, "prog/ids", ""), -ENODATA);
	assert_int_equal(ask(src, a, "", ""), -ENODATA);
	assert_int_equal(ask(src, a, "meta", META), 0);
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
	assert_int_equal(source_get(src, a, &b, "%*s", SOURCE_KEY_MAX, ""), -ENODATA);
	assert_int_equal(source_get(src, a, &b, "%*s", SOURCE_KEY_MAX + 1, ""), -ENAMETOOLONG);
	source_close(&src);
}

/* Each starts as a good archive; the row breaks it. */
struct broken {
	const char *what;
	int want;
	void (*make)(struct str *s);
};

static size_t good(struct str *s)
{
	ball_text(s, "meta", META);
	return s->n;
}

static void patch(struct str *s, size_t at, size_t off, const void *p, size_t n)
{
	memcpy(s->p + at + off, p, n);
	ball_sum(s->p + at);
}

static void one(struct str *s, char type, const char *name, const char *text)
{
	good(s);
	ball_member(s, type, name, text, strlen(text));
	ball_end(s);
}

static void sized(struct str *s, const char *field)
{
	size_t at;

	good(s);
	at = ball_header(s, '0', "x", 0);
	patch(s, at, 124, field, 12);
	ball_end(s);
}

static void make_empty(struct str *s) { str_puts(s, ""); }
static void make_text(struct str *s) { for (int i = 0; i < 100; i++) str_puts(s, "not a tar at all\n"); }
static void make_short(struct str *s) { good(s); s->n = 511; }
static void make_zeros(struct str *s) { ball_end(s); }
static void make_no_end(struct str *s) { good(s); }
static void make_half_end(struct str *s) { good(s); ball_end(s); s->n -= 513; }
static void make_cut_data(struct str *s) { good(s); s->n -= 512; }
static void make_bad_sum(struct str *s) { size_t at = good(s); ball_end(s); s->p[at] = 'x'; }
static void make_no_meta(struct str *s) { ball_text(s, "x", "1"); ball_end(s); }
static void make_refused_meta(struct str *s) { ball_text(s, "meta.errno", "1"); ball_end(s); }
static void make_other_meta(struct str *s) { ball_text(s, "meta", "endian little\n"); ball_end(s); }
static void make_big_endian(struct str *s) { ball_text(s, "meta", "bpflens 0\nendian big\n"); ball_end(s); }
static void make_odd_endian(struct str *s) { ball_text(s, "meta", "bpflens 0\nendian pdp\n"); ball_end(s); }
static void make_no_endian(struct str *s) { ball_text(s, "meta", "bpflens 0\n"); ball_end(s); }
static void make_huge(struct str *s) { sized(s, "77777777777"); }
static void make_larger(struct str *s) { sized(s, "00000003001"); }
static void make_no_digits(struct str *s) { sized(s, "\0\0\0\0\0\0\0\0\0\0\0"); }
static void make_minus(struct str *s) { sized(s, "-0000000001"); }
static void make_eight(struct str *s) { sized(s, "00000000008"); }
static void make_junk(struct str *s) { sized(s, "0000000 001"); }
static void make_base256_negative(struct str *s) { sized(s, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"); }
static void make_base256_huge(struct str *s) { sized(s, "\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"); }
static void make_base256_big(struct str *s) { sized(s, "\x80\0\0\0\0\0\0\0\0\0\x0f\xff"); }
static void make_dots(struct str *s) { one(s, '0', "a/../b", ""); }
static void make_dot(struct str *s) { one(s, '0', "a/./b", ""); }
static void make_only_dots(struct str *s) { one(s, '0', "..", ""); }
static void make_absolute(struct str *s) { one(s, '0', "/etc/passwd", ""); }
static void make_double(struct str *s) { one(s, '0', "a//b", ""); }
static void make_trailing(struct str *s) { one(s, '0', "a/", ""); }
static void make_nameless(struct str *s) { one(s, '0', "", ""); }
static void make_control(struct str *s) { one(s, '0', "a\033[2Jb", ""); }
static void make_newline(struct str *s) { one(s, '0', "a\nb", ""); }
static void make_hardlink(struct str *s) { one(s, '1', "a", ""); }
static void make_symlink(struct str *s) { one(s, '2', "a", ""); }
static void make_char_device(struct str *s) { one(s, '3', "a", ""); }
static void make_fifo(struct str *s) { one(s, '6', "a", ""); }
static void make_sparse(struct str *s) { one(s, 'S', "a", ""); }
static void make_long_link(struct str *s) { one(s, 'K', "a", "target"); }
static void make_full_directory(struct str *s) { one(s, '5', "a", "data"); }
static void make_odd_type(struct str *s) { one(s, '\xff', "a", ""); }
static void make_escape(struct str *s) { one(s, '0', "a%zz", ""); }
static void make_escape_nul(struct str *s) { one(s, '0', "a%00b", ""); }
static void make_errno_text(struct str *s) { one(s, '0', "a.errno", "EPERM"); }
static void make_errno_zero(struct str *s) { one(s, '0', "a.errno", "0"); }
static void make_errno_huge(struct str *s) { one(s, '0', "a.errno", "4096"); }
static void make_errno_empty(struct str *s) { one(s, '0', "a.errno", ""); }
static void make_pax_no_blank(struct str *s) { one(s, 'x', "p", "12path=abcd\n"); }
static void make_pax_long(struct str *s) { one(s, 'x', "p", "99 path=abc\n"); }
static void make_pax_short(struct str *s) { one(s, 'x', "p", "2 path=abc\n"); }
static void make_pax_zero(struct str *s) { one(s, 'x', "p", "0 path=abc\n"); }
static void make_pax_overflow(struct str *s) { one(s, 'x', "p", "18446744073709551628 path=abc\n"); }
static void make_pax_no_newline(struct str *s) { one(s, 'x', "p", "11 path=abc"); }
static void make_pax_nothing(struct str *s) { one(s, 'x', "p", "junk"); }
static void make_pax_size(struct str *s) { one(s, 'x', "p", "13 size=1000\n"); }
static void make_pax_sparse(struct str *s) { one(s, 'x', "p", "22 GNU.sparse.major=1\n"); }
static void make_gnu_empty(struct str *s) { one(s, 'L', "p", ""); }

static void make_pax_dots(struct str *s)
{
	good(s);
	ball_text(s, "ok", "");
	ball_member(s, 'x', "p", "16 path=../evil\n", 16);
	ball_text(s, "ok", "");
	ball_end(s);
}

static void make_pax_nul(struct str *s)
{
	good(s);
	ball_member(s, 'x', "p", "12 path=a\0b\n", 12);
	ball_text(s, "ok", "");
	ball_end(s);
}

static void make_long_key(struct str *s)
{
	char name[SOURCE_KEY_MAX + 3];

	good(s);
	memset(name, 'k', sizeof(name));
	ball_member(s, 'L', "p", name, SOURCE_KEY_MAX + 1);
	ball_text(s, "ok", "");
	ball_end(s);
}

static void make_huge_name(struct str *s)
{
	STR name = { 0 };

	good(s);
	for (int i = 0; i < 20000; i++)
		str_puts(&name, "n");
	ball_member(s, 'L', "p", name.p, name.n);
	ball_text(s, "ok", "");
	ball_end(s);
}

#define ROW(name, want) { #name, want, make_##name }
static const struct broken brokens[] = {
	ROW(empty, -ENOEXEC), ROW(text, -ENOEXEC), ROW(short, -ENOEXEC), ROW(no_meta, -ENOEXEC), ROW(refused_meta, -ENOEXEC),
	ROW(other_meta, -ENOEXEC), ROW(big_endian, -ENOEXEC), ROW(odd_endian, -ENOEXEC), ROW(no_endian, -ENOEXEC),
	ROW(zeros, -ENOEXEC), ROW(no_end, -EBADMSG), ROW(half_end, -EBADMSG), ROW(cut_data, -EBADMSG), ROW(bad_sum, -EBADMSG),
	ROW(huge, -EBADMSG), ROW(larger, -EBADMSG), ROW(no_digits, -EBADMSG), ROW(minus, -EBADMSG), ROW(eight, -EBADMSG),
	ROW(junk, -EBADMSG), ROW(base256_negative, -EBADMSG), ROW(base256_huge, -EBADMSG), ROW(base256_big, -EBADMSG),
	ROW(dots, -EBADMSG), ROW(dot, -EBADMSG), ROW(only_dots, -EBADMSG), ROW(absolute, -EBADMSG), ROW(double, -EBADMSG),
	ROW(trailing, -EBADMSG), ROW(nameless, -EBADMSG), ROW(control, -EBADMSG), ROW(newline, -EBADMSG),
	ROW(hardlink, -EBADMSG), ROW(symlink, -EBADMSG), ROW(char_device, -EBADMSG), ROW(fifo, -EBADMSG),
	ROW(sparse, -EBADMSG), ROW(long_link, -EBADMSG), ROW(full_directory, -EBADMSG), ROW(odd_type, -EBADMSG),
	ROW(escape, -EBADMSG), ROW(escape_nul, -EBADMSG), ROW(errno_text, -EBADMSG), ROW(errno_zero, -EBADMSG),
	ROW(errno_huge, -EBADMSG), ROW(errno_empty, -EBADMSG), ROW(pax_no_blank, -EBADMSG), ROW(pax_long, -EBADMSG),
	ROW(pax_short, -EBADMSG), ROW(pax_zero, -EBADMSG), ROW(pax_overflow, -EBADMSG), ROW(pax_no_newline, -EBADMSG),
	ROW(pax_nothing, -EBADMSG), ROW(pax_size, -EBADMSG), ROW(pax_sparse, -EBADMSG), ROW(pax_dots, -EBADMSG),
	ROW(pax_nul, -EBADMSG), ROW(gnu_empty, -EBADMSG), ROW(long_key, -EBADMSG), ROW(huge_name, -EBADMSG),
};

static void hostile(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(brokens); i++) {
		struct source *src = NULL;
		struct err e = { 0 };
		STR s = { 0 };
		CLEAN_PTR char *exact = NULL;
		int err;

		brokens[i].make(&s);
		exact = malloc(s.n + 1);	/* no spare bytes behind it, for ASan */
		assert_non_null(exact);
		memcpy(exact, s.p, s.n);
		err = source_archive_mem(&src, exact, s.n, &e);
		if (err != brokens[i].want)
			print_error("%s: %d: %s\n", brokens[i].what, err, e.msg);
		assert_int_equal(err, brokens[i].want);
		assert_int_equal(e.code, err);
		assert_true(e.msg[0] != '\0');
		for (const char *p = e.msg; *p; p++)
			assert_true((unsigned char)*p >= ' ');
		assert_null(src);
	}
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
	good(&s);
	ball_text(&s, "x", "1");
	ball_end(&s);
	pack(&gz, s.p, s.n);
	assert_int_equal(load(&src, &gz, &e), 0);
	assert_int_equal(ask(src, a, "x", "1"), 0);
	source_close(&src);
	whole = gz.n;
	for (gz.n = 2; gz.n < whole; gz.n++)		/* cut anywhere */
		assert_int_equal(load(&src, &gz, &e), -EBADMSG);
	gz.p[whole / 2] ^= 0x10;
	gz.n = whole;
	assert_int_equal(load(&src, &gz, &e), -EBADMSG);
	str_reset(&gz);					/* two streams are one file */
	pack(&gz, s.p, 512);
	pack(&gz, s.p + 512, s.n - 512);
	assert_int_equal(load(&src, &gz, &e), 0);
	source_close(&src);
	str_puts(&gz, "junk");
	assert_int_equal(load(&src, &gz, &e), -EBADMSG);
}

/* What unpacks to more than the limit ends at the limit, in one stream or many. */
static void gzip_bomb(void **state)
{
	CLEAN_PTR unsigned char *bytes = NULL, *more = NULL, *small = NULL;
	struct err e = { 0 };
	STR zeros = { 0 }, gz = { 0 }, twice = { 0 };
	size_t n = 5 << 20, got;

	(void)state;
	str_reserve(&zeros, n);
	memset(zeros.p, 0, n);
	pack(&gz, zeros.p, n);
	assert_int_equal(tar_unpack(gz.p, gz.n, n, &bytes, &got, &e), 0);
	assert_int_equal(got, n);
	assert_int_equal(tar_unpack(gz.p, gz.n, n - 1, &more, &got, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "MiB"));
	assert_int_equal(tar_unpack(gz.p, gz.n, 1000, &small, &got, &e), -EBADMSG);
	str_add(&twice, gz.p, gz.n);
	str_add(&twice, gz.p, gz.n);
	assert_int_equal(tar_unpack(twice.p, twice.n, n + 1, &more, &got, &e), -EBADMSG);
	assert_null(more);
}

static void files(void **state)
{
	char path[] = "/tmp/bpflens-archive-XXXXXX";
	int fd = mkstemp(path);
	struct source *src = NULL;
	struct err e = { 0 };
	STR s = { 0 };

	(void)state;
	good(&s);
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
		cmocka_unit_test(answers),
		cmocka_unit_test(key_too_long),
		cmocka_unit_test(hostile),
		cmocka_unit_test(gzip_streams),
		cmocka_unit_test(gzip_bomb),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
