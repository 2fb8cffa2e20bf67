/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/perf/ring.h"
#include "kernel/perf/sideband.h"

/* A record in the kernel's format: header, body, trailer. */
struct made {
	unsigned char p[512];
	size_t n;
};

static void put(struct made *m, const void *p, size_t n)
{
	memcpy(m->p + m->n, p, n);
	m->n += n;
}

static struct made made(uint32_t type, const void *body, size_t n)
{
	const struct perf_event_header h = { .type = type, .size = (uint16_t)(sizeof(h) + n + 24) };
	const struct {
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, pad;
	} trailer = { 10, 11, 12, 13, 0 };
	struct made m = { .n = 0 };

	put(&m, &h, sizeof(h));
	put(&m, body, n);
	put(&m, &trailer, sizeof(trailer));
	return m;
}

/* The same in memory of exact size, so that a sanitizer notices a read past its end. */
static int parse(const struct made *m, size_t n, struct sideband_record *ret)
{
	static unsigned char *p;
	int err;

	free(p);
	p = malloc(n ? n : 1);
	memcpy(p, m->p, n);
	err = sideband_parse(p, n, ret);
	return err;
}

static const struct {
	uint64_t addr;
	uint32_t len;
	uint16_t type, flags;
	char name[16];
} symbol = {
	0xffffffffc0001000, 64, PERF_RECORD_KSYMBOL_TYPE_BPF, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, "bpf_prog_1_a",
};
static const struct {
	uint16_t type, flags;
	uint32_t id;
	unsigned char tag[8];
} program = {
	PERF_BPF_EVENT_PROG_LOAD,
	0,
	77,
	{ 1, 2, 3, 4, 5, 6, 7, 8 },
};

static void heads(void **state)
{
	struct made m = made(PERF_RECORD_THROTTLE, "12345678", 8);
	struct sideband_record r;

	(void)state;
	assert_int_equal(parse(&m, m.n, &r), 0);
	assert_int_equal(r.kind, SIDEBAND_OTHER);
	assert_int_equal(r.type, PERF_RECORD_THROTTLE);
	assert_int_equal(r.pid, 10);
	assert_int_equal(r.tid, 11);
	assert_int_equal(r.time, 12);
	assert_int_equal(r.cpu, 13);
}

static void kinds(void **state)
{
	const struct {
		uint32_t pid, tid;
		char comm[8];
	} comm = { 1, 2, "sh" };
	const struct {
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} fork = { 21, 22, 23, 24, 0 };
	const struct {
		uint64_t id, lost;
	} lost = { 1, 99 };
	const struct __attribute__((packed)) {
		uint64_t addr;
		uint16_t old_len, new_len;
		char bytes[4];
	} text = { 0xffffffffc0001003, 1, 3, "abcd" };
	struct sideband_record r;
	struct made m;

	(void)state;
	m = made(PERF_RECORD_KSYMBOL, &symbol, sizeof(symbol));
	assert_int_equal(parse(&m, m.n, &r), 0);
	assert_int_equal(r.kind, SIDEBAND_KSYMBOL);
	assert_int_equal(r.ksymbol.addr, symbol.addr);
	assert_int_equal(r.ksymbol.len, 64);
	assert_int_equal(r.ksymbol.ksym_type, PERF_RECORD_KSYMBOL_TYPE_BPF);
	assert_int_equal(r.ksymbol.gone, 1);
	assert_string_equal(r.ksymbol.name, "bpf_prog_1_a");
	m = made(PERF_RECORD_BPF_EVENT, &program, sizeof(program));
	assert_int_equal(parse(&m, m.n, &r), 0);
	assert_int_equal(r.kind, SIDEBAND_PROG);
	assert_int_equal(r.prog.event, PERF_BPF_EVENT_PROG_LOAD);
	assert_int_equal(r.prog.id, 77);
	assert_memory_equal(r.prog.tag, program.tag, SIDEBAND_TAG);
	m = made(PERF_RECORD_COMM, &comm, sizeof(comm));
	assert_int_equal(parse(&m, m.n, &r), 0);
	assert_int_equal(r.kind, SIDEBAND_COMM);
	assert_string_equal(r.comm.name, "sh");
	assert_int_equal(r.comm.pid, 1);
	assert_int_equal(r.comm.tid, 2);
	m = made(PERF_RECORD_FORK, &fork, sizeof(fork));
	assert_int_equal(parse(&m, m.n, &r), 0);
	assert_int_equal(r.kind, SIDEBAND_FORK);
	assert_int_equal(r.task.pid, 21);
	assert_int_equal(r.task.parent_pid, 22);
	assert_int_equal(r.task.tid, 23);
	assert_int_equal(r.task.parent_tid, 24);
	m = made(PERF_RECORD_LOST, &lost, sizeof(lost));
	assert_int_equal(parse(&m, m.n, &r), 0);
	assert_int_equal(r.kind, SIDEBAND_LOST);
	assert_int_equal(r.lost.count, 99);
	m = made(PERF_RECORD_TEXT_POKE, &text, sizeof(text));
	assert_int_equal(parse(&m, m.n, &r), 0);
	assert_int_equal(r.kind, SIDEBAND_TEXT);
	assert_int_equal(r.time, 12);
	assert_true(r.text.addr == text.addr && r.text.old_len == 1 && r.text.new_len == 3);
	assert_memory_equal(r.text.old, "a", 1);
	assert_memory_equal(r.text.now, "bcd", 3);
}

