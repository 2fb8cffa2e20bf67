/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <stdlib.h>

#include "base/base.h"
#include "source/source.h"
#include "source/file/tar.h"
#include "source/file/archive.h"
#include "tarball.h"

/* Each starts as a valid archive; the row damages it. */
struct broken {
	const char *what;
	int want;
	void (*make)(struct str *s);
};

static void patch(struct str *s, size_t at, size_t off, const void *p, size_t n)
{
	memcpy(s->p + at + off, p, n);
	ball_sum(s->p + at);
}

static void one(struct str *s, char type, const char *name, const char *text)
{
	ball_meta(s);
	ball_member(s, type, name, text, strlen(text));
	ball_end(s);
}

static void sized(struct str *s, const char *field)
{
	size_t at;

	ball_meta(s);
	at = ball_header(s, '0', "prog/9/info", 0);
	patch(s, at, 124, field, 12);
	ball_end(s);
}

static void make_empty(struct str *s)
{
	str_puts(s, "");
}
static void make_text(struct str *s)
{
	for (int i = 0; i < 100; i++)
		str_puts(s, "not a tar at all\n");
}
static void make_short(struct str *s)
{
	ball_meta(s);
	s->n = 511;
}
static void make_zeros(struct str *s)
{
	ball_end(s);
}
static void make_no_end(struct str *s)
{
	ball_meta(s);
}
static void make_half_end(struct str *s)
{
	ball_meta(s);
	ball_end(s);
	s->n -= 513;
}
static void make_cut_data(struct str *s)
{
	ball_meta(s);
	s->n -= 512;
}
static void make_bad_sum(struct str *s)
{
	size_t at = ball_meta(s);
	ball_end(s);
	s->p[at] = 'x';
}
static void make_no_meta(struct str *s)
{
	ball_text(s, "prog/9/info", "1");
	ball_end(s);
}
static void make_refused_meta(struct str *s)
{
	ball_text(s, "meta.errno", "1");
	ball_end(s);
}
static void make_other_meta(struct str *s)
{
	ball_text(s, "meta", "endian little\n");
	ball_end(s);
}
static void make_odd_memory(struct str *s)
{
	ball_text(s, "meta", "bpflens 0\nendian big\nmemory pdp\n");
	ball_end(s);
}
static void make_odd_endian(struct str *s)
{
	ball_text(s, "meta", "bpflens 0\nendian pdp\n");
	ball_end(s);
}
static void make_no_endian(struct str *s)
{
	ball_text(s, "meta", "bpflens 0\n");
	ball_end(s);
}
static void make_huge(struct str *s)
{
	sized(s, "77777777777");
}
static void make_larger(struct str *s)
{
	sized(s, "00000003001");
}
static void make_no_digits(struct str *s)
{
	sized(s, "\0\0\0\0\0\0\0\0\0\0\0");
}
static void make_minus(struct str *s)
{
	sized(s, "-0000000001");
}
static void make_eight(struct str *s)
{
	sized(s, "00000000008");
}
static void make_junk(struct str *s)
{
	sized(s, "0000000 001");
}
static void make_base256_negative(struct str *s)
{
	sized(s, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
}
static void make_base256_huge(struct str *s)
{
	sized(s, "\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
}
static void make_base256_big(struct str *s)
{
	sized(s, "\x80\0\0\0\0\0\0\0\0\0\x0f\xff");
}
static void make_dots(struct str *s)
{
	one(s, '0', "a/../b", "");
}
static void make_dot(struct str *s)
{
	one(s, '0', "a/./b", "");
}
static void make_only_dots(struct str *s)
{
	one(s, '0', "..", "");
}
static void make_absolute(struct str *s)
{
	one(s, '0', "/etc/passwd", "");
}
static void make_double(struct str *s)
{
	one(s, '0', "a//b", "");
}
static void make_trailing(struct str *s)
{
	one(s, '0', "a/", "");
}
static void make_nameless(struct str *s)
{
	one(s, '0', "", "");
}
static void make_control(struct str *s)
{
	one(s, '0', "a\033[2Jb", "");
}
static void make_newline(struct str *s)
{
	one(s, '0', "a\nb", "");
}
static void make_hardlink(struct str *s)
{
	one(s, '1', "a", "");
}
static void make_symlink(struct str *s)
{
	one(s, '2', "a", "");
}
static void make_char_device(struct str *s)
{
	one(s, '3', "a", "");
}
static void make_fifo(struct str *s)
{
	one(s, '6', "a", "");
}
static void make_sparse(struct str *s)
{
	one(s, 'S', "a", "");
}
static void make_long_link(struct str *s)
{
	one(s, 'K', "a", "target");
}
static void make_full_directory(struct str *s)
{
	one(s, '5', "a", "data");
}
static void make_odd_type(struct str *s)
{
	one(s, '\xff', "a", "");
}
static void make_escape(struct str *s)
{
	one(s, '0', "a%zz", "");
}
static void make_escape_nul(struct str *s)
{
	one(s, '0', "a%00b", "");
}
static void make_errno_text(struct str *s)
{
	one(s, '0', "a.errno", "EPERM");
}
static void make_errno_zero(struct str *s)
{
	one(s, '0', "a.errno", "0");
}
static void make_errno_huge(struct str *s)
{
	one(s, '0', "a.errno", "4096");
}
static void make_errno_empty(struct str *s)
{
	one(s, '0', "a.errno", "");
}
static void make_pax_no_blank(struct str *s)
{
	one(s, 'x', "p", "12path=abcd\n");
}
static void make_pax_long(struct str *s)
{
	one(s, 'x', "p", "99 path=abc\n");
}
static void make_pax_short(struct str *s)
{
	one(s, 'x', "p", "2 path=abc\n");
}
static void make_pax_zero(struct str *s)
{
	one(s, 'x', "p", "0 path=abc\n");
}
static void make_pax_overflow(struct str *s)
{
	one(s, 'x', "p", "18446744073709551628 path=abc\n");
}
static void make_pax_no_newline(struct str *s)
{
	one(s, 'x', "p", "11 path=abc");
}
static void make_pax_nothing(struct str *s)
{
	one(s, 'x', "p", "junk");
}
static void make_pax_size(struct str *s)
{
	one(s, 'x', "p", "13 size=1000\n");
}
static void make_pax_sparse(struct str *s)
{
	one(s, 'x', "p", "22 GNU.sparse.major=1\n");
}
static void make_gnu_empty(struct str *s)
{
	one(s, 'L', "p", "");
}

static void make_pax_dots(struct str *s)
{
	ball_meta(s);
	ball_text(s, "ok", "");
	ball_member(s, 'x', "p", "16 path=../evil\n", 16);
	ball_text(s, "ok", "");
	ball_end(s);
}

static void make_pax_nul(struct str *s)
{
	ball_meta(s);
	ball_member(s, 'x', "p", "12 path=a\0b\n", 12);
	ball_text(s, "ok", "");
	ball_end(s);
}

static void make_long_key(struct str *s)
{
	char name[QUESTION_KEY_MAX + 3];

	ball_meta(s);
	memset(name, 'k', sizeof(name));
	ball_member(s, 'L', "p", name, QUESTION_KEY_MAX + 1);
	ball_text(s, "ok", "");
	ball_end(s);
}

static void make_huge_name(struct str *s)
{
	STR name = { 0 };

	ball_meta(s);
	for (int i = 0; i < 20000; i++)
		str_puts(&name, "n");
	ball_member(s, 'L', "p", name.p, name.n);
	ball_text(s, "ok", "");
	ball_end(s);
}

#define ROW(name, want) \
	{ \
#name, want, make_##name \
	}
/* clang-format off */
static const struct broken brokens[] = {
	ROW(empty, -ENOEXEC), ROW(text, -ENOEXEC), ROW(short, -ENOEXEC), ROW(no_meta, -ENOEXEC), ROW(refused_meta, -ENOEXEC),
	ROW(other_meta, -ENOEXEC), ROW(odd_memory, -ENOEXEC), ROW(odd_endian, -ENOEXEC), ROW(no_endian, -ENOEXEC),
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
/* clang-format on */

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
		exact = malloc(s.n + 1); /* no spare bytes after it, for ASan */
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
