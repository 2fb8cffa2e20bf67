/* SPDX-License-Identifier: BSD-2-Clause */
#include "../fake.h"

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "events/programs.h"
#include "events/record.h"
#include "kernel/abi.h"

#define NAME "bpf_prog_b0f42213f579076a_count"

static const unsigned char tag[SIDEBAND_TAG] = { 0xb0, 0xf4, 0x22, 0x13, 0xf5, 0x79, 0x07, 0x6a };

static void program_is(struct fake_machine *m, uint32_t id, uint32_t type, uint64_t load_time, const char *name)
{
	struct abi_prog_info info = { .type = type, .id = id, .load_time = load_time };

	memcpy(info.name, name, strlen(name));
	fake_set(m, arena_fmt(m->mem, "prog/%u/info", id), 0, &info, sizeof(info));
}

/* Programs 5 and 9 are loaded. */
static struct programs *begin(struct fake_machine *m)
{
	static const uint32_t ids[] = { 5, 9 };
	static struct programs p;
	struct err e = { 0 };

	fake_init(m);
	fake_set(m, "prog/ids", 0, ids, sizeof(ids));
	program_is(m, 5, BPF_PROG_TYPE_XDP, 100, "old");
	program_is(m, 9, BPF_PROG_TYPE_KPROBE, 200, "other");
	assert_int_equal(programs_init(&p, &m->env, &e), 0);
	return &p;
}

static void end(struct fake_machine *m, struct programs *p)
{
	programs_release(p);
	fake_free(m);
}

static bool code(struct programs *p, uint32_t tid, bool gone, uint32_t len, const char *name)
{
	const struct sideband_record r = {
		.kind = SIDEBAND_KSYMBOL,
		.tid = tid,
		.ksymbol = { .len = len, .ksym_type = PERF_RECORD_KSYMBOL_TYPE_BPF, .gone = gone, .name = name },
	};
	struct event_rec unused;

	return programs_note(p, &r, &unused);
}

static void note(struct programs *p, uint32_t tid, uint16_t event, uint32_t id, uint64_t time, struct event_rec *ret)
{
	struct sideband_record r = { .kind = SIDEBAND_PROG, .tid = tid, .time = time };

	r.prog.event = event;
	r.prog.id = id;
	memcpy(r.prog.tag, tag, sizeof(tag));
	assert_true(programs_note(p, &r, ret));
	assert_string_equal(ret->kind, "prog");
	assert_memory_equal(ret->tag, tag, sizeof(tag));
}

#define LOAD PERF_BPF_EVENT_PROG_LOAD
#define UNLOAD PERF_BPF_EVENT_PROG_UNLOAD

/* Name, functions and bytes are of the records of code before it, by the same thread. */
static void test_load(void **state)
{
	struct fake_machine m;
	struct programs *p = begin(&m);
	struct event_rec rec;

	(void)state;
	program_is(&m, 12, BPF_PROG_TYPE_XDP, 300, "count_packets");
	assert_false(code(p, 7, false, 100, NAME));
	assert_false(code(p, 8, false, 4000, "bpf_prog_b0f42213f579076a_elsewhere"));
	assert_false(code(p, 7, false, 20, "bpf_prog_1111111111111111_subprogram"));
	assert_false(code(p, 7, false, 999, "bpf_trampoline_6442494949"));
	note(p, 7, LOAD, 12, 305, &rec);
	assert_string_equal(rec.event, "load");
	assert_int_equal(rec.id, 12);
	assert_int_equal(rec.has_id, AVAIL_YES);
	assert_string_equal(rec.name, "count");
	assert_string_equal(rec.type, "xdp");
	assert_int_equal(rec.has_type, AVAIL_YES);
	assert_int_equal(rec.has_jited, AVAIL_YES);
	assert_int_equal(rec.functions, 2);
	assert_int_equal(rec.bytes_jited, 120);
	assert_int_equal(rec.has_life, AVAIL_NO);

	/* The next one of the thread has no code; its name is the kernel's. */
	program_is(&m, 13, BPF_PROG_TYPE_KPROBE, 310, "sees_all");
	note(p, 7, LOAD, 13, 311, &rec);
	assert_int_equal(rec.has_jited, AVAIL_NO);
	assert_string_equal(rec.name, "sees_all");
	assert_string_equal(rec.type, "kprobe");
	end(&m, p);
}

/* What was known of the program is in its unload, and forgotten then. */
static void test_unload(void **state)
{
	struct fake_machine m;
	struct programs *p = begin(&m);
	struct event_rec rec;

	(void)state;
	assert_false(code(p, 7, true, 100, NAME));
	note(p, 7, UNLOAD, 9, 1200, &rec);
	assert_string_equal(rec.event, "unload");
	assert_string_equal(rec.type, "kprobe");
	assert_int_equal(rec.has_life, AVAIL_YES);
	assert_int_equal(rec.life, 1000);
	assert_int_equal(rec.bytes_jited, 100);
	assert_false(rec.load_printed);
	note(p, 7, UNLOAD, 9, 1300, &rec);
	assert_int_equal(rec.has_type, AVAIL_UNKNOWN);
	assert_int_equal(rec.has_life, AVAIL_UNKNOWN);
	programs_mark_printed(p, 5);
	programs_mark_printed(p, 6);
	note(p, 7, UNLOAD, 5, 90, &rec);
	assert_string_equal(rec.type, "xdp");
	assert_true(rec.load_printed);
	assert_int_equal(rec.life, 0); /* the clocks differ a little */
	end(&m, p);
}

