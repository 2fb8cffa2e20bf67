/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "base/bytes.h"
#include "kernel/perf/data.h"

/* A file in perf's format: header, attributes with no ids or one, records. */
#define MAGIC (BIG_HERE ? "2ELIFREP" : "PERFILE2")
#define OTHER_MAGIC (BIG_HERE ? "PERFILE2" : "2ELIFREP")
struct header {
	char magic[8];
	uint64_t size, attr_size, attrs[2], data[2], types[2], flags[4];
};
struct attr {
	struct perf_event_attr attr;
	uint64_t ids[2];
};
struct made {
	struct header h;
	struct attr attr[2];
	uint64_t id[2];
	uint64_t records[256];
	size_t nattrs, n; /* n: words of records */
};
#define SAMPLE \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
	 PERF_SAMPLE_CALLCHAIN)

static struct made made(uint64_t sample_type)
{
	struct made m = { .nattrs = 1, .id = { 71, 72 } };

	memcpy(m.h.magic, MAGIC, sizeof(m.h.magic));
	for (size_t i = 0; i < 2; i++)
		m.attr[i] = (struct attr){
			.attr = { .type = PERF_TYPE_SOFTWARE,
				  .config = i ? PERF_COUNT_SW_DUMMY : PERF_COUNT_SW_CPU_CLOCK,
				  .size = sizeof(m.attr[i].attr),
				  .sample_type = sample_type,
				  .freq = 1,
				  .sample_freq = 4000,
				  .sample_id_all = 1,
				  .use_clockid = 1,
				  .clockid = CLOCK_MONOTONIC },
			.ids = { offsetof(struct made, id) + i * sizeof(m.id[0]), sizeof(m.id[0]) },
		};
	return m;
}

