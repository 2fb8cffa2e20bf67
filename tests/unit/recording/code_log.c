/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorded.h"

#include <linux/perf_event.h>

#include "kernel/perf/sideband.h"
#include "own/own.h"
#include "recording/code_log.h"

static void hear(struct code_log *log, uint64_t addr, uint64_t time, bool gone, const char *name)
{
	const struct sideband_record r = {
		.kind = SIDEBAND_KSYMBOL,
		.time = time,
		.pid = 1,
		.ksymbol = { .addr = addr, .len = 64, .gone = gone, .name = name },
	};

	code_log_note(log, &r);
}

/* Two records of an end are one piece of code, with or without a record of its beginning. */
static void test_gone_twice(void **state)
{
	struct own own = { 0 };
	struct code_log log;

	(void)state;
	code_log_init(&log, NULL, &own);
	hear(&log, 0x1000, 1, false, "bpf_trampoline_1");
	hear(&log, 0x1000, 2, true, "bpf_trampoline_1");
	hear(&log, 0x1000, 2, true, "bpf_trampoline_1");
	assert_int_equal(log.n, 1);
	hear(&log, 0x2000, 3, true, "bpf_trampoline_2");
	hear(&log, 0x2000, 3, true, "bpf_trampoline_2");
	assert_int_equal(log.n, 2);
	hear(&log, 0x1000, 4, false, "bpf_trampoline_1");
	hear(&log, 0x1000, 5, true, "bpf_trampoline_1");
	assert_int_equal(log.n, 3);
	hear(&log, 0x1000, 6, true, "bpf_trampoline_3");
	assert_int_equal(log.n, 4);
	code_log_release(&log);
}

/* For code that calls a program of bpflens, since Linux 5.10, only the end is recorded. */
static void test_own_trampoline(void **state)
{
	struct own_object objects[] = { { OBJECT_MAP, 3, 0 }, { OBJECT_PROG, 7, 0x1949c } };
	struct own own = { .all = objects, .n = 2 };
	struct code_log log;

	(void)state;
	code_log_init(&log, NULL, &own);
	hear(&log, 0x1000, 1, true, "bpf_trampoline_6442554524");
	hear(&log, 0x1000, 2, true, "bpf_trampoline_103580_0");
	assert_int_equal(log.n, 0);
	hear(&log, 0x1000, 3, true, "bpf_trampoline_6442554525");
	hear(&log, 0x2000, 4, true, "bpf_trampoline_0");
	hear(&log, 0x3000, 5, true, "bpf_dispatcher_103580");
	assert_int_equal(log.n, 3);
	/* The beginning is recorded for another process's program at the same function. */
	hear(&log, 0x4000, 6, false, "bpf_trampoline_6442554524");
	hear(&log, 0x4000, 7, true, "bpf_trampoline_6442554524");
	assert_int_equal(log.n, 4);
	code_log_release(&log);
}

/*
 * What the log reads and writes. In the kernel's memory each address has its lower byte, from 0x1000 to 0x7fff. Not
 * @on: the real ones.
 */
static struct {
	bool on;
	int open_err;
	struct str codes; /* the list */
	unsigned ntexts, reads;
	unsigned char first[8]; /* of each text */
} world;

int __real_kmem_open(struct kmem *k, struct own *own, int map_fd);
int __wrap_kmem_open(struct kmem *k, struct own *own, int map_fd);
int __wrap_kmem_open(struct kmem *k, struct own *own, int map_fd)
{
	return world.on ? world.open_err : __real_kmem_open(k, own, map_fd);
}

int __real_kmem_read(const struct kmem *k, uint64_t addr, void *ret, size_t n);
int __wrap_kmem_read(const struct kmem *k, uint64_t addr, void *ret, size_t n);
int __wrap_kmem_read(const struct kmem *k, uint64_t addr, void *ret, size_t n)
{
	if (!world.on)
		return __real_kmem_read(k, addr, ret, n);
	world.reads++;
	for (size_t i = 0; i < n; i++)
		((unsigned char *)ret)[i] = (unsigned char)(addr + i);
	return addr >= 0x1000 && addr < 0x8000 ? 0 : -EFAULT;
}

void __real_source_record_again(struct source *s, const struct asked *q, const void *p, size_t n);
void __wrap_source_record_again(struct source *s, const struct asked *q, const void *p, size_t n);
void __wrap_source_record_again(struct source *s, const struct asked *q, const void *p, size_t n)
{
	if (!world.on) {
		__real_source_record_again(s, q, p, n);
	} else if (q->q == Q_CODES) {
		str_reset(&world.codes);
		str_add(&world.codes, p, n);
	} else {
		assert_int_equal(q->q, Q_CODE);
		assert_int_equal(q->id, world.ntexts);
		assert_true(n && world.ntexts < sizeof(world.first));
		world.first[world.ntexts++] = *(const unsigned char *)p;
	}
}

static int world_on(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.on = true;
	return 0;
}

static int world_off(void **state)
{
	(void)state;
	str_release(&world.codes);
	world.on = false;
	return 0;
}

static void nothing(void *ctx)
{
	(void)ctx;
}

