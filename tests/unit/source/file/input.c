/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "source/file/input.h"

static bool begins_with_x(const void *head)
{
	return *(const char *)head == 'x';
}

/* What a pipe with @n bytes leaves in the input, and in the pipe. */
static void pipe_read(char first, size_t n, uint64_t max, int want, uint64_t size, ssize_t left)
{
	static char bytes[60000];
	struct input in = INPUT_NONE;
	struct err e = { 0 };
	int ends[2], before = dup(STDIN_FILENO);

	memset(bytes, 'y', sizeof(bytes));
	bytes[0] = first;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], bytes, n), n);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	assert_int_equal(input_open(&in, "-", max, begins_with_x, &e), want);
	assert_int_equal(in.size, size);
	assert_int_equal(read(STDIN_FILENO, bytes, sizeof(bytes)), left);
	input_close(&in);
	close(ends[0]);
	dup2(before, STDIN_FILENO);
	close(before);
}

/* A pipe is read to its end only if a file of that kind may begin with its first bytes, or is too short to say so. */
static void pipes(void **state)
{
	(void)state;
	pipe_read('x', 60000, 1 << 20, 0, 60000, 0);
	pipe_read('x', 60000, 59999, -EFBIG, 0, 0);
	pipe_read('y', 60000, 1 << 20, 0, INPUT_HEAD, 60000 - INPUT_HEAD);
	pipe_read('y', INPUT_HEAD - 1, 1 << 20, 0, INPUT_HEAD - 1, 0);
	pipe_read('y', 0, 1 << 20, 0, 0, 0);
}

/* An endless device is not copied to its end. */
static void devices(void **state)
{
	struct input in = INPUT_NONE;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(input_open(&in, "/dev/zero", 1 << 20, begins_with_x, &e), 0);
	assert_int_equal(in.size, INPUT_HEAD);
	input_close(&in);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(pipes), cmocka_unit_test(devices) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
