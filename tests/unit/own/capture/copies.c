/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../../test.h"
#include <linux/bpf.h>
#include <string.h>
#include "own/capture/copies.h"

/* A program of 3 instructions and two functions, one map, types of 5 bytes. */
enum { ID = 77, INSNS = 3 };

struct fixture {
	struct capture_copies copies;
	struct capture_copy *copy;
	struct captured told;
	uint64_t time;
	uint32_t id;
};

static void send_at(struct fixture *f, unsigned record, unsigned index, unsigned at, const void *p, size_t n)
{
	struct capture_piece piece = {
		.head = { .id = f->id, .cpu = 1, .time = f->time, .record = record, .index = index, .at = at }
	};

	memcpy(piece.data, p, n);
	capture_copies_put(&f->copies, &piece, sizeof(piece.head) + n);
}

static void send(struct fixture *f, unsigned record, unsigned index, const void *p, size_t n)
{
	send_at(f, record, index, 0, p, n);
}

static struct capture_meta meta(void)
{
	struct capture_meta m = {
		.type = BPF_PROG_TYPE_XDP,
		.len = INSNS,
		.jited_len = 6,
		.pages = 1,
		.load_time = 5,
		.funcs = 2,
		.nr_line_info = 1,
		.nr_func_info = 1,
		.nr_maps = 1,
		.jited_lines = 1,
		.btf_id = 9,
		.btf_size = 5,
		.btf_sent = 1,
		.pid = 10,
		.loader_uid = 11,
	};

	strcpy(m.name, "program");
	strcpy(m.comm, "loader");
	return m;
}

static const struct bpf_insn insns[INSNS] = {
	{
		.code = BPF_LD | BPF_IMM | BPF_DW,
		.imm = 0x1000,
	},
	{ .imm = 0x7f },
	{ .code = BPF_JMP | BPF_EXIT },
};

/* All records but the last; @without: another record to leave out. */
static void put(struct fixture *f, unsigned without)
{
	const struct capture_meta m = meta();
	const struct capture_func funcs[] = { { .addr = 100, .jited_len = 4 }, { .addr = 200, .jited_len = 2 } };
	const struct capture_map map = {
		.addr = 0x7f00001000, .id = 33, .type = BPF_MAP_TYPE_HASH, .key_size = 4, .value_size = 8
	};
	const struct {
		unsigned record, index, at;
		const void *p;
		size_t n;
	} all[] = {
		{ CAPTURE_META, 0, 0, &m, sizeof(m) },
		{ CAPTURE_FUNC, 0, 0, &funcs[0], sizeof(funcs[0]) },
		{ CAPTURE_JITED, 0, 0, "ab", 2 },
		{ CAPTURE_JITED, 0, 2, "cd", 2 },
		{ CAPTURE_FUNC, 1, 0, &funcs[1], sizeof(funcs[1]) },
		{ CAPTURE_JITED, 1, 0, "ef", 2 },
		{ CAPTURE_XLATED, 0, 0, insns, sizeof(insns) },
		{ CAPTURE_FUNC_INFO, 0, 0, "12345678", 8 },
		{ CAPTURE_LINE_INFO, 0, 0, "1234567890123456", 16 },
		{ CAPTURE_JITED_LINE_INFO, 0, 0, "abcdefgh", 8 },
		{ CAPTURE_MAP, 0, 0, &map, sizeof(map) },
		{ CAPTURE_BTF, 0, 0, "types", 5 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(all); i++)
		if (i != without)
			send_at(f, all[i].record, all[i].index, all[i].at, all[i].p, all[i].n);
}
enum { RECORDS = 12 };

static void tell(struct fixture *f)
{
	f->copy = capture_copies_take(&f->copies, 0);
	assert_non_null(f->copy);
	capture_copy_convert(f->copy, false, 224, &f->told);
}

static void end(struct fixture *f, uint32_t lost, uint32_t changed)
{
	const struct capture_end e = { lost, changed };

	send(f, CAPTURE_END, 0, &e, sizeof(e));
}

static void again(struct fixture *f)
{
	capture_copy_free(f->copy);
	f->copy = NULL;
}

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){ .time = 1000, .id = ID };
	capture_copies_init(&f.copies);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	again(f);
	capture_copies_release(&f->copies);
	return 0;
}

