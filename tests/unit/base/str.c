/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"

static void grows(void **state)
{
	STR s = { 0 };
	unsigned i;

	(void)state;
	str_add(&s, NULL, 0);
	assert_string_equal(s.p, "");
	for (i = 0; i < 5000; i++)
		str_puts(&s, "ab");
	assert_int_equal(s.n, 10000);
	assert_int_equal(strlen(s.p), 10000);
	str_reset(&s);
	assert_string_equal(s.p, "");
	str_fmt(&s, "%s=%d", "x", 4);
	str_fmt(&s, "%0300d", 7);
	assert_memory_equal(s.p, "x=4000", 6);
	assert_int_equal(s.n, 303);
	str_release(&s);
	assert_null(s.p);
	str_puts(&s, "again");
	assert_string_equal(s.p, "again");
}

static void lines(void **state)
{
	assert_int_equal(str_lines(""), 0);
	assert_int_equal(str_lines("a"), 0);
	assert_int_equal(str_lines("a\n"), 1);
	assert_int_equal(str_lines("\n\nb"), 2);
}

static int file_of(size_t n)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	static const char fill[4096] = { 1 };

	assert_true(fd >= 0);
	while (n) {
		size_t part = n < sizeof(fill) ? n : sizeof(fill);

		assert_int_equal(write(fd, fill, part), part);
		n -= part;
	}
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void reads_up_to_max(void **state)
{
	static const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 200000 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		CLEAN_FD fd = file_of(sizes[i]);
		STR s = { 0 };

		str_puts(&s, "head");
		assert_int_equal(str_read_fd(&s, fd, sizes[i]), 0);
		assert_int_equal(s.n, 4 + sizes[i]);
		assert_int_equal(s.p[s.n], 0);
		if (!sizes[i])
			continue;
		str_reset(&s);
		str_puts(&s, "head");
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		assert_int_equal(str_read_fd(&s, fd, sizes[i] - 1), -EFBIG);
		assert_string_equal(s.p, "head");
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		assert_int_equal(str_read_fd(&s, fd, SIZE_MAX), 0);
	}
}

static void refusals(void **state)
{
	STR s = { 0 };

	(void)state;
	assert_int_equal(str_read_file(&s, "/nonexistent/file", 10), -ENOENT);
	assert_int_equal(str_read_fd(&s, -1, 10), -EBADF);
	assert_int_equal(s.n, 0);
	assert_int_equal(str_read_file(&s, "/proc/self/status", 1 << 20), 0);
	assert_true(str_starts(s.p, "Name:"));
}

static void prefixes(void **state)
{
	(void)state;
	assert_int_equal(str_starts("abc", ""), 1);
	assert_int_equal(str_starts("abc", "abc"), 1);
	assert_int_equal(str_starts("abc", "abcd"), 0);
	assert_int_equal(str_starts("", "a"), 0);
	assert_int_equal(str_starts("xbc", "ab"), 0);
}