static void record(struct made *m, uint32_t type, uint16_t misc, const uint64_t *body, size_t n)
{
	const struct perf_event_header h = { type, misc, (uint16_t)(sizeof(h) + n * sizeof(*body)) };

	memcpy(&m->records[m->n], &h, sizeof(h));
	memcpy(&m->records[m->n + 1], body, n * sizeof(*body));
	m->n += n + 1;
}
#define RECORD(m, type, misc, ...) \
	record(m, type, misc, (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)
/* Two numbers, and bytes, as they follow each other in memory. */
#define PAIR(first, second) \
	(BIG_HERE ? (uint64_t)(first) << 32 | (second) : (uint64_t)(first) | (uint64_t)(second) << 32)
#define SHORTS(first, second) (BIG_HERE ? (uint32_t)(first) << 16 | (second) : (uint32_t)(first) | (second) << 16)
#define SH (BIG_HERE ? 0x7368ull << 48 : 0x6873ull)

/* In memory of exact size, so that a sanitizer notices a read past its end. */
static int opened(struct made *m, size_t size, struct perf_data **ret, unsigned char **mem, struct err *e)
{
	m->h.size = sizeof(m->h);
	m->h.attr_size = sizeof(m->attr[0]);
	m->h.attrs[0] = offsetof(struct made, attr);
	m->h.attrs[1] = m->nattrs * sizeof(m->attr[0]);
	m->h.data[0] = offsetof(struct made, records);
	m->h.data[1] = m->n * sizeof(m->records[0]);
	*mem = malloc(size + !size);
	memcpy(*mem, m, size);
	return perf_data_open_mem(ret, *mem, size, "perf.data", e);
}

static size_t whole(const struct made *m)
{
	return offsetof(struct made, records) + m->n * sizeof(m->records[0]);
}

/* The next of them is a record of this kind. */
static void assert_next(struct perf_data *d, uint64_t *at, struct perf_data_item *item, int kind)
{
	assert_int_equal(perf_data_next(d, at, item), 1);
	assert_false(item->is_sample);
	assert_int_equal(item->record.kind, kind);
}

static void samples(void **state)
{
	struct made m = made(SAMPLE);
	unsigned char *mem;
	struct perf_data *d;
	struct perf_data_item item;
	uint64_t at = PERF_DATA_BEGIN, first;

	(void)state;
	RECORD(&m, 79, 0, 1, 2); /* of perf itself, of a newer version */
	RECORD(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 0xc0001010, PAIR(7, 8), 99, 71, PAIR(3, 0), 250000, 5,
	       (uint64_t)PERF_CONTEXT_KERNEL, 0xc0001010, 0xc0002020, (uint64_t)PERF_CONTEXT_USER, 0x4040);
	RECORD(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 0x4040, PAIR(7, 8), 100, 71, 0, 1, 2,
	       (uint64_t)PERF_CONTEXT_USER, 0x4040);
	RECORD(&m, PERF_RECORD_BPF_EVENT, 0, PAIR(SHORTS(PERF_BPF_EVENT_PROG_UNLOAD, 0), 5), 0, PAIR(7, 8), 101, 71, 0,
	       0xa5a5, 0xa5a5);
	RECORD(&m, PERF_RECORD_LOST_SAMPLES, 0, 6, PAIR(7, 8), 102, 71, 0);
	assert_int_equal(opened(&m, whole(&m), &d, &mem, NULL), 0);
	assert_string_equal(perf_data_head(d)->event, "cpu-clock");
	assert_int_equal(perf_data_head(d)->hz, 4000);
	assert_true(perf_data_head(d)->has_clock && perf_data_head(d)->clock == CLOCK_MONOTONIC);
	assert_int_equal(perf_data_next(d, &at, &item), 1);
	assert_false(item.is_sample);
	first = at;
	for (int again = 0; again < 2; again++) {
		at = first;
		assert_int_equal(perf_data_next(d, &at, &item), 1);
		assert_true(item.is_sample && !item.sample.user);
		assert_int_equal(item.sample.ip, 0xc0001010);
		assert_int_equal(item.sample.pid, 7);
		assert_int_equal(item.sample.tid, 8);
		assert_int_equal(item.sample.time, 99);
		assert_int_equal(item.sample.cpu, 3);
		assert_int_equal(item.sample.ncallers, 1);
		assert_int_equal(item.sample.callers[0], 0xc0002020);
	}
	assert_int_equal(perf_data_next(d, &at, &item), 1);
	assert_true(item.is_sample && item.sample.user && !item.sample.ncallers);
	assert_next(d, &at, &item, SIDEBAND_PROG);
	assert_int_equal(item.record.prog.id, 5);
	assert_int_equal(item.record.time, 101);
	assert_next(d, &at, &item, SIDEBAND_LOST);
	assert_int_equal(item.record.lost.count, 6);
	assert_int_equal(perf_data_next(d, &at, &item), 0);
	perf_data_close(&d);
	free(mem);
}

/* The id of a record names its event: first in a sample, last elsewhere. */
static void several(void **state)
{
	struct made m = made(PERF_SAMPLE_IDENTIFIER | SAMPLE);
	unsigned char *mem;
	struct perf_data *d;
	struct perf_data_item item;
	uint64_t at = PERF_DATA_BEGIN;

	(void)state;
	m.nattrs = 2;
	m.attr[1].attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME;
	RECORD(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 71, 0xc0001010, PAIR(7, 8), 99, 71, PAIR(3, 0), 1, 0);
	RECORD(&m, PERF_RECORD_COMM, 0, PAIR(7, 8), SH, 55, 72);
	RECORD(&m, PERF_RECORD_COMM, 0, PAIR(5, 6), SH, 0, 0, 0, 0, 0);
	RECORD(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 73, 0, 0, 0, 0, 0, 0, 0);
	assert_int_equal(opened(&m, whole(&m), &d, &mem, NULL), 0);
	assert_int_equal(perf_data_next(d, &at, &item), 1);
	assert_int_equal(item.sample.ip, 0xc0001010);
	assert_next(d, &at, &item, SIDEBAND_COMM);
	assert_string_equal(item.record.comm.name, "sh");
	assert_int_equal(item.record.time, 55);
	assert_next(d, &at, &item, SIDEBAND_COMM);
	assert_int_equal(item.record.comm.tid, 6);
	assert_int_equal(perf_data_next(d, &at, &item), -EBADMSG);
	perf_data_close(&d);
	free(mem);
	m.attr[1].attr.sample_type = PERF_SAMPLE_TIME;
	assert_int_equal(opened(&m, whole(&m), &d, &mem, NULL), -EOPNOTSUPP);
	free(mem);
}

/* The bytes of an id may also be in two neighbouring ids of another event. */
static void ids_apart(void **state)
{
	struct made m = made(PERF_SAMPLE_IDENTIFIER | SAMPLE);
	const uint64_t ids[] = { 1, 2, BIG_HERE ? 1ull << 8 : 2ull << 8 };
	unsigned char *mem;
	struct perf_data *d;
	struct perf_data_item item;
	uint64_t at = PERF_DATA_BEGIN;

	(void)state;
	m.nattrs = 2;
	m.attr[1].attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	memcpy(&m.records[100], ids, sizeof(ids));
	m.attr[0].ids[0] = offsetof(struct made, records[100]);
	m.attr[0].ids[1] = 2 * sizeof(ids[0]);
	m.attr[1].ids[0] = offsetof(struct made, records[102]);
	RECORD(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, ids[2], 0xc0001010, 99);
	assert_int_equal(opened(&m, sizeof(m), &d, &mem, NULL), 0);
	assert_int_equal(perf_data_next(d, &at, &item), 1);
	assert_int_equal(item.sample.time, 99);
	perf_data_close(&d);
	free(mem);
}

/* Each fits into the file, but not both: a small file may not cost much. */
static void ids_overlap(void **state)
{
	struct made m = made(PERF_SAMPLE_IDENTIFIER | SAMPLE);
	struct err e = { 0 };
	unsigned char *mem;
	struct perf_data *d;

	(void)state;
	m.nattrs = 2;
	for (size_t i = 0; i < 2; i++) {
		m.attr[i].ids[0] = 0;
		m.attr[i].ids[1] = sizeof(m) / 2 + sizeof(uint64_t);
	}
	assert_int_equal(opened(&m, sizeof(m), &d, &mem, &e), -EBADMSG);
	assert_string_equal(e.msg, "perf.data: the header is damaged");
	free(mem);
}

/* For each length: refused, or the complete records, and then an error. */
static void cut(void **state)
{
	struct made m = made(SAMPLE | PERF_SAMPLE_READ);
	unsigned char *mem;
	struct perf_data *d;
	struct perf_data_item item;

	(void)state;
	m.attr[0].attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED;
	RECORD(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 0xc0001010, PAIR(7, 8), 99, 71, 3, 1, 2, 11, 21, 71, 22,
	       72, 1, 0xc0001010);
	RECORD(&m, 71, 0, 16); /* PERF_RECORD_AUXTRACE, and the data after it */
	m.n += 2;
	RECORD(&m, PERF_RECORD_COMM, 0, PAIR(7, 8), SH, PAIR(7, 8), 55, 71, 0);
	for (size_t n = 0; n <= whole(&m); n++) {
		int got = opened(&m, n, &d, &mem, NULL), more = got;
		uint64_t at = PERF_DATA_BEGIN, items = 0;

		assert_true(n < offsetof(struct made, id) + 8 ? got == -EBADMSG :
								n < offsetof(struct made, records) || !got);
		while (!got && (more = perf_data_next(d, &at, &item)) > 0)
			items++;
		assert_int_equal(more, n < whole(&m) ? -EBADMSG : 0);
		assert_true(n < whole(&m) || items == 3);
		if (!got)
			perf_data_close(&d);
		free(mem);
	}
}

/* A call chain is inside its record. */
static void long_chains(void **state)
{
	static const uint64_t lengths[] = { 1, 2, 3, 1ull << 20, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct made m = made(SAMPLE);
		unsigned char *mem;
		struct perf_data *d;
		struct perf_data_item item;
		uint64_t at = PERF_DATA_BEGIN;

		RECORD(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 0xc0001010, PAIR(7, 8), 99, 71, PAIR(3, 0), 1,
		       lengths[i], (uint64_t)PERF_CONTEXT_KERNEL, 0xc0001010);
		assert_int_equal(opened(&m, whole(&m), &d, &mem, NULL), 0);
		assert_int_equal(perf_data_next(d, &at, &item), lengths[i] <= 2 ? 1 : -EBADMSG);
		perf_data_close(&d);
		free(mem);
	}
}

static void refused(void **state)
{
	const struct {
		int err;
		const char *word, *hint;
	} want[] = {
		{ -EBADMSG, "not a perf.data file", "" },    { -EOPNOTSUPP, "other byte order", "" },
		{ -EOPNOTSUPP, "to a pipe", "-o FILE" },     { -EOPNOTSUPP, "no address or no time", "perf record" },
		{ -EOPNOTSUPP, "compressed", "without -z" }, { -EOPNOTSUPP, "compressed", "without -z" },
	};
	struct perf_data *d;
	struct perf_data_item item;
	unsigned char *mem;

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct made m = made(i == 3 ? SAMPLE & ~(uint64_t)PERF_SAMPLE_TIME : SAMPLE);
		uint64_t at = PERF_DATA_BEGIN, sixteen = 16;
		struct err e = { 0 };
		int err;

		if (i < 2)
			memcpy(m.h.magic, i ? OTHER_MAGIC : "PERFFILE", 8);
		RECORD(&m, i == 5 ? 83 : 81, 0, 1); /* PERF_RECORD_COMPRESSED2, PERF_RECORD_COMPRESSED */
		err = opened(&m, whole(&m), &d, &mem, &e);
		if (i == 2) {
			memcpy(mem + 8, &sixteen, sizeof(sixteen));
			perf_data_close(&d);
			err = perf_data_open_mem(&d, mem, whole(&m), "perf.data", &e);
		}
		if (!err) {
			err = perf_data_error(d, perf_data_next(d, &at, &item), &e);
			perf_data_close(&d);
		}
		assert_int_equal(err, want[i].err);
		assert_non_null(strstr(e.msg, want[i].word));
		assert_non_null(strstr(e.hint, want[i].hint));
		free(mem);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples),     cmocka_unit_test(several), cmocka_unit_test(ids_apart),
		cmocka_unit_test(ids_overlap), cmocka_unit_test(cut),	  cmocka_unit_test(long_chains),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