/* Loads and unloads have functions of their own: a thread may do both in between. */
static void test_both(void **state)
{
	struct fake_machine m;
	struct programs *p = begin(&m);
	struct event_rec rec;

	(void)state;
	code(p, 7, false, 10, NAME);
	code(p, 7, true, 2000, "bpf_prog_2222222222222222_gone");
	note(p, 7, LOAD, 14, 1, &rec);
	assert_int_equal(rec.bytes_jited, 10);
	assert_string_equal(rec.name, "count");
	note(p, 7, UNLOAD, 14, 2, &rec);
	assert_int_equal(rec.bytes_jited, 2000);
	assert_string_equal(rec.name, "gone");
	end(&m, p);
}

/* The type of a program that was gone before it could be asked for comes from the call that loaded it. */
static void test_learn(void **state)
{
	struct fake_machine m;
	struct programs *p = begin(&m);
	struct event_rec rec;

	(void)state;
	note(p, 7, LOAD, 7, 400, &rec);
	assert_int_equal(rec.has_type, AVAIL_UNKNOWN);
	programs_learn(p, 7, BPF_PROG_TYPE_XDP, 399);
	programs_type(p, 7, &rec);
	assert_int_equal(rec.has_type, AVAIL_YES);
	assert_string_equal(rec.type, "xdp");
	note(p, 7, UNLOAD, 7, 450, &rec);
	assert_int_equal(rec.life, 50); /* since the load, not since the call */
	/* A known type stays. */
	programs_learn(p, 9, BPF_PROG_TYPE_XDP, 1);
	note(p, 7, UNLOAD, 9, 1200, &rec);
	assert_string_equal(rec.type, "kprobe");
	assert_int_equal(rec.life, 1000);
	/* With a type and a name nothing is asked: the name is the symbol's, not that of "prog/8/info". */
	program_is(&m, 8, BPF_PROG_TYPE_KPROBE, 1, "asked");
	programs_learn(p, 8, BPF_PROG_TYPE_XDP, 470);
	code(p, 7, false, 10, NAME);
	note(p, 7, LOAD, 8, 471, &rec);
	assert_string_equal(rec.type, "xdp");
	assert_string_equal(rec.name, "count");
	end(&m, p);
}

/* Kernels report the first function without a name (6.1), an unload without an id (6.1), or events that are newer. */
static void test_kernels(void **state)
{
	struct fake_machine m;
	struct programs *p = begin(&m);
	struct event_rec rec;

	(void)state;
	code(p, 7, true, 30, "");
	code(p, 7, true, 12, "bpf_prog_2222222222222222_sub");
	note(p, 7, UNLOAD, 0, 500, &rec);
	assert_int_equal(rec.has_id, AVAIL_UNKNOWN);
	assert_int_equal(rec.has_type, AVAIL_UNKNOWN);
	assert_int_equal(rec.functions, 2);
	assert_int_equal(rec.bytes_jited, 42);
	assert_null(rec.name);
	note(p, 7, 77, 5, 500, &rec);
	assert_string_equal(rec.event, "unknown(77)");
	assert_string_equal(rec.type, "xdp");
	note(p, 7, 0, 5, 500, &rec);
	assert_string_equal(rec.event, "unknown(0)");
	/* A symbol that ends with the tag has no name. */
	code(p, 7, false, 1, "bpf_prog_b0f42213f579076a_");
	note(p, 7, LOAD, 20, 500, &rec);
	assert_null(rec.name);
	code(p, 7, false, 1, "bpf_prog_b0f42213f579076a_x");
	note(p, 7, LOAD, 21, 500, &rec);
	assert_string_equal(rec.name, "x");
	end(&m, p);
}

/* Code of other kinds, as of ftrace, and other records are no part of a program. */
static void test_others(void **state)
{
	struct sideband_record r = { .kind = SIDEBAND_KSYMBOL, .tid = 7, .ksymbol = { .len = 9, .name = NAME } };
	struct fake_machine m;
	struct programs *p = begin(&m);
	struct event_rec rec;

	(void)state;
	r.ksymbol.ksym_type = PERF_RECORD_KSYMBOL_TYPE_OOL;
	assert_false(programs_note(p, &r, &rec));
	r.ksymbol.ksym_type = PERF_RECORD_KSYMBOL_TYPE_BPF;
	r.kind = SIDEBAND_COMM;
	assert_false(programs_note(p, &r, &rec));
	note(p, 7, LOAD, 22, 500, &rec);
	assert_int_equal(rec.has_jited, AVAIL_NO);
	end(&m, p);
}

/* More threads than there is room for: the oldest is forgotten. */
static void test_threads(void **state)
{
	struct fake_machine m;
	struct programs *p = begin(&m);
	struct event_rec rec;

	(void)state;
	for (uint32_t tid = 1; tid <= PROGRAMS_THREADS + 2; tid++)
		code(p, tid, false, tid, NAME);
	for (uint32_t tid = 1; tid <= PROGRAMS_THREADS + 2; tid++) {
		note(p, tid, LOAD, 1000 + tid, 500, &rec);
		assert_int_equal(rec.has_jited, tid > 2 ? AVAIL_YES : AVAIL_NO);
		assert_int_equal(rec.bytes_jited, tid > 2 ? tid : 0);
	}
	end(&m, p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load),	cmocka_unit_test(test_unload),	cmocka_unit_test(test_both),
		cmocka_unit_test(test_learn),	cmocka_unit_test(test_kernels), cmocka_unit_test(test_others),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