static void test_whole(void **state)
{
	struct fixture *f = *state;
	const struct captured *t = &f->told;
	const struct bpf_insn *insn;
	uint64_t bytes = sizeof(struct capture_copy);

	put(f, RECORDS);
	for (unsigned i = 0; i < CAPTURE_RECORDS; i++)
		bytes += f->copies.open->part[i].cap;
	assert_int_equal(f->copies.held, bytes);
	assert_null(capture_copies_take(&f->copies, 0));
	end(f, 0, 0);
	tell(f);
	assert_int_equal(t->missing, 0);
	assert_int_equal(t->id, ID);
	assert_int_equal(t->pid, 10);
	assert_string_equal(t->comm, "loader");
	assert_string_equal(t->info.name, "program");
	assert_int_equal(t->info.jited_prog_len, 6);
	assert_int_equal(t->info.nr_jited_ksyms, 2);
	assert_memory_equal(t->array[CAPTURED_JITED].p, "abcdef", 6);
	assert_int_equal(t->array[CAPTURED_JITED_FUNC_LENS].n, 8);
	assert_int_equal(t->array[CAPTURED_PROG_TAGS].n, 16);
	assert_memory_equal(t->array[CAPTURED_MAP_IDS].p, (uint32_t[]){ 33 }, 4);
	assert_memory_equal(t->btf.p, "types", 5);
	assert_int_equal(t->nmaps, 1);
	assert_int_equal(t->maps[0].value_size, 8);
	insn = t->array[CAPTURED_XLATED].p;
	assert_true(insn->src_reg == BPF_PSEUDO_MAP_FD && insn->imm == 33 && insn[1].imm == 0);
	assert_int_equal(f->copies.held, 0);
}

/* The loader is unknown for a copy that was made while another process closed the program. */
static void test_closed(void **state)
{
	struct fixture *f = *state;
	static const struct {
		uint32_t way;
		bool by_loader;
	} ways[] = {
		{ CAPTURE_LOADED, true },
		{ CAPTURE_SCANNED, true },
		{ CAPTURE_CLOSED, false },
		{ CAPTURE_SECCOMP, true },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(ways); i++) {
		struct capture_meta m = meta();

		m.way = ways[i].way;
		send(f, CAPTURE_META, 0, &m, sizeof(m));
		end(f, 0, 0);
		tell(f);
		assert_int_equal(f->told.pid, 10);
		assert_int_equal(f->told.by_loader, ways[i].by_loader);
		again(f);
	}
}

static void test_missing(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < RECORDS; i++) {
		f->time++;
		put(f, i);
		end(f, 0, 0);
		tell(f);
		assert_true(i == RECORDS - 1 ? f->told.missing == CAPTURED_BTF : f->told.missing & CAPTURED_LOST);
		again(f);
	}
	f->time++;
	put(f, RECORDS);
	end(f, 1, 0);
	tell(f);
	assert_int_equal(f->told.missing, CAPTURED_LOST);
	again(f);
	f->time++;
	put(f, RECORDS);
	end(f, 0, 1);
	tell(f);
	assert_int_equal(f->told.missing, CAPTURED_CHANGED);
}

/* Two CPUs, and a copy without an end. */
static void test_between(void **state)
{
	struct fixture *f = *state, other = *f;

	put(f, RECORDS);
	f->id = 78;
	put(f, RECORDS);
	f->id = 79;
	f->time = 5000;
	put(f, RECORDS);
	f->id = ID;
	f->time = other.time;
	end(f, 0, 0);
	tell(f);
	assert_true(f->told.id == ID && !f->told.missing);
	again(f);
	assert_null(capture_copies_take(&f->copies, 0));
	capture_copies_expire(&f->copies, 5000);
	tell(f);
	assert_true(f->told.id == 78 && f->told.missing == CAPTURED_LOST);
	again(f);
	assert_null(capture_copies_take(&f->copies, 0));
	f->id = 79;
	f->time = 5000;
	end(f, 0, 0);
	tell(f);
	assert_true(f->told.id == 79 && !f->told.missing);
}

static void test_bad(void **state)
{
	struct fixture *f = *state;
	uint32_t map = 44;

	capture_copies_put(&f->copies, "short", 5);
	send(f, CAPTURE_RECORDS, 0, "x", 1);
	send(f, 1000, 0, "x", 1);
	assert_null(f->copies.open);
	send(f, CAPTURE_XLATED, 5, "12345678", 8);
	send_at(f, CAPTURE_XLATED, 0, 16, "12345678", 8);
	send(f, CAPTURE_FUNC, 300, "12345678", 8);
	end(f, 0, 0);
	tell(f);
	assert_true(f->told.missing & CAPTURED_LOST);
	assert_int_equal(f->told.info.type, 0);
	again(f);
	send(f, CAPTURE_BIND, 0, &map, sizeof(map));
	tell(f);
	assert_true(f->told.id == ID && f->told.bound_map == 44 && !f->told.missing);
}

