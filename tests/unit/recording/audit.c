/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorded.h"

#include <linux/perf_event.h>

#include "kernel/perf/sideband.h"
#include "recording/audit.h"
#include "recording/code_log.h"

/* What the kernel announces, in two reads. */
static struct {
	const struct sideband_record *record;
	size_t n, read;
} ring;

bool __wrap_sideband_read(struct sideband *s, sideband_handler *handle, void *ctx);
bool __wrap_sideband_read(struct sideband *s, sideband_handler *handle, void *ctx)
{
	assert_ptr_equal(s, &ring);
	if (ring.read < ring.n)
		handle(ctx, &ring.record[ring.read++]);
	return ring.read < ring.n;
}

static struct sideband_record prog(uint32_t id, uint64_t time, uint16_t event)
{
	struct sideband_record r = { .kind = SIDEBAND_PROG, .time = time, .pid = 7, .tid = 7 };

	r.prog.id = id;
	r.prog.event = event;
	r.prog.tag[0] = 0xa5;
	return r;
}

static struct sideband_record code_gone(uint64_t addr, uint64_t time)
{
	return (struct sideband_record){ .kind = SIDEBAND_KSYMBOL,
					 .time = time,
					 .pid = 7,
					 .ksymbol = { .addr = addr, .gone = 1, .name = "bpf_prog_a5_x" } };
}

#define LOAD PERF_BPF_EVENT_PROG_LOAD
#define UNLOAD PERF_BPF_EVENT_PROG_UNLOAD

static struct audit *begin(struct recorded *r, struct code_log *log)
{
	static struct audit a;

	recorded_begin(r);
	code_log_init(log, NULL, &r->own);
	a = (struct audit){ .ring = (struct sideband *)&ring, .code = log };
	return &a;
}

static void end(struct recorded *r, struct audit *a, struct code_log *log)
{
	free(a->note);
	code_log_release(log);
	recorded_end(r);
}

static void listen_to(struct audit *a, const struct sideband_record *record, size_t n)
{
	ring.record = record;
	ring.n = n;
	ring.read = 0;
	audit_listen(a);
	assert_int_equal(ring.read, n);
}

static void copied(struct recorded *r, uint32_t id, uint64_t time, uint64_t addr)
{
	struct captured c = { .id = id, .time = time, .info = { .type = 1, .load_time = time }, .info_len = 100 };

	c.array[CAPTURED_JITED_KSYMS] = (struct captured_bytes){ &addr, sizeof(addr) };
	catalog_add_copy(&r->cat, &c);
}

/* Announcements reach the catalog up to the time of the copies that are in it. */
static void test_pass(void **state)
{
	const struct sideband_record records[] = { prog(5, 2000, LOAD), prog(6, 2001, LOAD), prog(5, 2002, UNLOAD),
						   prog(6, 2003, 77) };
	struct code_log log;
	struct recorded r;
	struct audit *a = begin(&r, &log);

	(void)state;
	listen_to(a, records, 4);
	audit_pass(a, &r.cat, 1999);
	assert_int_equal(r.cat.n, 0);
	audit_pass(a, &r.cat, 2001);
	assert_int_equal(r.cat.n, 2);
	assert_false(recorded_find(&r, 5)->life.gone);
	assert_int_equal(recorded_find(&r, 5)->announced_pid, 7);
	assert_int_equal(recorded_find(&r, 5)->tag[0], 0xa5);
	audit_pass(a, &r.cat, 5000);
	assert_true(recorded_find(&r, 5)->life.gone);
	assert_int_equal(recorded_find(&r, 5)->life.gone_at, 2002);
	assert_false(recorded_find(&r, 6)->life.gone);
	assert_int_equal(a->n, 0);
	end(&r, a, &log);
}

/* Our own programs; after the end, unloads but no loads. A process that has exited is unknown. */
static void test_taken(void **state)
{
	struct sideband_record records[] = { prog(5, 2000, LOAD), prog(6, 2001, LOAD), prog(7, 2002, LOAD),
					     prog(6, 2003, UNLOAD) };
	struct code_log log;
	struct recorded r;
	struct audit *a = begin(&r, &log);

	(void)state;
	records[0].pid = (uint32_t)getpid();
	records[1].pid = UINT32_MAX;
	a->until = 2001;
	listen_to(a, records, 4);
	audit_pass(a, &r.cat, UINT64_MAX);
	assert_int_equal(r.cat.n, 1);
	assert_int_equal(recorded_find(&r, 6)->announced_pid, 0);
	assert_true(recorded_find(&r, 6)->life.gone);
	end(&r, a, &log);
}

/* At the end of a file: what is not about its programs is only for the next one. */
static void test_known(void **state)
{
	const struct sideband_record records[] = { prog(5, 2000, LOAD),	    prog(5, 2004, UNLOAD),
						   prog(6, 2005, LOAD),	    code_gone(0x8000, 2006),
						   code_gone(0x9000, 2007), prog(6, 2008, UNLOAD) };
	struct catalog next;
	struct code_log log;
	struct recorded r;
	struct audit *a = begin(&r, &log);

	(void)state;
	copied(&r, 5, 2001, 0x1000);
	copied(&r, 8, 2002, 0x8000);
	listen_to(a, records, 6);
	audit_pass(a, &r.cat, 2000);
	assert_int_equal(a->passed, 1);
	audit_pass_known(a, &r.cat);
	assert_true(recorded_find(&r, 5)->life.gone);
	assert_int_equal(recorded_find(&r, 8)->life.gone_at, 2006);
	assert_null(recorded_find(&r, 6));
	catalog_prepare(&r.cat, &next, r.file);
	catalog_carry(&r.cat, 3000);
	audit_pass(a, &next, UINT64_MAX);
	assert_int_equal(a->n, 0);
	assert_int_equal(next.n, 1);
	assert_int_equal(next.all[0]->life.id, 6);
	assert_int_equal(next.all[0]->life.loaded, 2005);
	assert_int_equal(next.all[0]->life.gone_at, 2008);
	catalog_release(&next);
	end(&r, a, &log);
}

/* All of it also goes to the log of code that belongs to no program. */
static void test_code(void **state)
{
	struct sideband_record records[] = { code_gone(0x8000, 2000), code_gone(0x9000, 2002) };
	struct code_log log;
	struct recorded r;
	struct audit *a = begin(&r, &log);

	(void)state;
	records[0].ksymbol.name = records[1].ksymbol.name = "bpf_trampoline_1";
	a->until = 2001;
	listen_to(a, records, 2);
	assert_int_equal(log.n, 1);
	end(&r, a, &log);
}

static void test_closed(void **state)
{
	struct audit a = { 0 };

	(void)state;
	audit_listen(&a);
	assert_int_equal(audit_lost(&a), 0);
	audit_close(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pass), cmocka_unit_test(test_taken),  cmocka_unit_test(test_known),
		cmocka_unit_test(test_code), cmocka_unit_test(test_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
