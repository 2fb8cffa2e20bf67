/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../../test.h"
#include "../../../tools/fake_source.h"

#include "base/bytes.h"
#include "base/swap.h"
#include "kernel/abi.h"
#include "own/holders.h"
#include "own/xsk.h"
#include "source/elems.h"
#include "source/file/swap.h"

/* In the other byte order. */
#define OTHER(member, v) store_uint(&(member), sizeof(member), v, !BIG_HERE)

static void test_record(void **state)
{
	unsigned char p[] = "abcdefghijklmnopqrstuvwxyz";

	assert_int_equal(swap_record("B2H3sIQ", p, 26), 20);
	assert_string_equal((const char *)p, "acbedfghlkjitsrqponmuvwxyz");
	/* An incomplete value is not changed. */
	assert_int_equal(swap_record("2I", p, 7), 8);
	assert_string_equal((const char *)p, "ebcadfghlkjitsrqponmuvwxyz");
	swap_records("H", p, 5);
	assert_string_equal((const char *)p, "beacdfghlkjitsrqponmuvwxyz");
}

/* A record is as long as the struct that it describes. */
static void test_sizes(void **state)
{
	static const struct {
		enum question q;
		size_t size;
	} rows[] = {
		{ Q_IDS, sizeof(uint32_t) },
		{ Q_HOLDERS, sizeof(struct holder_raw) },
		{ Q_MAP_XSK, sizeof(struct xsk_raw) },
		{ Q_PROG_JITED_KSYMS, sizeof(uint64_t) },
	};
	unsigned char p[64] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(swap_record(questions[rows[i].q].record, p, sizeof(p)), rows[i].size);
}

static void swap_as(enum question q, const char *text, void *p, size_t n)
{
	static const struct fake_answer none[] = { { 0 } };
	struct arena *a = arena_new();
	struct source *s;

	assert_int_equal(source_fake(&s, none), 0);
	swap_answer(s, a, &(const struct asked){ .q = q, .id = 1, .text = text }, p, n);
	source_close(&s);
	arena_free(a);
}

static void test_prog(void **state)
{
	struct abi_prog_info i = { .name = "name" };

	OTHER(i.type, 1);
	OTHER(i.load_time, 2);
	OTHER(i.flags, BIG_HERE ? 1 : 1u << 31);
	OTHER(i.netns_ino, 3);
	OTHER(i.line_info_rec_size, 4);
	OTHER(i.attach_btf_id, 5);
	swap_as(question_of(Q_INFO, OBJECT_PROG), NULL, &i, sizeof(i));
	assert_int_equal(i.type, 1);
	assert_int_equal(i.load_time, 2);
	assert_string_equal(i.name, "name");
	assert_int_equal(i.flags, ABI_PROG_GPL);
	assert_int_equal(i.netns_ino, 3);
	assert_int_equal(i.line_info_rec_size, 4);
	assert_int_equal(i.attach_btf_id, 5);
}

static void test_link(void **state)
{
	struct abi_link_info cgroup = { 0 }, task = { 0 }, probe = { 0 };

	OTHER(cgroup.type, ABI_LINK_ITER);
	OTHER(cgroup.iter.cgroup.cgroup_id, 5);
	OTHER(cgroup.iter.cgroup.order, 2);
	swap_as(question_of(Q_INFO, OBJECT_LINK), NULL, &cgroup, sizeof(cgroup));
	assert_int_equal(cgroup.iter.cgroup.cgroup_id, 5);
	assert_int_equal(cgroup.iter.cgroup.order, 2);

	OTHER(task.type, ABI_LINK_ITER);
	OTHER(task.iter.task.tid, 6);
	OTHER(task.iter.task.pid, 7);
	swap_as(question_of(Q_INFO, OBJECT_LINK), NULL, &task, sizeof(task));
	assert_int_equal(task.iter.task.tid, 6);
	assert_int_equal(task.iter.task.pid, 7);

	OTHER(probe.type, ABI_LINK_PERF_EVENT);
	OTHER(probe.perf_event.type, ABI_PERF_KPROBE);
	OTHER(probe.perf_event.kprobe.addr, 8);
	OTHER(probe.perf_event.kprobe.cookie, 9);
	swap_as(question_of(Q_INFO, OBJECT_LINK), NULL, &probe, sizeof(probe));
	assert_int_equal(probe.perf_event.type, ABI_PERF_KPROBE);
	assert_int_equal(probe.perf_event.kprobe.addr, 8);
	assert_int_equal(probe.perf_event.kprobe.cookie, 9);
}

static void test_buf(void **state)
{
	unsigned char p[4 + 3 + 4 + 8] = "....ab";

	store_uint(p, 4, 3, !BIG_HERE);
	store_uint(p + 7, 4, 8, !BIG_HERE);
	store_uint(p + 11, 8, 77, !BIG_HERE);
	swap_as(question_of(Q_BUF, OBJECT_LINK), "16.24.0+32.24.8", p, sizeof(p));
	assert_int_equal(load_uint(p, 4, BIG_HERE), 3);
	assert_string_equal((const char *)p + 4, "ab");
	assert_int_equal(load_uint(p + 11, 8, BIG_HERE), 77);
}

/* Random bytes of every length: no byte after them is changed. */
static void test_lies(void **state)
{
	uint32_t seed = 1;

	for (unsigned q = 0; q < QUESTIONS; q++)
		for (size_t n = 0; n < 160; n++) {
			unsigned char *p = malloc(n + 1);

			for (size_t i = 0; i <= n; i++)
				p[i] = (unsigned char)((seed = seed * 1103515245 + 12345) >> 16 & (n & 1 ? 3 : 255));
			p[n] = 0xa5;
			swap_as((enum question)q, "16.24.0+32.24.8", p, n);
			assert_int_equal(p[n], 0xa5);
			free(p);
		}
}

/* Sizes whose sum is 0 in 32 bits: the end is reached. */
static void test_large(void **state)
{
	struct elems_head h = { .count = 1 };

	(void)state;
	store_uint(&h.key_size, 4, UINT32_MAX, !BIG_HERE);
	store_uint(&h.value_size, 4, UINT32_MAX - 2, !BIG_HERE);
	swap_as(Q_MAP_ELEMS, "start", &h, sizeof(h));
	assert_true(h.key_size == UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record), cmocka_unit_test(test_sizes), cmocka_unit_test(test_prog),
		cmocka_unit_test(test_link),   cmocka_unit_test(test_buf),   cmocka_unit_test(test_lies),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