static void is_gone(void *ctx)
{
	hear(ctx, 0x1000, 9, true, "bpf_trampoline_1");
}

static const char *list(struct code_log *log, const struct catalog *cat)
{
	code_log_list(log, cat);
	return world.codes.n ? world.codes.p : "";
}

static void test_texts(void **state)
{
	struct own own = { 0 };
	struct catalog cat = { 0 };
	struct code_log log;

	(void)state;
	code_log_init(&log, NULL, &own);
	hear(&log, 0x1000, 1, false, "bpf_trampoline_1");
	hear(&log, 0x2000, 2, false, "bpf_dispatcher_1");
	hear(&log, 0x9000, 3, false, "bpf_trampoline_3"); /* cannot be read */
	hear(&log, 0x3000, 4, false, "bpf_prog_a5a5a5a5a5a5a5a5_x");
	hear(&log, 0x2000, 5, true, "bpf_dispatcher_1");
	code_log_look(&log, is_gone, &log);
	assert_int_equal(world.ntexts, 0);
	assert_int_equal(world.reads, 2);
	hear(&log, 0x4000, 10, false, "bpf_trampoline_4");
	hear(&log, 0x5000, 11, false, "bpf_trampoline_5");
	code_log_look(&log, nothing, NULL);
	assert_int_equal(world.reads, 4); /* each once */
	assert_string_equal(list(&log, &cat),
			    "0x1000 64 1 9 - 1 - ? bpf_trampoline_1\n"
			    "0x2000 64 2 5 - 1 - ? bpf_dispatcher_1\n"
			    "0x9000 64 3 - - 1 - ? bpf_trampoline_3\n"
			    "0x4000 64 10 - - 1 0 ? bpf_trampoline_4\n"
			    "0x5000 64 11 - - 1 1 ? bpf_trampoline_5\n");
	assert_memory_equal(world.first, "\0\0", 2);
	assert_int_equal(code_log_count(&log, NULL, NULL).listed, 5);
	assert_int_equal(code_log_count(&log, NULL, NULL).lost, 3);
	code_log_release(&log);
}

/* Memory cannot be read at all: tried once. */
static void test_no_memory(void **state)
{
	struct own own = { 0 };
	struct code_log log;

	(void)state;
	code_log_init(&log, NULL, &own);
	world.open_err = -EPERM;
	hear(&log, 0x1000, 1, false, "bpf_trampoline_1");
	code_log_look(&log, nothing, NULL);
	world.open_err = 0;
	hear(&log, 0x2000, 2, false, "bpf_trampoline_2");
	code_log_look(&log, nothing, NULL);
	assert_int_equal(world.reads, 0);
	assert_int_equal(world.ntexts, 0);
	code_log_release(&log);
}

static void loaded(struct code_log *log, uint32_t tid, uint32_t id)
{
	struct sideband_record r = { .kind = SIDEBAND_PROG, .time = 20, .pid = tid, .tid = tid };

	r.prog.event = PERF_BPF_EVENT_PROG_LOAD;
	r.prog.id = id;
	code_log_note(log, &r);
}

static void function(struct code_log *log, uint32_t tid, uint64_t addr)
{
	const struct sideband_record r = {
		.kind = SIDEBAND_KSYMBOL,
		.time = 10,
		.pid = tid,
		.tid = tid,
		.ksymbol = { .addr = addr, .len = 64, .name = "bpf_prog_a5a5a5a5a5a5a5a5_x" },
	};

	code_log_note(log, &r);
}

/* Functions of a program are listed if it is in the catalog and its answers are not in the file. */
static void test_functions(void **state)
{
	static const uint8_t tag[8];
	struct recorded r;
	struct code_log log;

	(void)state;
	world.on = false;
	recorded_begin(&r);
	catalog_note_load(&r.cat, 5, 2000, 7, tag);
	catalog_note_unload(&r.cat, 5, 2100);
	catalog_add_copy(&r.cat, &(struct captured){ .id = 6, .time = 2000, .info = { .type = 1 } });
	world.on = true;
	code_log_init(&log, NULL, &r.own);
	function(&log, 7, 0x1000);
	function(&log, 8, 0x2000);
	function(&log, 7, 0x3000);
	loaded(&log, 8, 6);
	loaded(&log, 7, 5);
	function(&log, 7, 0x4000);
	loaded(&log, 7, 9); /* not in the catalog */
	assert_string_equal(list(&log, &r.cat),
			    "0x1000 64 10 2100 5 7 - ? bpf_prog_a5a5a5a5a5a5a5a5_x\n"
			    "0x3000 64 10 2100 5 7 - ? bpf_prog_a5a5a5a5a5a5a5a5_x\n");
	assert_int_equal(log.n, 2); /* the others are old, and forgotten */
	assert_int_equal(code_log_count(&log, NULL, NULL).lost, 0);
	code_log_release(&log);
	world.on = false;
	recorded_end(&r);
}

static struct captured filter(uint32_t tid, uint64_t time, const uint64_t *addr, const uint32_t *len)
{
	struct captured c = { .classic = CAPTURED_SECCOMP, .time = time, .pid = 7, .tid = tid, .comm = "sandbox" };

