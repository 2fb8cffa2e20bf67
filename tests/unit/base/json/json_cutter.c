/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/json/json_cutter.h"

/* The elements of a text that is read in pieces of @step bytes, separated by bars; then the message.
 */
static const char *cut(const char *text, size_t step, size_t max)
{
	static char buf[1024];
	size_t n = strlen(text), len, at = 0;
	struct json_cutter c;
	struct err e = { 0 };
	const char *element;
	int p[2], r;

	assert_int_equal(pipe2(p, O_DIRECT), 0);	     /* each write is a separate read */
	assert_true(fcntl(p[1], F_SETPIPE_SZ, 1 << 20) > 0); /* each takes a page */
	for (size_t i = 0; i < n; i += step)
		assert_true(write(p[1], text + i, n - i < step ? n - i : step) > 0);
	close(p[1]);
	json_cutter_init(&c, p[0], "f");
	c.max = max;
	while ((r = json_cutter_next(&c, &element, &len, &e)) > 0)
		at += (size_t)snprintf(buf + at, sizeof(buf) - at, "%.*s|", (int)len, element);
	snprintf(buf + at, sizeof(buf) - at, "%s", r ? e.msg : "");
	if (!r)
		assert_int_equal(json_cutter_next(&c, &element, &len, &e), 0);
	json_cutter_release(&c);
	close(p[0]);
	return buf;
}

static void assert_cut(const char *text, const char *want)
{
	static const size_t steps[] = { 1, 2, 3, 7, 4000 };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		assert_string_equal(cut(text, steps[i], 0), want);
}

static void test_array(void **state)
{
	(void)state;
	assert_cut(" [ {\"a\":[1,2]} , 2,\"x\" ]\n", "{\"a\":[1,2]}|2|\"x\"|");
	assert_cut("[]", "");
	assert_cut("[\"]\\\",[\",[\"}\\\\\"]]", "\"]\\\",[\"|[\"}\\\\\"]|");
	assert_cut("[1,]", "1|f: byte 4: no JSON value begins like this");
	assert_cut("[1 2]", "1|f: byte 4: a comma or ']' is missing");
	assert_cut("[1,2", "1|2|f: byte 5: the text ends within the array");
	assert_cut("[1,{", "1|f: byte 5: the text ends within an element");
	assert_cut("[1]2", "1|f: byte 4: unexpected text after the array");
	assert_cut("[,1]", "f: byte 2: no JSON value begins like this");
}

static void test_lines(void **state)
{
	(void)state;
	assert_cut("{\"a\":1}\n{\"b\":\"}\"}\n\n17\n", "{\"a\":1}|{\"b\":\"}\"}|17|");
	assert_cut("", "");
	assert_cut(" \n ", "");
	assert_cut("1 2\n3", "1|2|3|");
	assert_cut("{\"a\"", "f: byte 5: the text ends within an element");
	assert_cut("{\"a\":[{\"b\":1}\n,{\"c\":2},\n{\"d\":3}\n]}\n{\"e\":\"}{\"}\n{}\n",
		   "{\"a\":[{\"b\":1}\n,{\"c\":2},\n{\"d\":3}\n]}|{\"e\":\"}{\"}|{}|");
	assert_cut("{\n}\n{\"a\":{}}{}\n{\"b\"", "{\n}|{\"a\":{}}|{}|f: byte 20: the text ends within an element");
	assert_cut("{} [{}] {}\n{\"a\": {}}\n{} 1 {}\n{}", "{}|[{}]|{}|{\"a\": {}}|{}|1|{}|{}|");
	assert_cut("1,2", "1|f: byte 2: no JSON value begins like this");
}

static void test_bounded(void **state)
{
	(void)state;
	assert_string_equal(cut("[123456,1]", 1, 6), "123456|1|");
	assert_string_equal(cut("[1,1234567,1]", 1, 6), "1|f: element 2, from byte 4 on, is longer than 6 bytes");
	assert_string_equal(cut("[1,1234567,1]", 100, 6), "1|f: element 2, from byte 4 on, is longer than 6 bytes");
}

/* A stream that is much longer than the memory for it. */
static void test_memory(void **state)
{
	struct json_cutter c;
	struct err e = { 0 };
	const char *element;
	size_t len, n = 0;
	int p[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(p), 0);
	pid = fork();
	if (!pid) {
		for (int i = 0; i < 100000; i++)
			if (write(p[1], "{\"key\":1,\"value\":[1,2,3,4,5]}\n", 30) != 30)
				_exit(1);
		_exit(0);
	}
	close(p[1]);
	json_cutter_init(&c, p[0], "pipe");
	while (json_cutter_next(&c, &element, &len, &e) > 0)
		n += len == 29;
	assert_int_equal(e.code, 0);
	assert_int_equal(n, 100000);
	assert_true(c.buf.cap <= 2u << 20);
	json_cutter_release(&c);
	close(p[0]);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_array),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
