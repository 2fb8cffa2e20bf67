/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "code/insn.h"

struct row {
	uint8_t code, regs;
	int16_t off;
	int32_t imm;
	const char *text;
};

/* regs: source << 4 | destination, as on a little-endian machine. */
static void bytes_make(const struct row *r, unsigned char *p)
{
	p[0] = r->code;
	p[1] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? r->regs : (uint8_t)(r->regs << 4 | r->regs >> 4);
	memcpy(p + 2, &r->off, 2);
	memcpy(p + 4, &r->imm, 4);
}

static void rows_check(const struct row *r, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		unsigned char p[INSN_SIZE];
		char buf[INSN_TEXT_MAX];
		struct insn i;

		bytes_make(&r[k], p);
		insn_decode(&i, p, 1, BIG_HERE);
		assert_int_equal(i.slots, 1);
		assert_int_equal(insn_text(&i, NULL, buf, sizeof(buf)), strlen(r[k].text));
		assert_string_equal(buf, r[k].text);
	}
}
#define CHECK(rows) rows_check(rows, sizeof(rows) / sizeof((rows)[0]))

static void test_alu(void **state)
{
	static const struct row rows[] = {
		{ 0x07, 0x01, 0, 5, "(07) r1 += 5" },
		{ 0x0c, 0x21, 0, 0, "(0c) w1 += w2" },
		{ 0x17, 0x01, 0, -5, "(17) r1 -= -5" },
		{ 0x27, 0x00, 0, 3, "(27) r0 *= 3" },
		{ 0x37, 0x02, 0, 3, "(37) r2 /= 3" },
		{ 0x37, 0x02, 1, 3, "(37) r2 s/= 3" },
		{ 0x9f, 0x32, 1, 0, "(9f) r2 s%= r3" },
		{ 0x94, 0x02, 0, 2, "(94) w2 %= 2" },
		{ 0x94, 0x02, 1, 2, "(94) w2 s%= 2" },
		{ 0x47, 0x02, 0, 2, "(47) r2 |= 2" },
		{ 0x57, 0x02, 0, 255, "(57) r2 &= 255" },
		{ 0x67, 0x02, 0, 32, "(67) r2 <<= 32" },
		{ 0x77, 0x02, 0, 32, "(77) r2 >>= 32" },
		{ 0xc7, 0x02, 0, 32, "(c7) r2 s>>= 32" },
		{ 0xaf, 0x22, 0, 0, "(af) r2 ^= r2" },
		{ 0xb7, 0x0a, 0, -1, "(b7) r10 = -1" },
		{ 0xb4, 0x01, 0, 5, "(b4) w1 = 5" },
		{ 0xbf, 0xa2, 0, 0, "(bf) r2 = r10" },
		{ 0xbc, 0x12, 0, 0, "(bc) w2 = w1" },
		{ 0xbf, 0x23, 8, 0, "(bf) r3 = (s8)r2" },
		{ 0xbc, 0x23, 16, 0, "(bc) w3 = (s16)w2" },
		{ 0xbf, 0x23, 32, 0, "(bf) r3 = (s32)r2" },
		{ 0x87, 0x01, 0, 0, "(87) r1 = -r1" },
		{ 0x84, 0x01, 0, 0, "(84) w1 = -w1" },
		{ 0xdc, 0x01, 0, 16, "(dc) r1 = be16 r1" },
		{ 0xd4, 0x01, 0, 32, "(d4) r1 = le32 r1" },
		{ 0xd7, 0x01, 0, 64, "(d7) r1 = bswap64 r1" },
		{ 0xbf, 0x21, 1, 1, "(bf) r1 = addr_space_cast(r2, 0, 1)" },
		{ 0xbf, 0x21, 1, 0x10000, "(bf) r1 = addr_space_cast(r2, 1, 0)" },
		{ 0xbf, 0x00, -1, 0, "(bf) r0 = &(void __percpu *)(r0)" },
		{ 0xe7, 0x00, 0, 0, "BUG_alu_e7" },
		{ 0xf4, 0x00, 0, 0, "BUG_alu_f4" },
	};
	(void)state;
	CHECK(rows);
}