	c.array[CAPTURED_JITED_KSYMS] = (struct captured_bytes){ addr, sizeof(*addr) };
	c.array[CAPTURED_JITED_FUNC_LENS] = (struct captured_bytes){ len, sizeof(*len) };
	c.array[CAPTURED_JITED] = (struct captured_bytes){ "\x42\x43", 2 };
	return c;
}

/* Classic filters: each once, although several of our programs copy it. */
static void test_classic(void **state)
{
	const uint64_t addr = 0x1000, zero = 0;
	const uint32_t len = 16, none = 0;
	struct own own = { 0 };
	struct catalog cat = { 0 };
	struct captured c = filter(7, 10000000, &addr, &len);
	struct code_log log;

	(void)state;
	code_log_init(&log, NULL, &own);
	code_log_classic(&log, &c);
	c.time += 999999;
	code_log_classic(&log, &c);
	assert_int_equal(log.classic, 1);
	c.time += 1; /* a millisecond after the first */
	code_log_classic(&log, &c);
	assert_int_equal(log.classic, 2);
	c.tid = 8; /* by another thread */
	code_log_classic(&log, &c);
	assert_int_equal(log.classic, 3);
	/* Interpreted: there is no machine code. */
	c = filter(7, 30000000, &zero, &none);
	code_log_classic(&log, &c);
	assert_int_equal(log.classic, 4);
	assert_int_equal(log.n, 3);
	/* Its code is missing. */
	c = filter(7, 50000000, &zero, &none);
	c.classic = CAPTURED_SOCKET;
	c.missing = CAPTURED_LOST;
	code_log_classic(&log, &c);
	assert_string_equal(list(&log, &cat),
			    "0x1000 16 10000000 - - 7 0 sandbox classic:seccomp\n"
			    "0x1000 16 11000000 - - 7 1 sandbox classic:seccomp\n"
			    "0x1000 16 11000000 - - 7 2 sandbox classic:seccomp\n"
			    "0x0 0 50000000 - - 7 - sandbox classic:socket\n");
	assert_int_equal(world.first[0], 0x42);
	assert_int_equal(code_log_count(&log, NULL, NULL).lost, 1);
	code_log_release(&log);
}

static void note_lost(void *ctx, const struct code *c)
{
	str_fmt(ctx, "%s ", c->name);
}

/* The next file has what is still there, read again; a classic filter whose bytes have changed was gone before it. */
static void test_next(void **state)
{
	const uint64_t addr = 0x1000, other = 0x1001;
	const uint32_t len = 2;
	struct own own = { 0 };
	struct catalog cat = { 0 };
	struct captured c = filter(7, 10000000, &addr, &len);
	struct code_log log;
	STR lost = { 0 };

	(void)state;
	code_log_init(&log, NULL, &own);
	hear(&log, 0x2000, 1, false, "bpf_trampoline_2");
	hear(&log, 0x3000, 1, false, "bpf_trampoline_3");
	hear(&log, 0x9000, 1, false, "bpf_trampoline_9");
	hear(&log, 0x3000, 2, true, "bpf_trampoline_3");
	code_log_classic(&log, &c); /* not what memory has */
	c = filter(8, 20000000, &other, &len);
	c.array[CAPTURED_JITED].p = "\x01\x02";
	code_log_classic(&log, &c);
	code_log_look(&log, nothing, NULL);
	list(&log, &cat);
	assert_int_equal(code_log_count(&log, note_lost, &lost).listed, 5);
	assert_string_equal(lost.p, "bpf_trampoline_3 bpf_trampoline_9 ");
	world.ntexts = 0;
	code_log_next(&log, NULL);
	assert_int_equal(log.n, 4);
	code_log_look(&log, nothing, NULL);
	assert_string_equal(list(&log, &cat),
			    "0x2000 64 1 - - 1 0 ? bpf_trampoline_2\n"
			    "0x9000 64 1 - - 1 - ? bpf_trampoline_9\n"
			    "0x1001 2 20000000 - - 7 1 sandbox classic:seccomp\n");
	assert_int_equal(code_log_count(&log, NULL, NULL).listed, 0);
	assert_int_equal(code_log_count(&log, NULL, NULL).lost, 0); /* counted in the first file */
	/* Its end is that of the piece from the first file. */
	hear(&log, 0x2000, 30, true, "bpf_trampoline_2");
	assert_int_equal(log.n, 4);
	/* Only what one process made. */
	cat.only_pid = 7;
	assert_string_equal(list(&log, &cat), "0x1001 2 20000000 - - 7 1 sandbox classic:seccomp\n");
	code_log_release(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gone_twice),
		cmocka_unit_test(test_own_trampoline),
		cmocka_unit_test_setup_teardown(test_texts, world_on, world_off),
		cmocka_unit_test_setup_teardown(test_no_memory, world_on, world_off),
		cmocka_unit_test_setup_teardown(test_functions, world_on, world_off),
		cmocka_unit_test_setup_teardown(test_classic, world_on, world_off),
		cmocka_unit_test_setup_teardown(test_next, world_on, world_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
