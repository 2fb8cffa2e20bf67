/* SPDX-License-Identifier: BSD-2-Clause */
#include "../fake.h"

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "events/events.h"
#include "events/record.h"
#include "events/stream.h"
#include "kernel/abi.h"
#include "kernel/perf/sideband.h"
#include "record/view.h"
#include "render/jsonw.h"

#define SELF 4000u
#define SOMEBODY 4194305u /* not in /proc */
#define COLUMNS "event,kind,id,type,pid,comm,count"

/* What the kernel reports: records of the side-band in order, each seen when its time has come, and calls. */
static struct kernel {
	const struct sideband_record *record;
	size_t nrecords, records_read;
	const struct calls_record *call;
	size_t ncalls, calls_read, late; /* late: further calls that end while the records are read */
	uint64_t lost;
	struct sideband_count count;
	unsigned consumed;
	bool more;
} kernel;

bool __wrap_sideband_read_until(struct sideband *s, uint64_t until, sideband_handler *handle, void *ctx);
bool __wrap_sideband_read_until(struct sideband *s, uint64_t until, sideband_handler *handle, void *ctx)
{
	assert_ptr_equal(s, &kernel);
	kernel.ncalls += kernel.late;
	while (kernel.records_read < kernel.nrecords && kernel.record[kernel.records_read].time <= until)
		handle(ctx, &kernel.record[kernel.records_read++]);
	return kernel.more;
}

struct sideband_count __wrap_sideband_count(const struct sideband *s);
struct sideband_count __wrap_sideband_count(const struct sideband *s)
{
	assert_ptr_equal(s, &kernel);
	return kernel.count;
}

const struct calls_record *__wrap_calls_next(struct calls *c);
const struct calls_record *__wrap_calls_next(struct calls *c)
{
	assert_ptr_equal(c, &kernel);
	return kernel.calls_read < kernel.ncalls ? &kernel.call[kernel.calls_read++] : NULL;
}

int __wrap_calls_consume(struct calls *c);
int __wrap_calls_consume(struct calls *c)
{
	assert_ptr_equal(c, &kernel);
	kernel.consumed++;
	return 0;
}

uint64_t __wrap_calls_lost(const struct calls *c);
uint64_t __wrap_calls_lost(const struct calls *c)
{
	assert_ptr_equal(c, &kernel);
	return kernel.lost;
}

static struct stream *begin(struct fake_machine *m, bool syscalls)
{
	static struct stream s;
	struct err e = { 0 };

	fake_init(m);
	fake_set(m, "prog/ids", 0, NULL, 0);
	memset(&kernel, 0, sizeof(kernel));
	s = (struct stream){ .env = &m->env,
			     .syscalls = syscalls,
			     .sideband = (struct sideband *)&kernel,
			     .calls = (struct calls *)&kernel,
			     .self = SELF };
	assert_int_equal(programs_init(&s.programs, &m->env, &e), 0);
	followed_init(&s.followed, m->env.keep);
	tasks_init(&s.tasks);
	assert_int_equal(view_parse(&s.view, &events_schema, NULL, COLUMNS, NULL, NULL, m->env.keep, &e), 0);
	s.render = (struct render){ .ops = &render_ndjson, .out = &m->text, .arena = m->env.keep };
	s.render.jw = arena_alloc(m->env.keep, sizeof(*s.render.jw));
	jsonw_init(s.render.jw, &m->text, false);
	render_begin(&s.render);
	render_section(&s.render, &events_schema, &s.view);
	return &s;
}

static void end(struct fake_machine *m, struct stream *s)
{
	programs_release(&s->programs);
	tasks_release(&s->tasks);
	while (s->ncalls)
		free(s->call[--s->ncalls]);
	free(s->call);
	render_end(&s->render);
	fake_free(m);
}

static struct sideband_record load(uint32_t id, uint32_t pid, uint64_t time)
{
	struct sideband_record r = { .kind = SIDEBAND_PROG, .time = time, .pid = pid, .tid = pid };

	r.prog.event = PERF_BPF_EVENT_PROG_LOAD;
	r.prog.id = id;
	return r;
}

static struct sideband_record unload(uint32_t id, uint32_t pid, uint64_t time)
{
	struct sideband_record r = load(id, pid, time);