static void test_memory(void **state)
{
	static const struct row rows[] = {
		{ 0x71, 0xa4, -8, 0, "(71) r4 = *(u8 *)(r10 -8)" },
		{ 0x69, 0x14, 0, 0, "(69) r4 = *(u16 *)(r1 +0)" },
		{ 0x61, 0x12, 112, 0, "(61) r2 = *(u32 *)(r1 +112)" },
		{ 0x79, 0x12, 0, 0, "(79) r2 = *(u64 *)(r1 +0)" },
		{ 0x91, 0xa4, -8, 0, "(91) r4 = *(s8 *)(r10 -8)" },
		{ 0x89, 0xa4, -8, 0, "(89) r4 = *(s16 *)(r10 -8)" },
		{ 0x81, 0xa4, -8, 0, "(81) r4 = *(s32 *)(r10 -8)" },
		{ 0x99, 0xa4, -8, 0, "BUG_ldx_99" },
		{ 0x01, 0xa4, -8, 0, "BUG_ldx_01" },
		{ 0xf9, 0x12, 0, 0, "BUG_ldx_f9" },
		/* Codes of the verifier for accesses with fault handling: PROBE_MEM, PROBE_MEMSX, PROBE_MEM32,
		   PROBE_MEM32SX. */
		{ 0x39, 0x12, 8, 0, "(39) r2 = *(u64 *)(r1 +8)" },
		{ 0x49, 0x12, 8, 0, "(49) r2 = *(s16 *)(r1 +8)" },
		{ 0x51, 0x12, 8, 0, "(51) r2 = *(s8 *)(r1 +8)" },
		{ 0x59, 0x12, 8, 0, "BUG_ldx_59" },
		{ 0xb1, 0x12, 8, 0, "(b1) r2 = *(u8 *)(r1 +8)" },
		{ 0xc1, 0x12, 8, 0, "(c1) r2 = *(s32 *)(r1 +8)" },
		{ 0xd9, 0x12, 8, 0, "BUG_ldx_d9" },
		{ 0xa2, 0x02, 8, 5, "(a2) *(u32 *)(r2 +8) = 5" },
		{ 0xbb, 0x12, 8, 0, "(bb) *(u64 *)(r2 +8) = r1" },
		{ 0xe2, 0x02, 8, 5, "BUG_st_e2" },
		{ 0x7b, 0x2a, -8, 0, "(7b) *(u64 *)(r10 -8) = r2" },
		{ 0x62, 0x0a, -16, 9, "(62) *(u32 *)(r10 -16) = 9" },
		{ 0x7a, 0x0a, -16, -9, "(7a) *(u64 *)(r10 -16) = -9" },
		{ 0xc2, 0, 0, 0, "(c2) nospec" },
		{ 0x02, 0, 0, 0, "BUG_st_02" },
		{ 0x23, 0, 0, 0, "BUG_23" },
		{ 0x20, 0, 0, 4, "(20) r0 = *(u32 *)skb[4]" },
		{ 0x48, 0x30, 0, 2, "(48) r0 = *(u16 *)skb[r3 + 2]" },
		{ 0x30, 0, 0, -4096, "(30) r0 = *(u8 *)skb[-4096]" },
		{ 0x00, 0, 0, 0, "BUG_ld_00" },
		{ 0xe0, 0, 0, 0, "BUG_ld_e0" },
	};
	(void)state;
	CHECK(rows);
}