static void utf8(void **state)
{
	static const struct {
		const char *s;
		size_t n, want;
	} rows[] = {
		{ "a", 1, 1 },
		{ "", 0, 0 },
		{ "\0", 1, 1 },
		{ "\xc3\xa9", 2, 2 },
		{ "\xc3\xa9", 1, 0 },
		{ "\xe2\x82\xac", 3, 3 },
		{ "\xf0\x9f\x98\x80", 4, 4 },
		{ "\xf0\x9f\x98\x80", 3, 0 },
		{ "\xc0\x80", 2, 0 },
		{ "\xc1\xbf", 2, 0 },
		{ "\xe0\x9f\xbf", 3, 0 },
		{ "\xed\xa0\x80", 3, 0 },
		{ "\xed\x9f\xbf", 3, 3 },
		{ "\xf0\x8f\xbf\xbf", 4, 0 },
		{ "\xf4\x8f\xbf\xbf", 4, 4 },
		{ "\xf4\x90\x80\x80", 4, 0 },
		{ "\xf5\x80\x80\x80", 4, 0 },
		{ "\x80", 1, 0 },
		{ "\xff", 1, 0 },
		{ "\xe2\x28\xa1", 3, 0 },
		{ "\xe2\x82\x28", 3, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(str_utf8(rows[i].s, rows[i].n), rows[i].want);
}

static void words(void **state)
{
	(void)state;
	assert_true(str_has_word("map tid --sort", "map") && str_has_word("map tid --sort", "--sort"));
	assert_true(str_has_word("pids pid", "pid"));
	assert_false(str_has_word("map tid --sort", "sort") || str_has_word("maps", "map") || str_has_word("map", "") ||
		     str_has_word("", "x"));
}

static void controls(void **state)
{
	static const struct {
		const char *s;
		uint32_t want;
	} rows[] = {
		{ "a", 0 },
		{ "\x7f", 0x7f },
		{ "\xc2\x80", 0x80 },
		{ "\xc2\x9f", 0x9f },
		{ "\xc2\xa0", 0 },
		{ "\xd8\x9c", 0x61c },
		{ "\xd8\x9d", 0 },
		{ "\xc2\xad", 0xad },
		{ "\xc2\xae", 0 },
		{ "\xe2\x80\x8a", 0 },
		{ "\xe2\x80\x8b", 0x200b },
		{ "\xe2\x80\x8c", 0 }, /* joins letters */
		{ "\xe2\x80\x8d", 0 },
		{ "\xe2\x80\x8e", 0x200e },
		{ "\xe2\x80\x8f", 0x200f },
		{ "\xe2\x80\xa7", 0 },
		{ "\xe2\x80\xa8", 0x2028 },
		{ "\xe2\x80\xa9", 0x2029 },
		{ "\xe2\x80\xaa", 0x202a },
		{ "\xe2\x80\xae", 0x202e },
		{ "\xe2\x80\xaf", 0 },
		{ "\xe2\x81\x9f", 0 },
		{ "\xe2\x81\xa0", 0x2060 },
		{ "\xe2\x81\xa4", 0x2064 },
		{ "\xe2\x81\xa5", 0 },
		{ "\xe2\x81\xa6", 0x2066 },
		{ "\xe2\x81\xa9", 0x2069 },
		{ "\xe2\x81\xaa", 0 },
		{ "\xef\xbb\xbf", 0xfeff },
		{ "\xf0\x9f\x98\x80", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(str_control(rows[i].s, strlen(rows[i].s)), rows[i].want);
}

static void sentences_fit(void **state)
{
	char buf[20];

	(void)state;
	str_fit(buf, sizeof(buf), "%s", "exactly 19 letters.");
	assert_string_equal(buf, "exactly 19 letters.");
	str_fit(buf, sizeof(buf), "%s", "a few more than that");
	assert_string_equal(buf, "a few more than...");
	str_fit(buf, sizeof(buf), "%s", "a wordoftwentyletters");
	assert_string_equal(buf, "a wordoftwentyle...");
	for (int letters = 12; letters < 16; letters++) {
		str_fit(buf, sizeof(buf), "%.*s\xf0\x9f\x98\x80\xf0\x9f\x98\x80", letters, "abcdefghijklmnop");
		assert_int_equal(strlen(buf), (letters == 12 ? 16 : letters) + 3);
	}
}

static void distances(void **state)
{
	static const struct {
		const char *a, *b;
		unsigned want;
	} rows[] = {
		{ "", "", 0 },	       { "", "abc", 3 },	   { "show", "show", 0 },
		{ "shwo", "show", 1 }, { "kitten", "sitting", 3 }, { "nmae", "name", 1 },
		{ "ab", "ba", 1 },     { "uid", "id", 1 },
	};
	char word[STR_DISTANCE_MAX + 2];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(str_distance(rows[i].a, rows[i].b), rows[i].want);
		assert_int_equal(str_distance(rows[i].b, rows[i].a), rows[i].want);
	}
	memset(word, 'x', sizeof(word));
	word[STR_DISTANCE_MAX + 1] = '\0';
	assert_int_equal(str_distance(word, "x"), STR_DISTANCE_MAX);
	word[STR_DISTANCE_MAX] = '\0';
	assert_int_equal(str_distance(word, "x"), STR_DISTANCE_MAX - 1);
}

/* Each shell passes the word on unchanged, and the command is printed as it is. */
static void shell_words(void **state)
{
	static const char *const shells[] = { "sh", "bash", "zsh", "fish" };
	static const char *const names[] = {
		"/sys/fs/bpf/a",
		"",
		"-x",
		"a b",
		"it's",
		"$HOME",
		"a\\b",
		"a\\\\b",
		"`id`",
		"$(id)",
		"!x",
		"~",
		"*",
		"a;b",
		"a\nb",
		"\na",
		"a\tb",
		"a\x1b[31m",
		"a\x7f",
		"a\xc2\x9b"
		"b",
		"a\xe2\x80\xae"
		"b",
		"a\xff\xfe",
		"a%sb\x01%",
		"'\x01'",
		"\xe6\xb5\x81\xe9\x87\x8f",
		"\"\x1b\"",
		"#x",
		"{a,b}",
		"a=b",
		"=ls",
		"a\x01"
		"7",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		STR word = { 0 };
		struct out printed;

		assert_true(str_shell(&word, names[i]));
		out_init(&printed, -1);
		out_text(&printed, word.p);
		assert_string_equal(out_cstr(&printed), word.p);
		out_close(&printed, NULL);
		for (size_t k = 0; k < ARRAY_SIZE(shells); k++) {
			STR command = { 0 }, got = { 0 };
			FILE *f;

			str_fmt(&command,
				"command -v %s >/dev/null || exit 9; LC_ALL=C.UTF-8 exec %s -c \"$(cat <<'EOF'\n",
				shells[k], shells[k]);
			str_fmt(&command, "printf '%%s<' %s\nEOF\n)\"", word.p);
			f = popen(command.p, "r");
			assert_non_null(f);
			assert_int_equal(str_read_fd(&got, fileno(f), 4096), 0);
			if (pclose(f) == 9 << 8)
				continue;
			str_fmt(&command, "%s<", names[i]);
			assert_string_equal(got.p, command.p + command.n - strlen(names[i]) - 1);
		}
	}
	assert_false(str_shell(&(struct str){ 0 }, "ends\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows),     cmocka_unit_test(lines),	    cmocka_unit_test(reads_up_to_max),
		cmocka_unit_test(refusals),  cmocka_unit_test(prefixes),    cmocka_unit_test(utf8),
		cmocka_unit_test(words),     cmocka_unit_test(controls),    cmocka_unit_test(sentences_fit),
		cmocka_unit_test(distances), cmocka_unit_test(shell_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
