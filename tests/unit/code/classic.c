/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <linux/filter.h>

#include "base/base.h"
#include "code/classic.h"

/* Instructions as `tcpdump -d` prints them, and the rest of the instruction set. */
static const struct {
	struct sock_filter f;
	const char *text;
} rows[] = {
	{ { 0x28, 0, 0, 12 }, "7: ldh [12]" },
	{ { 0x30, 0, 0, (uint32_t)-4048 }, "7: ldb vlan_avail" },
	{ { 0x20, 0, 0, (uint32_t)-4095 }, "7: ld [-4095]" },
	{ { 0x20, 0, 0, (uint32_t)-1048576 }, "7: ld [-1048576]" },
	{ { 0x48, 0, 0, 16 }, "7: ldh [x + 16]" },
	{ { 0xb1, 0, 0, 14 }, "7: ldxb 4*([14]&0xf)" },
	{ { 0x00, 0, 0, 255 }, "7: ld #0xff" },
	{ { 0x01, 0, 0, 0 }, "7: ldx #0" },
	{ { 0x61, 0, 0, 3 }, "7: ldx M[3]" },
	{ { 0x80, 0, 0, 0 }, "7: ld #pktlen" },
	{ { 0x02, 0, 0, 15 }, "7: st M[15]" },
	{ { 0x03, 0, 0, 1 }, "7: stx M[1]" },
	{ { 0x54, 0, 0, 0xf0 }, "7: and #0xf0" },
	{ { 0x0c, 0, 0, 9 }, "7: add x" },
	{ { 0xa4, 0, 0, 1 }, "7: xor #0x1" },
	{ { 0x84, 0, 0, 9 }, "7: neg" },
	{ { 0x15, 0, 255, 0x800 }, "7: jeq #0x800 jt 8 jf 263" },
	{ { 0x4d, 1, 2, 0 }, "7: jset x jt 9 jf 10" },
	{ { 0x05, 0, 0, 5 }, "7: ja 13" },
	{ { 0x06, 0, 0, 262144 }, "7: ret #262144" },
	{ { 0x16, 0, 0, 1 }, "7: ret a" },
	{ { 0x07, 0, 0, 0 }, "7: tax" },
	{ { 0x87, 0, 0, 0 }, "7: txa" },
	{ { 0x38, 0, 0, 12 }, "7: unknown(0x38) #0xc" },
	{ { 0xe0, 0, 0, 1 }, "7: unknown(0xe0) #0x1" },
	{ { 0xb4, 0, 0, 1 }, "7: unknown(0xb4) #0x1" },
	{ { 0xf5, 0, 0, 0 }, "7: unknown(0xf5) #0" },
	{ { 0x55, 0, 0, 0 }, "7: unknown(0x55) #0" },
	{ { 0xff, 0, 0, 0 }, "7: unknown(0xff) #0" },
	{ { 0x106, 0, 0, 0 }, "7: unknown(0x106) #0" },
};

static void test_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		STR s = { 0 };

		classic_print(&rows[i].f, 7, &s);
		assert_string_equal(s.p, rows[i].text);
	}
}

/* Each code, with the largest operands, has a text. */
static void test_all(void **state)
{
	(void)state;
	for (unsigned code = 0; code <= UINT16_MAX; code++) {
		const struct sock_filter f = { (uint16_t)code, 255, 255, UINT32_MAX };
		STR s = { 0 };

		classic_print(&f, BPF_MAXINSNS, &s);
		assert_true(s.n > strlen("4096: ") && s.n < 64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
