/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../test.h"
#include "../../tools/fake_source.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "source/machine.h"
#include "source/info.h"
#include "source/file/swap.h"
#include "source/source.h"

static void specs(void **state)
{
	static const char *const bad[] = {
		"",
		"1",
		"1.2",
		"1.2.",
		".2.3",
		"1..3",
		"1.2.3+",
		"+1.2.3",
		"1.2.3 ",
		"1.2.3++1.2.3",
		"1.2.3.4",
		"-1.2.3",
		"1.2.x",
		"65536.1.1",
		"1.65536.1",
		"1.1.65536",
		"1.2.99999999999999999999",
		"1.2.3+1.2.3+1.2.3+1.2.3+1.2.3",
		"0x1.2.3",
	};
	struct info_buf b[INFO_BUFS + 1];
	size_t n = 77;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(info_spec_parse(bad[i], b, &n), -EINVAL);
	assert_int_equal(n, 77);
	assert_int_equal(info_spec_parse("16.24.0+32.65535.8", b, &n), 0);
	assert_int_equal(n, 2);
	assert_true(b[0].ptr == 16 && b[0].len == 24 && b[0].elem == 0);
	assert_true(b[1].ptr == 32 && b[1].len == 65535 && b[1].elem == 8);
	b[4].ptr = 4242;
	assert_int_equal(info_spec_parse("1.2.3+1.2.3+1.2.3+1.2.3", b, &n), 0);
	assert_true(n == 4 && b[4].ptr == 4242);
}

static void infos(void **state)
{
	static const struct fake_answer fake[] = {
		{ "link/1/info", 0, "\x01\x02\x03\x04\x05\x06\x07\x08", 8 },
		{ "link/2/info", -EPERM, NULL, 0 },
		{ "link/3/info", 0, "", 0 },
		{ 0 },
	};
	unsigned char info[12];
	struct source *s = NULL;
	struct machine *m;
	ARENA a = arena_new();
	uint32_t len = 99;

	(void)state;
	assert_int_equal(source_fake(&s, fake), 0);
	m = machine_new(s);
	memset(info, 0xee, sizeof(info));
	assert_int_equal(info_get(m, a, OBJECT_LINK, 1, info, sizeof(info), &len), 0);
	assert_int_equal(len, 8);
	assert_memory_equal(info, "\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\0", 12);
	memset(info, 0xee, sizeof(info));
	assert_int_equal(info_get(m, a, OBJECT_LINK, 1, info, 4, &len), 0);
	assert_int_equal(len, 4);
	assert_int_equal(info[4], 0xee);
	assert_int_equal(machine_refusals(m), 0);
	assert_int_equal(info_get(m, a, OBJECT_LINK, 2, info, sizeof(info), &len), -EPERM);
	assert_int_equal(machine_refusals(m), 1);
	assert_int_equal(info[0], 1);
	assert_int_equal(info_get(m, a, OBJECT_LINK, 3, info, sizeof(info), &len), 0);
	assert_int_equal(len, 0);
	assert_int_equal(info_get(m, a, OBJECT_LINK, 4, info, sizeof(info), &len), -ENODATA);
	machine_free(&m);
}

/* One question with a string and an array of 4-byte numbers, answered with any bytes; lengths in them have the least
 * significant byte first. */
static int put_question(const void *p, size_t n, struct blob *ret, struct arena *a)
{
	static const struct info_buf bufs[] = { { 16, 24, 0 }, { 32, 24, 4 } };
	struct fake_answer fake[] = { { "link/7/buf/16.24.0+32.24.4", 0, p, n }, { 0 } };
	struct source *s = NULL;
	struct machine *m;
	int err;

	assert_int_equal(source_fake(&s, fake), 0);
	if (BIG_HERE) {
		fake[0].p = arena_dup(a, p, n);
		swap_answer(s, a, &(const struct asked){ question_of(Q_BUF, OBJECT_LINK), .text = "16.24.0+32.24.1" },
			    (void *)(uintptr_t)fake[0].p, n);
	}
	m = machine_new(s);
	err = info_bufs_get(m, a, OBJECT_LINK, 7, bufs, 2, ret);
	machine_free(&m);
	return err;
}

static void buffers(void **state)
{
	ARENA a = arena_new();
	struct blob b[2];

	(void)state;
	assert_int_equal(put_question("\4\0\0\0abc\0\4\0\0\0\1\2\3\4", 16, b, a), 0);
	assert_int_equal(b[0].n, 4);
	assert_string_equal((const char *)b[0].p, "abc");
	assert_int_equal(b[1].n, 4);
	assert_int_equal((uintptr_t)b[1].p % 4, 0);
	assert_memory_equal(b[1].p, "\1\2\3\4", 4);
	/* No NUL: the last byte becomes one. Bytes after the NUL are ignored. */
	assert_int_equal(put_question("\3\0\0\0abc\0\0\0\0", 11, b, a), 0);
	assert_string_equal((const char *)b[0].p, "ab");
	assert_int_equal(put_question("\4\0\0\0a\0bc\0\0\0\0", 12, b, a), 0);
	assert_int_equal(b[0].n, 2);
	assert_int_equal(put_question("\0\0\0\0\0\0\0\0", 8, b, a), 0);
	assert_int_equal(b[0].n, 0);
	assert_string_equal((const char *)b[0].p, "");
}

static void buffers_that_lie(void **state)
{
	static const struct blob bad[] = {
#define BAD(s) { (const unsigned char *)(s), sizeof(s) - 1 }
		BAD(""),
		BAD("\0"),
		BAD("\0\0\0\0"),
		BAD("\0\0\0\0\0\0\0"),
		BAD("\1\0\0\0"),
		BAD("\xff\xff\xff\xff"
		    "abc\0\0\0\0\0"),
		BAD("\0\0\0\0\3\0\0\0abc"),
		BAD("\0\0\0\0\0\0\0\0x"),
		BAD("\0\0\0\0\xfc\xff\xff\xff"
		    "abcd"),
	};
	ARENA a = arena_new();
	struct blob b[2];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		b[0].n = b[1].n = 42;
		assert_int_equal(put_question(bad[i].p, bad[i].n, b, a), -EBADMSG);
		assert_true(!b[0].n && !b[1].n);
	}
}

static void fdinfos(void **state)
{
	static const char text[] =
		"pos:\t0\nmap_type:\t 1 \nmemlock:\t18446744073709551615\nfrozen\t1\nx:\n:\t5\nhex:\t0x10\nlast:\t9";
	struct blob b = { (const unsigned char *)text, sizeof(text) - 1 };
	uint64_t v = 7;

	(void)state;
	assert_true(fdinfo_u64(b, "pos", &v) && v == 0);
	assert_true(fdinfo_u64(b, "map_type", &v) && v == 1);
	assert_true(fdinfo_u64(b, "memlock", &v) && v == UINT64_MAX);
	assert_true(fdinfo_u64(b, "last", &v) && v == 9);
	v = 7;
	assert_false(fdinfo_u64(b, "frozen", &v));
	assert_false(fdinfo_u64(b, "x", &v));
	assert_false(fdinfo_u64(b, "mem", &v));
	assert_false(fdinfo_u64(b, "type", &v));
	assert_false(fdinfo_u64((struct blob){ 0 }, "pos", &v));
	b.n = 3;
	assert_false(fdinfo_u64(b, "pos", &v));
	assert_int_equal(v, 7);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(specs),   cmocka_unit_test(infos),
		cmocka_unit_test(buffers), cmocka_unit_test(buffers_that_lie),
		cmocka_unit_test(fdinfos),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