static void test_insns(void **state)
{
	const struct capture_map maps[] = {
		{ .addr = 0x8800001000,
		  .value = 0x8800001100,
		  .id = 5,
		  .type = BPF_MAP_TYPE_ARRAY,
		  .value_size = 16,
		  .max_entries = 1 },
	};
	struct bpf_insn in[] = {
		{ .code = 0xf0 },
		{ .code = 0xe0 | BPF_JMP, .imm = 9 },
		{ .code = BPF_LDX | 0x20 | BPF_W },
		{ .code = BPF_STX | 0xa0 | BPF_DW },
		{ .code = BPF_STX | 0x20 | BPF_W },
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .off = 3, .imm = 7 },
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .imm = 0x110f },
		{ .imm = 0x88 },
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .imm = 0x1110 },
		{ .imm = 0x88 },
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .imm = 0x1000 },
	};

	(void)state;
	in[0].code = BPF_JMP | 0xf0;
	capture_insns(in, ARRAY_SIZE(in), maps, 1, false);
	assert_true(in[0].code == (BPF_JMP | BPF_CALL) && in[0].imm == BPF_FUNC_tail_call);
	assert_true(in[1].code == (BPF_JMP | BPF_CALL) && in[1].imm == 9);
	assert_int_equal(in[2].code, BPF_LDX | BPF_MEM | BPF_W);
	assert_int_equal(in[3].code, BPF_STX | BPF_MEM | BPF_DW);
	assert_int_equal(in[4].code, BPF_STX | 0x20 | BPF_W);
	assert_true(in[5].off == 3 && in[5].imm == 7);
	assert_true(in[6].src_reg == BPF_PSEUDO_MAP_VALUE && in[6].imm == 5 && in[7].imm == 15);
	assert_true(in[8].src_reg == 0 && in[8].imm == 0x1110);
	assert_true(in[10].src_reg == 0);
	capture_insns(in, ARRAY_SIZE(in), NULL, 0, true);
	assert_true(in[5].off == 7 && in[5].imm == 3);
}

/* The copies of the next batch stay, in order, until they are asked for; a copy without its head belongs to
 * any batch. */
static void test_batches(void **state)
{
	struct fixture *f = *state;
	const uint32_t ids[] = { 1, 2, 3 }, batches[] = { 1, 0, 1 };

	for (unsigned i = 0; i < ARRAY_SIZE(ids); i++) {
		struct capture_piece head = {
			.head = { .id = ids[i], .cpu = 1, .time = f->time, .record = CAPTURE_META, .batch = batches[i] }
		};

		f->id = ids[i];
		capture_copies_put(&f->copies, &head, sizeof(head.head) + sizeof(struct capture_meta));
		assert_true(capture_copies_has(&f->copies, batches[i]));
		end(f, 0, 0);
	}
	f->copy = capture_copies_take(&f->copies, 0);
	assert_int_equal(f->copy->id, 2);
	again(f);
	assert_false(capture_copies_has(&f->copies, 0));
	assert_null(capture_copies_take(&f->copies, 0));
	for (unsigned i = 0; i < 2; i++) {
		f->copy = capture_copies_take(&f->copies, 1);
		assert_int_equal(f->copy->id, 2 * i + 1);
		again(f);
	}
	assert_null(capture_copies_take(&f->copies, UINT32_MAX));
	/* The last copy that was taken was the end of the list. */
	f->id = ID;
	put(f, RECORDS);
	end(f, 0, 0);
	tell(f);
}

/* While later copies arrive, the ring may never be empty: their times show that all earlier ones were read. */
static void test_unread(void **state)
{
	struct fixture *f = *state;
	struct capture_piece head = { .head = { .id = ID, .cpu = 1, .time = 100, .record = CAPTURE_META } };
	const uint64_t cut = 200;

	capture_copies_put(&f->copies, &head, sizeof(head.head) + sizeof(struct capture_meta));
	assert_true(capture_copies_unread(&f->copies, 0, cut));
	head.head.batch = 1;
	head.head.id++;
	head.head.time = cut + CAPTURE_SETTLED;
	capture_copies_put(&f->copies, &head, sizeof(head.head) + sizeof(struct capture_meta));
	f->time = 100;
	f->id = ID;
	end(f, 0, 0);
	assert_true(capture_copies_unread(&f->copies, 0, cut));
	head.head.id++;
	head.head.time++;
	capture_copies_put(&f->copies, &head, sizeof(head.head) + sizeof(struct capture_meta));
	assert_false(capture_copies_unread(&f->copies, 0, cut));
	/* An unfinished copy of the batch */
	head.head.batch = 0;
	head.head.time = 150;
	capture_copies_put(&f->copies, &head, sizeof(head.head) + sizeof(struct capture_meta));
	assert_true(capture_copies_unread(&f->copies, 0, cut));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(test_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_missing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_between, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad, setup, teardown),
		cmocka_unit_test_setup_teardown(test_batches, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unread, setup, teardown),
		cmocka_unit_test(test_insns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