static void test_atomic(void **state)
{
	static const struct row rows[] = {
		{ 0xdb, 0x2a, -8, 0x00, "(db) lock *(u64 *)(r10 -8) += r2" },
		{ 0xc3, 0x2a, -8, 0x40, "(c3) lock *(u32 *)(r10 -8) |= r2" },
		{ 0xdb, 0x2a, -8, 0x50, "(db) lock *(u64 *)(r10 -8) &= r2" },
		{ 0xdb, 0x2a, -8, 0xa0, "(db) lock *(u64 *)(r10 -8) ^= r2" },
		{ 0xdb, 0x2a, -8, 0x01, "(db) r2 = atomic64_fetch_add((u64 *)(r10 -8), r2)" },
		{ 0xc3, 0x2a, -8, 0x41, "(c3) r2 = atomic_fetch_or((u32 *)(r10 -8), r2)" },
		{ 0xdb, 0x2a, -8, 0x51, "(db) r2 = atomic64_fetch_and((u64 *)(r10 -8), r2)" },
		{ 0xc3, 0x2a, -8, 0xa1, "(c3) r2 = atomic_fetch_xor((u32 *)(r10 -8), r2)" },
		{ 0xdb, 0x2a, -8, 0xf1, "(db) r0 = atomic64_cmpxchg((u64 *)(r10 -8), r0, r2)" },
		{ 0xc3, 0x2a, -8, 0xf1, "(c3) r0 = atomic_cmpxchg((u32 *)(r10 -8), r0, r2)" },
		{ 0xdb, 0x2a, -8, 0xe1, "(db) r2 = atomic64_xchg((u64 *)(r10 -8), r2)" },
		{ 0xc3, 0x21, 0, 0x100, "(c3) r1 = load_acquire((u32 *)(r2 +0))" },
		{ 0xc3, 0x21, 0, 0x110, "(c3) store_release((u32 *)(r1 +0), r2)" },
		{ 0xcb, 0x21, 4, 0x100, "(cb) r1 = load_acquire((u16 *)(r2 +4))" },
		/* PROBE_ATOMIC: on an arena, after loading. */
		{ 0xe3, 0x2a, -8, 0x00, "(e3) lock *(u32 *)(r10 -8) += r2" },
		{ 0xfb, 0x2a, -8, 0xf1, "(fb) r0 = atomic64_cmpxchg((u64 *)(r10 -8), r0, r2)" },
		{ 0xdb, 0x21, 4, 0x77, "BUG_db" },
		{ 0xfb, 0x21, 4, 0x77, "BUG_fb" },
	};
	(void)state;
	CHECK(rows);
}

static void test_jumps(void **state)
{
	static const struct row rows[] = {
		{ 0x05, 0, 4, 0, "(05) goto pc+4" },
		{ 0x06, 0, 0, -70000, "(06) gotol pc-70000" },
		{ 0x0d, 0x01, 0, 0, "(0d) gotox r1" },
		{ 0x0e, 0x01, 0, 0, "BUG_0e" },
		{ 0xe5, 0, 2, 0, "(e5) may_goto pc+2" },
		{ 0xe6, 0, 2, 0, "BUG_e6" },
		{ 0xed, 0, 2, 0, "BUG_ed" },
		{ 0x15, 0x01, 3, 0, "(15) if r1 == 0x0 goto pc+3" },
		{ 0x55, 0x01, -3, -1, "(55) if r1 != 0xffffffff goto pc-3" },
		{ 0x46, 0x02, -2, 4, "(46) if w2 & 0x4 goto pc-2" },
		{ 0xcd, 0x23, 1, 0, "(cd) if r3 s< r2 goto pc+1" },
		{ 0xde, 0x23, 1, 0, "(de) if w3 s<= w2 goto pc+1" },
		{ 0x65, 0x03, 1, 1, "(65) if r3 s> 0x1 goto pc+1" },
		{ 0x75, 0x03, 1, 1, "(75) if r3 s>= 0x1 goto pc+1" },
		{ 0x25, 0x03, 1, 1, "(25) if r3 > 0x1 goto pc+1" },
		{ 0x35, 0x03, 1, 1, "(35) if r3 >= 0x1 goto pc+1" },
		{ 0xa5, 0x03, 1, 1, "(a5) if r3 < 0x1 goto pc+1" },
		{ 0xb5, 0x03, 1, 1, "(b5) if r3 <= 0x1 goto pc+1" },
		{ 0x95, 0, 0, 0, "(95) exit" },
		{ 0x96, 0, 0, 0, "BUG_96" },
		{ 0x9d, 0, 0, 0, "BUG_9d" },
		{ 0xf5, 0, 0, 0, "BUG_f5" },
		{ 0x86, 0, 0, 0, "BUG_86" },
		{ 0x8d, 0, 0, 0, "BUG_8d" },
	};
	(void)state;
	CHECK(rows);
}

static bool named(const void *ctx, const struct insn *i, char *buf, size_t size)
{
	if (i->src == INSN_CALL_SUBPROG)
		snprintf(buf, size, "%+d#%s", i->off, (const char *)ctx);
	else
		snprintf(buf, size, "%s", (const char *)ctx);
	return true;
}

static bool unknown(const void *ctx, const struct insn *i, char *buf, size_t size)
{
	(void)ctx, (void)i, (void)buf, (void)size;
	return false;
}