	r.prog.event = PERF_BPF_EVENT_PROG_UNLOAD;
	return r;
}

static struct calls_record map_create(uint32_t id, uint32_t pid, uint64_t end)
{
	struct calls_record r = { .begin = end - 5, .end = end, .cmd = BPF_MAP_CREATE, .result = 3, .pid = pid };

	r.size = r.got = 20;
	r.attr[0] = BPF_MAP_TYPE_HASH;
	memcpy(r.comm, "sixteen_letters_", sizeof(r.comm));
	r.made = (struct calls_object){ OBJECT_MAP + 1, id };
	return r;
}

#define MAP(id, pid) \
	"{\"event\":\"create\",\"kind\":\"map\",\"id\":" #id ",\"type\":\"hash\",\"pid\":" #pid \
	",\"comm\":\"sixteen_letters_\"}\n"

#define LOAD_XDP "{\"event\":\"load\",\"kind\":\"prog\",\"id\":5,\"type\":\"xdp\",\"pid\":4194305,\"comm\":null}\n"

/* Records and calls in the order of their ends. */
static void test_order(void **state)
{
	const struct sideband_record records[] = { load(5, SOMEBODY, 20), load(6, SELF, 40), load(7, 0, 50) };
	const struct calls_record calls[] = { map_create(1, SOMEBODY, 10), map_create(2, SOMEBODY, 20),
					      map_create(3, SOMEBODY, 30) };
	struct fake_machine m;
	struct stream *s = begin(&m, false);

	(void)state;
	kernel.record = records, kernel.nrecords = 3;
	kernel.call = calls, kernel.ncalls = 3;
	assert_false(stream_read(s));
	assert_string_equal(out_cstr(&m.text),
			    MAP(1, 4194305) MAP(2, 4194305)
			    "{\"event\":\"load\",\"kind\":\"prog\",\"id\":5,\"type\":null,\"pid\":4194305,\"comm\":null}\n"
			    MAP(3, 4194305)
			    "{\"event\":\"load\",\"kind\":\"prog\",\"id\":6,\"type\":null,\"pid\":null,\"comm\":null}\n"
			    "{\"event\":\"load\",\"kind\":\"prog\",\"id\":7,\"type\":null,\"pid\":null,\"comm\":null}\n");
	assert_int_equal(s->nprinted, 6);
	assert_true(kernel.consumed); /* there is room for further calls */
	end(&m, s);
}

/* Calls are not traced: there are programs only. */
static void test_no_calls(void **state)
{
	const struct sideband_record records[] = { load(5, SOMEBODY, 20) };
	struct fake_machine m;
	struct stream *s = begin(&m, false);

	(void)state;
	s->calls = NULL;
	kernel.record = records, kernel.nrecords = 1;
	assert_false(stream_read(s));
	assert_int_equal(s->nprinted, 1);
	end(&m, s);
}

/* Calls that end after the moment of reading wait for the records before them. */
static void test_later(void **state)
{
	const struct calls_record calls[] = { map_create(1, SOMEBODY, 10), map_create(2, SOMEBODY, UINT64_MAX - 1) };
	struct fake_machine m;
	struct stream *s = begin(&m, false);

	(void)state;
	kernel.call = calls, kernel.ncalls = 2;
	assert_true(stream_read(s));
	assert_string_equal(out_cstr(&m.text), MAP(1, 4194305));
	assert_int_equal(s->ncalls, 1);
	s->call[0]->end = 11;
	kernel.more = true;
	assert_true(stream_read(s));
	assert_string_equal(out_cstr(&m.text), MAP(1, 4194305) MAP(2, 4194305));
	assert_int_equal(s->ncalls, 0);
	end(&m, s);
}

/* Our own calls are not shown, nor those of processes that are not followed; an unload is if the load was. */
static void test_followed(void **state)
{
	const struct sideband_record records[] = {
		load(5, SOMEBODY, 20),
		load(6, SOMEBODY + 1, 21),
		unload(5, 0, 22),
		unload(6, 0, 23),
	};
	const struct calls_record calls[] = { map_create(1, SELF, 10), map_create(2, SOMEBODY, 11),
					      map_create(3, SOMEBODY + 1, 12) };
	struct fake_machine m;
	struct stream *s = begin(&m, false);

	(void)state;
	followed_add(&s->followed, SOMEBODY);
	kernel.record = records, kernel.nrecords = 4;
	kernel.call = calls, kernel.ncalls = 3;
	stream_read(s);
	assert_string_equal(out_cstr(&m.text),
			    MAP(2, 4194305)
			    "{\"event\":\"load\",\"kind\":\"prog\",\"id\":5,\"type\":null,\"pid\":4194305,\"comm\":null}\n"
			    "{\"event\":\"unload\",\"kind\":\"prog\",\"id\":5,\"type\":null,\"pid\":null,\"comm\":null}\n");
	end(&m, s);
}