/* For any length: refused, or no read past the end. */
static void cut(void **state)
{
	const uint32_t types[] = { PERF_RECORD_KSYMBOL, PERF_RECORD_BPF_EVENT, PERF_RECORD_COMM,      PERF_RECORD_FORK,
				   PERF_RECORD_EXIT,	PERF_RECORD_LOST,      PERF_RECORD_TEXT_POKE, 4711 };
	const size_t least[] = { 32 + 16 + 8, 32 + 16, 32 + 8 + 1, 32 + 24, 32 + 24, 32 + 16, 32 + 16, 32 };
	struct sideband_record r;
	struct made m;

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		/* Zeros: every text ends where it begins. */
		m = made(types[i], "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
		for (size_t n = 0; n <= m.n; n++)
			assert_int_equal(parse(&m, n, &r), n < least[i] ? -EBADMSG : 0);
	}
}

/* Lengths of bytes that are not in the record. */
static void long_text(void **state)
{
	const uint16_t lens[][2] = { { 1, 4 }, { 5, 0 }, { 0, 65535 }, { 65535, 65535 }, { 4, 1 } };
	struct sideband_record r;

	(void)state;
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		unsigned char body[16] = { 0 };
		struct made m;

		memcpy(body + 8, lens[i], sizeof(lens[i]));
		m = made(PERF_RECORD_TEXT_POKE, body, sizeof(body));
		assert_int_equal(parse(&m, m.n, &r), -EBADMSG);
	}
}

/* Of two listeners, the second has garbage after the trailer: as many bytes as the first has there. */
static void second_listener(void **state)
{
	struct made m[] = { made(PERF_RECORD_KSYMBOL, &symbol, sizeof(symbol)),
			    made(PERF_RECORD_BPF_EVENT, &program, sizeof(program)) };
	unsigned char rubbish[32];
	struct sideband_record r;

	(void)state;
	memset(rubbish, 0xa5, sizeof(rubbish));
	for (size_t i = 0; i < 2; i++) {
		put(&m[i], rubbish, sizeof(rubbish));
		assert_int_equal(parse(&m[i], m[i].n, &r), 0);
		assert_int_equal(r.kind, i ? SIDEBAND_PROG : SIDEBAND_KSYMBOL);
		assert_int_equal(r.pid, 10);
		assert_int_equal(r.time, 12);
		assert_int_equal(r.cpu, 13);
	}
}

static void endless_name(void **state)
{
	unsigned char body[24];
	struct sideband_record r;
	struct made m;

	(void)state;
	memset(body, 'x', sizeof(body));
	m = made(PERF_RECORD_KSYMBOL, body, sizeof(body));
	assert_int_equal(parse(&m, m.n, &r), -EBADMSG);
	m = made(PERF_RECORD_COMM, body, sizeof(body));
	assert_int_equal(parse(&m, m.n, &r), -EBADMSG);
}

/* A ring in memory; records are 24 bytes with a number in them, so that some cross the end at 4096. */
enum { SIZE = 4096, RECORD = 24 };
struct model {
	struct perf_event_mmap_page page;
	unsigned char data[SIZE], copy[1 << 16];
	struct perf_ring ring;
};

static struct model *model_make(void)
{
	struct model *m = calloc(1, sizeof(*m));

	m->ring = (struct perf_ring){ .page = &m->page, .data = m->data, .size = SIZE, .copy = m->copy };
	return m;
}

static void model_put(struct model *m, uint16_t size, uint64_t number)
{
	const struct {
		struct perf_event_header h;
		uint64_t number, pad;
	} r = { { .type = 9, .size = size }, number, 0 };

	for (size_t i = 0; i < sizeof(r); i++)
		m->data[(m->page.data_head + i) % SIZE] = ((const unsigned char *)&r)[i];
	m->page.data_head += RECORD;
}

static void around(void **state)
{
	struct model *m = model_make();
	uint64_t told = 0, put = 0, number;
	const void *p;
	size_t n;

	(void)state;
	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < 100; i++)
			model_put(m, RECORD, put++);
		perf_ring_begin(&m->ring);
		while (perf_ring_next(&m->ring, &p, &n) > 0) {
			assert_int_equal(n, RECORD);
			memcpy(&number, (const char *)p + 8, sizeof(number));
			assert_int_equal(number, told);
			told++;
		}
		perf_ring_end(&m->ring);
		assert_int_equal(told, put);
		assert_int_equal(m->page.data_tail, m->page.data_head);
	}
	free(m);
}

static void stays(void **state)
{
	struct model *m = model_make();
	const void *p;
	size_t n;

	(void)state;
	model_put(m, RECORD, 1);
	model_put(m, RECORD, 2);
	perf_ring_begin(&m->ring);
	assert_int_equal(perf_ring_next(&m->ring, &p, &n), 1);
	assert_int_equal(perf_ring_next(&m->ring, &p, &n), 1);
	perf_ring_back(&m->ring, n);
	perf_ring_end(&m->ring);
	assert_int_equal(m->page.data_tail, RECORD);
	free(m);
}

static void absurd(void **state)
{
	const uint16_t sizes[] = { 0, 4, 7, 9, 20, 32, 4096, 65528 };
	const void *p;
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct model *m = model_make();

		model_put(m, sizes[i], 1);
		perf_ring_begin(&m->ring);
		assert_int_equal(perf_ring_next(&m->ring, &p, &n), -EBADMSG);
		assert_int_equal(perf_ring_next(&m->ring, &p, &n), 0);
		perf_ring_end(&m->ring);
		assert_int_equal(m->page.data_tail, m->page.data_head);
		free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads),     cmocka_unit_test(kinds),		cmocka_unit_test(cut),
		cmocka_unit_test(long_text), cmocka_unit_test(second_listener), cmocka_unit_test(endless_name),
		cmocka_unit_test(around),    cmocka_unit_test(stays),		cmocka_unit_test(absurd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