static const char *call_text(const struct row *r, bool (*call)(const void *, const struct insn *, char *, size_t),
			     const char *ctx)
{
	static char buf[INSN_TEXT_MAX];
	const struct insn_names names = { .call = call, .ctx = ctx };
	unsigned char p[INSN_SIZE];
	struct insn i;

	bytes_make(r, p);
	insn_decode(&i, p, 1, BIG_HERE);
	insn_text(&i, &names, buf, sizeof(buf));
	return buf;
}

static void test_calls(void **state)
{
	const struct row helper = { 0x85, 0, 0, 1, NULL }, address = { 0x85, 0, 0, 381328, NULL };
	const struct row sub = { 0x85, 0x10, 18, 2, NULL }, kfunc = { 0x85, 0x20, 0, -77, NULL };

	(void)state;
	/* A helper id has the same name everywhere; numbers beyond the table are addresses. */
	assert_string_equal(call_text(&helper, named, "wrong"), "(85) call bpf_map_lookup_elem#1");
	assert_string_equal(call_text(&address, named, "bpf_ringbuf_reserve"), "(85) call bpf_ringbuf_reserve#381328");
	assert_string_equal(call_text(&address, unknown, NULL), "(85) call unknown#381328");
	assert_string_equal(call_text(&address, NULL, NULL), "(85) call unknown#381328");
	assert_string_equal(call_text(&sub, named, "cb"), "(85) call pc+18#cb");
	assert_string_equal(call_text(&sub, unknown, NULL), "(85) call pc+18");
	assert_string_equal(call_text(&kfunc, named, "bpf_iter_num_new"), "(85) call bpf_iter_num_new#-77");
}

static const char *ldimm64_text(uint8_t src, uint32_t lo, uint32_t hi, size_t n_left)
{
	static char buf[INSN_TEXT_MAX];
	unsigned char *p = malloc(n_left * INSN_SIZE); /* exact size, so that a sanitizer notices a read past the end */
	const struct row head = { INSN_LDIMM64, (uint8_t)(src << 4 | 1), 0, (int32_t)lo, NULL };
	const struct row tail = { 0, 0, 0, (int32_t)hi, NULL };
	struct insn i;

	assert_non_null(p);
	bytes_make(&head, p);
	if (n_left > 1)
		bytes_make(&tail, p + INSN_SIZE);
	insn_decode(&i, p, n_left, BIG_HERE);
	assert_int_equal(i.slots, n_left > 1 ? 2 : 1);
	insn_text(&i, NULL, buf, sizeof(buf));
	free(p);
	return buf;
}

static void test_ldimm64(void **state)
{
	(void)state;
	assert_string_equal(ldimm64_text(0, 0x55667788, 0x11223344, 2), "(18) r1 = 0x1122334455667788");
	assert_string_equal(ldimm64_text(0, 0xffffffff, 0, 2), "(18) r1 = 0xffffffff");
	assert_string_equal(ldimm64_text(0, 0x55667788, 0, 1), "(18) r1 = 0x55667788");
	assert_string_equal(ldimm64_text(1, 4000000000u, 7, 2), "(18) r1 = map[id:4000000000]");
	assert_string_equal(ldimm64_text(2, 30211, 8, 2), "(18) r1 = map[id:30211][0]+8");
	assert_string_equal(ldimm64_text(3, 0x11223344, 0, 2), "(18) r1 = 0x11223344");
	assert_string_equal(ldimm64_text(5, 3, 0, 2), "(18) r1 = map[idx:3]");
	assert_string_equal(ldimm64_text(6, 3, 8, 2), "(18) r1 = map[idx:3]+8");
	assert_string_equal(ldimm64_text(4, 18, 0, 2), "(18) r1 = subprog[+18]");
	assert_string_equal(ldimm64_text(15, 18, 0, 2), "(18) r1 = 0x12");
}

/* The name from a relocation replaces the numbers. */
static void test_target(void **state)
{
	const struct insn_names names = { .target = "map[events]" };
	struct insn load = { .code = INSN_LDIMM64, .dst = 1, .slots = 2 },
		    call = { .code = INSN_CALL, .imm = 1, .slots = 1 };
	char buf[INSN_TEXT_MAX];

	(void)state;
	insn_text(&load, &names, buf, sizeof(buf));
	assert_string_equal(buf, "(18) r1 = map[events]");
	insn_text(&call, &(struct insn_names){ .target = "deep" }, buf, sizeof(buf));
	assert_string_equal(buf, "(85) call deep");
	insn_text(&call, &(struct insn_names){ 0 }, buf, sizeof(buf));
	assert_string_equal(buf, "(85) call bpf_map_lookup_elem#1");
}

