/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../test.h"
#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "kernel/abi.h"
#include "own/kbtf.h"

/*
 * struct s { int a; }, struct s { int a; struct { int c; union { int b; int d; }; }; }, a function; names "s", "a",
 * "b", "f", "c", "d".
 */
struct sample {
	struct abi_btf_header h;
	struct btf_type integer;
	uint32_t bits;
	struct btf_type first;
	struct btf_member first_a;
	struct btf_type second;
	struct btf_member second_a, second_inner;
	struct btf_type inner;
	struct btf_member inner_c, inner_both;
	struct btf_type both;
	struct btf_member both_b, both_d;
	struct btf_type func;
	char strs[13];
};
#define SAMPLE_SIZE (offsetof(struct sample, strs) + 13)

static struct sample sample(void)
{
	struct sample s = {
		.h = { .magic = BTF_MAGIC,
		       .version = BTF_VERSION,
		       .hdr_len = sizeof(s.h),
		       .type_len = offsetof(struct sample, strs) - sizeof(s.h),
		       .str_off = offsetof(struct sample, strs) - sizeof(s.h),
		       .str_len = 13 },
		.integer = { .info = BTF_KIND_INT << 24, .size = 4 },
		.bits = 32,
		.first = { .name_off = 1, .info = BTF_KIND_STRUCT << 24 | 1, .size = 4 },
		.first_a = { .name_off = 3, .type = 1, .offset = 96 },
		.second = { .name_off = 1, .info = BTF_KIND_STRUCT << 24 | 2, .size = 12 },
		.second_a = { .name_off = 3, .type = 1, .offset = 0 },
		.second_inner = { .type = 4, .offset = 32 },
		.inner = { .info = BTF_KIND_STRUCT << 24 | 2, .size = 8 },
		.inner_c = { .name_off = 9, .type = 1, .offset = 0 },
		.inner_both = { .type = 5, .offset = 32 },
		.both = { .info = BTF_KIND_UNION << 24 | 2, .size = 4 },
		.both_b = { .name_off = 5, .type = 1 },
		.both_d = { .name_off = 11, .type = 1 },
		.func = { .name_off = 7, .info = BTF_KIND_FUNC << 24, .size = 1 },
	};

	memcpy(s.strs, "\0s\0a\0b\0f\0c\0d", 13);
	return s;
}

struct found {
	int a, b, func, gone, absent;
};

static int find(const void *p, size_t n, struct found *f)
{
	const struct kbtf_want want[] = {
		{ "gone", "x", true, &f->gone }, { "s", "b", false, &f->b },	 { "s", "a", false, &f->a },
		{ "s", "x", true, &f->absent },	 { NULL, "f", false, &f->func },
	};
	CLEAN_PTR void *copy = malloc(n ? n : 1); /* exact size, for ASan */

	*f = (struct found){ 77, 77, 77, 77, 77 };
	assert_non_null(copy);
	memcpy(copy, p, n);
	return kbtf_find(copy, n, want, ARRAY_SIZE(want));
}

static void test_find(void **state)
{
	struct sample s = sample();
	struct found f;

	(void)state;
	assert_int_equal(find(&s, SAMPLE_SIZE, &f), 0);
	assert_int_equal(f.a, 0);
	assert_int_equal(f.b, 8);
	assert_int_equal(f.func, 6);
	assert_int_equal(f.gone, -1);
	assert_int_equal(f.absent, -1);
}

static void test_bitfield(void **state)
{
	struct sample s = sample();
	struct found f;

	(void)state;
	s.second.info |= 1u << 31;
	s.both.info |= 1u << 31;
	assert_int_equal(find(&s, SAMPLE_SIZE, &f), 0);
	assert_int_equal(f.b, 8);
	s.both_b.offset |= 3u << 24;
	assert_int_equal(find(&s, SAMPLE_SIZE, &f), -ENOENT);
}

static void test_bits(void **state)
{
	struct sample s = sample();
	int bit, byte;
	const struct kbtf_want want[] = { { "s", "b", false, &bit, .bits = true }, { "s", "a", false, &byte } };

	(void)state;
	s.second.info |= 1u << 31;
	s.both.info |= 1u << 31;
	s.both_b.offset = 1u << 24 | 5;
	assert_int_equal(kbtf_find(&s, SAMPLE_SIZE, want, ARRAY_SIZE(want)), 0);
	assert_int_equal(bit, 69);
	assert_int_equal(byte, 0);
}

static void test_absent(void **state)
{
	struct sample s = sample();
	struct found f;

	(void)state;
	s.strs[7] = 'g';
	assert_int_equal(find(&s, SAMPLE_SIZE, &f), -ENOENT);
	assert_true(f.a == 77 && f.func == 77 && f.gone == 77);
	s = sample();
	s.strs[5] = 'c';
	assert_int_equal(find(&s, SAMPLE_SIZE, &f), -ENOENT);
	assert_int_equal(f.a, 77);
}