/*
 * A program that was gone before its type could be asked for: the call that loaded it, which ends later, has it. There
 * is no symbol with its name if it is not translated to machine code.
 */
static void test_type(void **state)
{
	const struct sideband_record records[] = { load(5, SOMEBODY, 20) };
	struct calls_record call = {
		.begin = 15, .end = 25, .cmd = BPF_PROG_LOAD, .result = 4, .pid = SOMEBODY, .got = 8, .size = 8
	};
	struct fake_machine m;
	struct stream *s = begin(&m, false);

	(void)state;
	call.attr[0] = BPF_PROG_TYPE_XDP;
	call.made = (struct calls_object){ OBJECT_PROG + 1, 5 };
	kernel.record = records, kernel.nrecords = 1;
	kernel.call = &call, kernel.late = 1;
	stream_read(s);
	assert_string_equal(out_cstr(&m.text), LOAD_XDP);
	end(&m, s);
	/* The same when it was seen before. */
	s = begin(&m, false);
	kernel.record = records, kernel.nrecords = 1;
	kernel.call = &call, kernel.ncalls = 1;
	stream_read(s);
	assert_string_equal(out_cstr(&m.text), LOAD_XDP);
	end(&m, s);
}

/* Calls themselves: each of them, and no records of the side-band. */
static void test_syscalls(void **state)
{
	const struct sideband_record records[] = { load(5, SOMEBODY, 20) };
	struct calls_record calls[] = { map_create(1, SOMEBODY, 10), map_create(2, SELF, 11) };
	struct fake_machine m;
	struct stream *s = begin(&m, true);

	(void)state;
	calls[0].result = -EPERM;
	calls[0].made.kind = 0;
	kernel.record = records, kernel.nrecords = 1;
	kernel.call = calls, kernel.ncalls = 2;
	stream_read(s);
	assert_string_equal(
		out_cstr(&m.text),
		"{\"event\":\"map_create\",\"type\":\"hash\",\"pid\":4194305,\"comm\":\"sixteen_letters_\"}\n");
	end(&m, s);
}

static void test_limit(void **state)
{
	const struct calls_record calls[] = { map_create(1, SOMEBODY, 10), map_create(2, SOMEBODY, 11),
					      map_create(3, SOMEBODY, 12) };
	struct fake_machine m;
	struct stream *s = begin(&m, false);

	(void)state;
	s->count = 2;
	kernel.call = calls, kernel.ncalls = 1;
	stream_read(s);
	assert_false(stream_done(s));
	kernel.ncalls = 3;
	stream_read(s);
	assert_true(stream_done(s));
	assert_string_equal(out_cstr(&m.text), MAP(1, 4194305) MAP(2, 4194305));
	end(&m, s);
}

static void taken(void *ctx, const struct event_rec *rec)
{
	assert_string_equal(rec->event, "create");
	*(uint32_t *)ctx += rec->id;
}

/* Events that are passed on are not printed. */
static void test_take(void **state)
{
	const struct calls_record calls[] = { map_create(1, SOMEBODY, 10), map_create(2, SOMEBODY, 11) };
	struct fake_machine m;
	struct stream *s = begin(&m, false);
	uint32_t sum = 0;

	(void)state;
	s->take = taken;
	s->ctx = &sum;
	kernel.call = calls, kernel.ncalls = 2;
	stream_read(s);
	assert_int_equal(sum, 3);
	assert_int_equal(m.text.n, 0);
	end(&m, s);
}

static struct calls_command chosen[CALLS_COMMANDS];
void __wrap_calls_choose(struct calls *c, const struct calls_command commands[CALLS_COMMANDS]);
void __wrap_calls_choose(struct calls *c, const struct calls_command commands[CALLS_COMMANDS])
{
	assert_ptr_equal(c, &kernel);
	memcpy(chosen, commands, sizeof(chosen));
}

