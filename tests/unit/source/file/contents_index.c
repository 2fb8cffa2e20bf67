/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <unistd.h>

#include "base/base.h"
#include "source/file/contents.h"
#include "source/file/gzip.h"
#include "source/source.h"
#include "source/file/tar.h"
#include "source/file/archive.h"
#include "tarball.h"

/* An archive with one answer, "one", and an index that says @line. False: the index is not used. */
static bool index_used(const char *line)
{
	struct gzip_writer *w = NULL;
	struct contents c;
	struct input in;
	STR first = { 0 }, last = { 0 };
	uint64_t start;
	bool ret;

	assert_int_equal(input_temp(&in), 0);
	assert_int_equal(gzip_writer_open(&w, in.fd), 0);
	ball_meta(&first);
	ball_text(&first, "one", "1");
	assert_int_equal(gzip_write(w, first.p, first.n), 0);
	assert_int_equal(gzip_end(w), 0);
	start = gzip_written(w);
	ball_text(&last, TAR_INDEX, line);
	ball_end(&last);
	assert_int_equal(gzip_write(w, last.p, last.n), 0);
	assert_int_equal(gzip_end(w), 0);
	assert_int_equal(gzip_put_mark(w, start), 0);
	gzip_writer_close(&w);
	in.size = (uint64_t)lseek(in.fd, 0, SEEK_END);
	contents_init(&c);
	ret = contents_from_index(&c, &in);
	assert_int_equal(c.n, ret);
	contents_free(&c);
	input_close(&in);
	return ret;
}

/* Lines are "start off size crc32 name". An index that exceeds a limit is not believed: the file is read instead. */
static void limits(void **state)
{
	static const struct {
		uint64_t start, off, size, crc32;
		bool used;
	} rows[] = {
		{ 0, 1536, 1, 0, true },
		{ 0, CONTENTS_INSIDE_MAX, 1, 0, true },
		{ 0, CONTENTS_INSIDE_MAX + 1, 1, 0, false },
		{ 0, 1536, 1 << 20, 0, false }, /* more than the file can unpack to */
		{ 0, 1536, ARCHIVE_ANSWER_MAX + 1ull, 0, false },
		{ 1 << 20, 1536, 1, 0, false }, /* after the end of the file */
		{ 0, 1536, 1, 1ull << 32, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		STR line = { 0 };

		str_fmt(&line, "%ju %ju %ju %ju one\n", (uintmax_t)rows[i].start, (uintmax_t)rows[i].off,
			(uintmax_t)rows[i].size, (uintmax_t)rows[i].crc32);
		assert_int_equal(index_used(line.p), rows[i].used);
	}
}

static void damaged_lines(void **state)
{
	static const char *const lines[] = {
		"0 1536 1 0 one", "0 1536 1 one\n", "0 1536 1 0 \n", "x 1536 1 0 one\n", "-1 1536 1 0 one\n", "\n",
		"0 1536 1 0 %\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_false(index_used(lines[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(limits), cmocka_unit_test(damaged_lines) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