static void test_damaged(void **state)
{
	struct sample good = sample(), s;
	struct found f;

	(void)state;
	for (size_t n = 0; n < SAMPLE_SIZE; n++)
		assert_int_equal(find(&good, n, &f), -EBADMSG);
#define BAD(change) \
	do { \
		s = good; \
		change; \
		assert_int_equal(find(&s, SAMPLE_SIZE, &f), -EBADMSG); \
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
	BAD(s.h.str_len = 12);
	BAD(s.strs[12] = 'x');
	BAD(s.integer.info = 0);
	BAD(s.integer.info = 31u << 24);
	BAD(s.first.info |= 0xffff);
	BAD(s.func.info = BTF_KIND_ARRAY << 24);
#undef BAD
	s = good;
	s.first.name_off = s.second_a.name_off = s.func.name_off = UINT32_MAX;
	assert_int_equal(find(&s, SAMPLE_SIZE, &f), -ENOENT);
	/* An unnamed member of its own type, and one with a type that does not exist. */
	s = good;
	s.second_inner.type = 3;
	assert_int_equal(find(&s, SAMPLE_SIZE, &f), -ENOENT);
	s.second_inner.type = UINT32_MAX;
	assert_int_equal(find(&s, SAMPLE_SIZE, &f), -ENOENT);
	s.second_inner.type = 1;
	assert_int_equal(find(&s, SAMPLE_SIZE, &f), -ENOENT);
}

/* A type of a newer kind at the end, with its size in a layout section. */
static void test_newer_kind(void **state)
{
	enum { NEWER = BTF_KIND_ENUM64 + 1 };
	const struct btf_type newer = { .info = NEWER << 24 | 2, .size = 9 };
	const uint32_t tail[3] = { 1, 2, 3 };
	struct abi_btf_layout layouts[NEWER + 1] = { [NEWER] = { .info_sz = 4, .elem_sz = 4 } };
	struct sample s = sample();
	uint32_t at[2] = { s.h.type_len + (uint32_t)(sizeof(newer) + sizeof(tail)), sizeof(layouts) };
	struct found f;
	STR bytes = { 0 };

	(void)state;
	s.h.type_len = at[0];
	s.h.hdr_len += (uint32_t)sizeof(at);
	s.h.str_off = at[0] + at[1];
	str_add(&bytes, &s.h, sizeof(s.h));
	str_add(&bytes, at, sizeof(at));
	str_add(&bytes, &s.integer, offsetof(struct sample, strs) - offsetof(struct sample, integer));
	str_add(&bytes, &newer, sizeof(newer));
	str_add(&bytes, tail, sizeof(tail));
	str_add(&bytes, layouts, sizeof(layouts));
	str_add(&bytes, s.strs, 13);
	assert_int_equal(find(bytes.p, bytes.n, &f), 0);
	assert_int_equal(f.b, 8);
	/* Without that kind in the section. */
	at[1] -= (uint32_t)sizeof(*layouts);
	memcpy(bytes.p + sizeof(s.h), at, sizeof(at));
	assert_int_equal(find(bytes.p, bytes.n, &f), -EBADMSG);
}

/* Or the program runs in an emulator. */
static bool kernel_is_ours(void)
{
	FILE *f = fopen("/sys/kernel/btf/vmlinux", "r");
	uint16_t magic = 0;
	bool ours = f && fread(&magic, sizeof(magic), 1, f) == 1 && magic == BTF_MAGIC;

	if (f)
		fclose(f);
	return ours;
}

static void test_this_kernel(void **state)
{
	int n, id = 0, address, func, type, alias, type_of_func;
	struct kbtf_func funcs[2];
	KBTF k = { 0 };
	struct kbtf cut;
	const struct kbtf_want want[] = {
		{ "bpf_map", "id", false, &id },
		{ "sock_common", "skc_rcv_saddr", false, &address },
		{ NULL, "bpf_iter_task_file", false, &func },
		{ "bpf_map", NULL, false, &type },
		{ "__u32", NULL, false, &alias },
		/* A function is not a type. */
		{ "bpf_iter_task_file", NULL, true, &type_of_func },
	};

	(void)state;
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		skip_because("the kernel has no BTF");
	if (!kernel_is_ours())
		skip_because("the kernel is of the other byte order");
	assert_int_equal(kbtf_ask(want, ARRAY_SIZE(want)), 0);
	assert_true(id > 0 && func > 0);
	assert_int_equal(address, 4);
	assert_true(type > 0 && alias > 0 && type != alias);
	assert_int_equal(type_of_func, -1);
	assert_int_equal(kbtf_open(&k), 0);
	n = kbtf_tagged(&k, "bpf_kfunc", funcs, ARRAY_SIZE(funcs));
	for (int i = 0; i < n && i < (int)ARRAY_SIZE(funcs); i++)
		assert_true(funcs[i].id && *funcs[i].name);
	assert_int_equal(kbtf_tagged(&k, "no such tag", funcs, ARRAY_SIZE(funcs)), 0);
	for (int i = 0; i < 2; i++) /* the second time, what was found is used */
		assert_int_equal(kbtf_ask_in(&k, want, ARRAY_SIZE(want)), 0);
	assert_true(k.types && type_of_func == -1 && address == 4);
	cut = (struct kbtf){ .p = k.p, .n = k.n - 3 };
	assert_int_equal(kbtf_tagged(&cut, "bpf_kfunc", funcs, ARRAY_SIZE(funcs)), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),	    cmocka_unit_test(test_bitfield),   cmocka_unit_test(test_bits),
		cmocka_unit_test(test_absent),	    cmocka_unit_test(test_newer_kind), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