static void seen(void *ctx, const struct calls_record *r)
{
	*(unsigned *)ctx += r->cmd == BPF_MAP_UPDATE_ELEM;
}

/* Calls that are no events are read if somebody wants to see them. */
static void test_see(void **state)
{
	const struct calls_record calls[] = { map_create(1, SOMEBODY, 10),
					      { .cmd = BPF_MAP_UPDATE_ELEM, .pid = SOMEBODY, .end = 11 } };
	struct fake_machine m;
	struct stream *s = begin(&m, false);
	unsigned n = 0;

	(void)state;
	stream_see(s, 0);
	assert_true(chosen[BPF_MAP_UPDATE_ELEM].skip && chosen[BPF_MAP_LOOKUP_ELEM].skip &&
		    chosen[CALLS_COMMANDS - 1].skip);
	assert_false(chosen[BPF_MAP_CREATE].skip || chosen[BPF_PROG_LOAD].skip);
	stream_see(s, 1 << BPF_MAP_UPDATE_ELEM);
	assert_true(!chosen[BPF_MAP_UPDATE_ELEM].skip && chosen[BPF_MAP_LOOKUP_ELEM].skip);
	s->saw = seen;
	s->ctx = &n;
	kernel.call = calls, kernel.ncalls = 2;
	stream_read(s);
	assert_int_equal(n, 1);
	assert_string_equal(out_cstr(&m.text), MAP(1, 4194305));
	s->syscalls = true;
	stream_see(s, 0);
	assert_false(chosen[BPF_MAP_LOOKUP_ELEM].skip);
	end(&m, s);
}

/* What is lost is an event, and missing at the end. */
static void test_lost(void **state)
{
	struct sideband_record record = { .kind = SIDEBAND_LOST, .time = 5, .lost = { 12 } };
	struct fake_machine m;
	struct stream *s = begin(&m, false);

	(void)state;
	kernel.lost = 3;
	stream_read(s);
	stream_read(s);
	assert_string_equal(out_cstr(&m.text), "{\"event\":\"lost\",\"count\":3}\n");
	stream_end(s);
	assert_true(report_is_partial(&m.report));
	assert_non_null(strstr(m.report.unread_why, "the kernel lost 3 calls"));
	m.text.n = 0;
	kernel.record = &record, kernel.nrecords = 1;
	kernel.lost = 10;
	stream_read(s);
	assert_non_null(strstr(out_cstr(&m.text), "\"count\":12"));
	assert_non_null(strstr(out_cstr(&m.text), "\"count\":7"));
	end(&m, s);
}

static const char *ended(const struct sideband_count *count, int calls_why, struct fake_machine *m)
{
	struct stream *s = begin(m, false);

	kernel.count = *count;
	s->calls_why = calls_why;
	stream_end(s);
	end(m, s);
	return m->report.note;
}

static void test_end(void **state)
{
	struct fake_machine m;

	(void)state;
	assert_string_equal(ended(&(struct sideband_count){ .passed = 9, .cpus = 2 }, 0, &m), "");
	assert_false(report_is_partial(&m.report));
	ended(&(struct sideband_count){ .lost = 1 }, 0, &m);
	assert_non_null(strstr(m.report.unread_why, "the kernel lost 1 event, and 0 could not be decoded"));
	ended(&(struct sideband_count){ .bad = 2 }, 0, &m);
	assert_non_null(strstr(m.report.unread_why, "the kernel lost 0 events, and 2 could not be decoded"));
	assert_non_null(strstr(ended(&(struct sideband_count){ 0 }, -ECANCELED, &m), "--no-load forbids"));
	assert_non_null(strstr(ended(&(struct sideband_count){ 0 }, -EPERM, &m), "cannot be loaded: "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	 cmocka_unit_test(test_no_calls), cmocka_unit_test(test_later),
		cmocka_unit_test(test_followed), cmocka_unit_test(test_type),	  cmocka_unit_test(test_syscalls),
		cmocka_unit_test(test_limit),	 cmocka_unit_test(test_take),	  cmocka_unit_test(test_see),
		cmocka_unit_test(test_lost),	 cmocka_unit_test(test_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