/* For any bytes: terminated, inside the buffer, and of the returned length, with any size of buffer. */
static void test_every_code(void **state)
{
	static const int32_t imms[] = { 0, 1, 16, 0xf1, 0x100, -1, INT32_MIN, INT32_MAX };
	char whole[INSN_TEXT_MAX], cut[24];

	(void)state;
	for (unsigned code = 0; code < 256; code++) {
		for (size_t k = 0; k < sizeof(imms) / sizeof(imms[0]); k++) {
			const struct row r = { (uint8_t)code, 0xff, INT16_MIN, imms[k], NULL };
			unsigned char p[INSN_SIZE];
			struct insn i;
			size_t n;

			bytes_make(&r, p);
			insn_decode(&i, p, 1, BIG_HERE);
			n = insn_text(&i, NULL, whole, sizeof(whole));
			assert_true(n > 4 && n < sizeof(whole));
			assert_int_equal(strlen(whole), n);
			for (size_t size = 1; size <= sizeof(cut); size++) {
				memset(cut, 'x', sizeof(cut));
				assert_int_equal(insn_text(&i, NULL, cut, size), n);
				assert_int_equal(strlen(cut), n < size ? n : size - 1);
				assert_memory_equal(cut, whole, strlen(cut));
			}
		}
	}
}

#define R(n) (1u << (n))

static void test_registers(void **state)
{
	enum { D = R(3), S = R(7), CALLER = 0x3f, ARGS = 0x3e };
	static const struct {
		uint8_t code;
		int32_t imm;
		struct insn_regs want;
	} rows[] = {
		{ 0xb7, 1, { 0, 0, D } },
		{ 0xbf, 0, { S, 0, D } },
		{ 0x0f, 0, { D | S, 0, D } },
		{ 0x07, 1, { D, 0, D } },
		{ 0x87, 0, { D, 0, D } },
		{ 0xdc, 16, { D, 0, D } },
		{ INSN_LDIMM64, 0, { 0, 0, D } },
		{ 0x79, 0, { S, 0, D } },
		{ 0x7a, 1, { D, 0, 0 } },
		{ 0x7b, 0, { D | S, 0, 0 } },
		{ 0xdb, 0, { D | S, 0, 0 } },
		{ 0xdb, 1, { D | S, 0, S } },
		{ 0xdb, 0xe1, { D | S, 0, S } },
		{ 0xdb, 0x100, { S, 0, D } },
		{ 0xdb, 0x110, { D | S, 0, 0 } },
		{ 0xdb, 0xf1, { D | S | R(0), 0, R(0) } },
		{ 0x20, 0, { R(6), 0, CALLER } },
		{ 0x40, 0, { R(6) | S, 0, CALLER } },
		{ 0x05, 0, { 0, 0, 0 } },
		{ 0x06, 0, { 0, 0, 0 } },
		{ 0x0d, 0, { D, 0, 0 } },
		{ 0xe5, 0, { 0, 0, 0 } },
		{ 0x15, 0, { D, 0, 0 } },
		{ 0x1e, 0, { D | S, 0, 0 } },
		{ INSN_CALL, 1, { 0, ARGS, CALLER } },
		{ 0x8d, 0, { D, ARGS, CALLER } },
		{ 0x95, 0, { 0, R(0), 0 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct insn n = { .code = rows[i].code, .dst = 3, .src = 7, .imm = rows[i].imm, .slots = 1 };
		const struct insn_regs got = insn_regs(&n);

		if (got.reads != rows[i].want.reads || got.implied != rows[i].want.implied ||
		    got.writes != rows[i].want.writes)
			fail_msg("code %02x imm %x: %x %x %x", n.code, (unsigned)n.imm, got.reads, got.implied,
				 got.writes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alu),    cmocka_unit_test(test_memory),	  cmocka_unit_test(test_atomic),
		cmocka_unit_test(test_jumps),  cmocka_unit_test(test_calls),	  cmocka_unit_test(test_ldimm64),
		cmocka_unit_test(test_target), cmocka_unit_test(test_every_code), cmocka_unit_test(test_registers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
