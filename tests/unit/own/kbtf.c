/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"
#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include "base/clean.h"
#include "kernel/abi.h"
#include "own/kbtf.h"

/* struct s { int a; int b; } twice, the first without b; a function; names "s", "a", "b", "f". */
struct sample {
	struct abi_btf_header h;
	struct btf_type integer;
	uint32_t bits;
	struct btf_type first;
	struct btf_member first_a;
	struct btf_type second;
	struct btf_member second_a, second_b;
	struct btf_type func;
	char strs[9];
};

static struct sample sample(void)
{
	struct sample s = {
		.h = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(s.h),
		       .type_len = offsetof(struct sample, strs) - sizeof(s.h),
		       .str_off = offsetof(struct sample, strs) - sizeof(s.h), .str_len = 9 },
		.integer = { .info = BTF_KIND_INT << 24, .size = 4 },
		.bits = 32,
		.first = { .name_off = 1, .info = BTF_KIND_STRUCT << 24 | 1, .size = 4 },
		.first_a = { .name_off = 3, .type = 1, .offset = 96 },
		.second = { .name_off = 1, .info = BTF_KIND_STRUCT << 24 | 2, .size = 8 },
		.second_a = { .name_off = 3, .type = 1, .offset = 0 },
		.second_b = { .name_off = 5, .type = 1, .offset = 32 },
		.func = { .name_off = 7, .info = BTF_KIND_FUNC << 24, .size = 1 },
	};

	memcpy(s.strs, "\0s\0a\0b\0f", 9);
	return s;
}

#define SAMPLE_SIZE (offsetof(struct sample, strs) + 9)

static int find(const void *p, size_t n, unsigned *a, unsigned *b, uint32_t *func, uint32_t *missing)
{
	const struct kbtf_want want[] = {
		{ "gone", true, { { "x", a } } },
		{ "s", false, { { "a", a }, { "b", b } } },
	};
	CLEAN_PTR void *copy = malloc(n ? n : 1);	/* of the exact size, for ASan */

	assert_non_null(copy);
	memcpy(copy, p, n);
	return kbtf_find(copy, n, want, ARRAY_SIZE(want), "f", func, missing);
}

static void test_find(void **state)
{
	struct sample s = sample();
	unsigned a = 77, b = 77;
	uint32_t func = 77, missing = 77;

	(void)state;
	assert_int_equal(find(&s, SAMPLE_SIZE, &a, &b, &func, &missing), 0);
	assert_int_equal(a, 0);
	assert_int_equal(b, 4);
	assert_int_equal(func, 4);
	assert_int_equal(missing, 1);
}

static void test_bitfield(void **state)
{
	struct sample s = sample();
	unsigned a, b;
	uint32_t func, missing;

	(void)state;
	s.second.info |= 1u << 31;
	assert_int_equal(find(&s, SAMPLE_SIZE, &a, &b, &func, &missing), 0);
	assert_int_equal(b, 4);
	s.second_b.offset |= 3u << 24;
	assert_int_equal(find(&s, SAMPLE_SIZE, &a, &b, &func, &missing), -ENOENT);
}

static void test_absent(void **state)
{
	struct sample s = sample();
	unsigned a = 77, b = 77;
	uint32_t func = 77, missing = 77;

	(void)state;
	s.strs[7] = 'g';
	assert_int_equal(find(&s, SAMPLE_SIZE, &a, &b, &func, &missing), -ENOENT);
	assert_int_equal(func, 77);
	assert_int_equal(missing, 77);
	s = sample();
	s.strs[5] = 'c';
	assert_int_equal(find(&s, SAMPLE_SIZE, &a, &b, &func, &missing), -ENOENT);
	assert_int_equal(a, 77);
}

static void test_damaged(void **state)
{
	struct sample good = sample(), s;
	unsigned a, b;
	uint32_t func, missing;

	(void)state;
	for (size_t n = 0; n < SAMPLE_SIZE; n++)
		assert_int_equal(find(&good, n, &a, &b, &func, &missing), -EBADMSG);
#define BAD(change) do { \
	s = good; \
	change; \
	assert_int_equal(find(&s, SAMPLE_SIZE, &a, &b, &func, &missing), -EBADMSG); \
} while (0)
	BAD(s.h.magic = 0x9feb);
	BAD(s.h.version = 2);
	BAD(s.h.hdr_len = 8);
	BAD(s.h.hdr_len = UINT32_MAX);
	BAD(s.h.type_off = UINT32_MAX - 3);
	BAD(s.h.type_len = UINT32_MAX);
	BAD(s.h.type_len -= 4);
	BAD(s.h.str_off = UINT32_MAX);
	BAD(s.h.str_len = 0);
	BAD(s.h.str_len = UINT32_MAX);
	BAD(s.h.str_len = 8);
	BAD(s.strs[8] = 'x');
	BAD(s.integer.info = 0);
	BAD(s.integer.info = 31u << 24);
	BAD(s.second.info |= 0xffff);
	BAD(s.func.info = BTF_KIND_ARRAY << 24);
#undef BAD
	s = good;
	s.first.name_off = s.second_a.name_off = s.func.name_off = UINT32_MAX;
	assert_int_equal(find(&s, SAMPLE_SIZE, &a, &b, &func, &missing), -ENOENT);
}

static void test_this_kernel(void **state)
{
	unsigned id = 0;
	const struct kbtf_want want[] = { { "bpf_map", false, { { "id", &id } } } };
	uint32_t func, missing;
	KBTF k = {0};

	(void)state;
	if (kbtf_open(&k))
		skip_because("the kernel has no type information");
	assert_int_equal(kbtf_find(k.p, k.n, want, 1, "bpf_iter_task_file", &func, &missing), 0);
	assert_true(id > 0 && func > 0 && !missing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_bitfield),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
