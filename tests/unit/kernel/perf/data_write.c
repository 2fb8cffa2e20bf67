/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <time.h>

#include "base/base.h"
#include "kernel/perf/data_write.h"

#define CALLERS 3
static const uint64_t callers[CALLERS] = { 0xffffffff81000010, 0xffffffff81000020, 0xffffffff81000030 };
static const struct sample in_kernel = { .time = 200,
					 .ip = 0xffffffffc0001002,
					 .pid = 7,
					 .tid = 8,
					 .cpu = 1,
					 .ncallers = CALLERS,
					 .callers = callers },
			   in_user = { .time = 201, .ip = 0x401000, .pid = 7, .tid = 7, .user = true };
static const char long_name[600] = { [0 ... 598] = 'n' };
static const struct sideband_record records[] = {
	{ .kind = SIDEBAND_KSYMBOL,
	  .time = 1,
	  .ksymbol = { 0xffffffffc0001000, 64, 1, 0, "bpf_prog_0101010101010101_a" } },
	{ .kind = SIDEBAND_KSYMBOL, .time = 2, .ksymbol = { 0xffffffffc0001000, 64, 1, 1, "1234567" } },
	{ .kind = SIDEBAND_KSYMBOL, .time = 3, .ksymbol = { 0xffffffffc0002000, 64, 2, 0, long_name } },
	{ .kind = SIDEBAND_PROG, .time = 4, .prog = { PERF_BPF_EVENT_PROG_LOAD, 5, { 1, 2, 3, 4, 5, 6, 7, 8 } } },
	{ .kind = SIDEBAND_COMM, .time = 0, .comm = { 7, 8, "a thread" } },
	{ .kind = SIDEBAND_LOST, .time = 300, .lost = { 9 } },
};

static void written_open(int fd, void **p, size_t *n, struct perf_data **ret)
{
	*n = (size_t)lseek(fd, 0, SEEK_END);
	*p = mmap(NULL, *n, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_int_equal(perf_data_open_mem(ret, *p, *n, "written", NULL), 0);
}

static void assert_records(struct perf_data *d, uint64_t *at)
{
	struct perf_data_item item;

	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++) {
		const struct sideband_record *want = &records[i], *got = &item.record;

		assert_int_equal(perf_data_next(d, at, &item), 1);
		assert_false(item.is_sample);
		assert_int_equal(item.raw_size % 8, 0);
		assert_int_equal(got->kind, want->kind);
		assert_int_equal(got->time, want->time);
		if (got->kind == SIDEBAND_KSYMBOL) {
			assert_int_equal(got->ksymbol.addr, want->ksymbol.addr);
			assert_int_equal(got->ksymbol.len, want->ksymbol.len);
			assert_int_equal(got->ksymbol.ksym_type, want->ksymbol.ksym_type);
			assert_int_equal(got->ksymbol.gone, want->ksymbol.gone);
			assert_int_equal(strlen(got->ksymbol.name),
					 i == 2 ? PERF_WRITE_NAME - 1 : strlen(want->ksymbol.name));
			assert_true(str_starts(want->ksymbol.name, got->ksymbol.name));
		} else if (got->kind == SIDEBAND_PROG) {
			assert_int_equal(got->prog.id, want->prog.id);
			assert_int_equal(got->prog.event, want->prog.event);
			assert_memory_equal(got->prog.tag, want->prog.tag, sizeof(got->prog.tag));
		} else if (got->kind == SIDEBAND_COMM) {
			assert_int_equal(got->comm.tid, want->comm.tid);
			assert_string_equal(got->comm.name, want->comm.name);
		} else {
			assert_int_equal(got->lost.count, want->lost.count);
		}
	}
}

static int own_file(void)
{
	const int fd = memfd_create("own", MFD_CLOEXEC);
	struct perf_writer w;

	perf_writer_init(&w, fd);
	perf_write_begin(&w, &(const struct perf_data_head){ .event = "cycles", .hz = 999 });
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++)
		perf_write_record(&w, &records[i]);
	perf_write_kernel(&w, 0xffffffff81000000, 0x1000000);
	perf_write_sample(&w, &in_kernel);
	perf_write_sample(&w, &in_user);
	perf_write_sections(&w, 1ull << PERF_DATA_HOST | 1ull << PERF_DATA_ARCH | 1ull << PERF_DATA_BPF_PROGS |
					1ull << PERF_DATA_BPF_BTF | 1ull << 40);
	perf_write_word(&w, PERF_DATA_HOST, "a host");
	perf_write_word(&w, PERF_DATA_ARCH, "vax");
	perf_write_section(&w, PERF_DATA_BPF_PROGS);
	perf_write_section(&w, PERF_DATA_BPF_BTF);
	perf_write_entry(&w, PERF_DATA_BPF_BTF, "12345678", 8);
	perf_write_entry(&w, PERF_DATA_BPF_BTF, "123", 3);
	perf_write_section(&w, 40);
	assert_int_equal(perf_write_end(&w, NULL), 0);
	return fd;
}

static void own(void **state)
{
	CLEAN_FD fd = own_file();
	ARENA a = arena_new();
	struct perf_data *d;
	struct perf_data_item item;
	uint64_t at = PERF_DATA_BEGIN;
	const void *p;
	void *map;
	size_t n, size;

	(void)state;
	written_open(fd, &map, &n, &d);
	assert_string_equal(perf_data_head(d)->event, "cycles");
	assert_int_equal(perf_data_head(d)->hz, 999);
	assert_true(perf_data_head(d)->has_clock && perf_data_head(d)->clock == CLOCK_BOOTTIME);
	assert_records(d, &at);
	assert_int_equal(perf_data_next(d, &at, &item), 1);
	assert_int_equal(item.record.type, PERF_RECORD_MMAP);
	for (int user = 0; user < 2; user++) {
		const struct sample *want = user ? &in_user : &in_kernel;

		assert_int_equal(perf_data_next(d, &at, &item), 1);
		assert_true(item.is_sample);
		assert_int_equal(item.sample.ip, want->ip);
		assert_int_equal(item.sample.time, want->time);
		assert_int_equal(item.sample.tid, want->tid);
		assert_int_equal(item.sample.cpu, want->cpu);
		assert_int_equal(item.sample.user, want->user);
		assert_int_equal(item.sample.ncallers, want->ncallers);
		assert_memory_equal(item.sample.callers ? item.sample.callers : callers, callers, sizeof(callers));
	}
	assert_int_equal(perf_data_next(d, &at, &item), 0);
	assert_string_equal(perf_data_text(d, PERF_DATA_HOST, a), "a host");
	assert_string_equal(perf_data_text(d, PERF_DATA_ARCH, a), "vax");
	p = perf_data_section(d, PERF_DATA_BPF_PROGS, &size);
	assert_int_equal(size, 4);
	assert_memory_equal(p, &(uint32_t){ 0 }, 4);
	p = perf_data_section(d, PERF_DATA_BPF_BTF, &size);
	assert_int_equal(size, 15);
	assert_memory_equal(p, &(uint32_t){ 2 }, 4);
	assert_memory_equal((const char *)p + 4, "12345678123", 11);
	assert_non_null(perf_data_section(d, 40, &size));
	assert_int_equal(size, 0);
	assert_null(perf_data_section(d, PERF_DATA_RELEASE, &size));
	perf_data_close(&d);
	munmap(map, n);
}

/* The members of the trailer are those of the other file. */
static void like_another(void **state)
{
	static const uint64_t kinds[] = {
		PERF_SAMPLE_IP | PERF_SAMPLE_TIME,
		PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER,
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		CLEAN_FD from = own_file(), to = memfd_create("to", MFD_CLOEXEC);
		struct perf_data *d, *got;
		uint64_t at = PERF_DATA_BEGIN;
		struct perf_writer w;
		void *map, *again;
		const void *front;
		size_t n, front_n, m;

		/* sample_type, after the header and four other members of the attributes */
		assert_int_equal(pwrite(from, &kinds[i], 8, 104 + 24), 8);
		written_open(from, &map, &n, &d);
		front = perf_data_front(d, &front_n);
		assert_non_null(front);
		assert_int_equal(front_n, 104 + PERF_ATTR_SIZE_VER3 + 16);
		perf_writer_init(&w, to);
		perf_write_front(&w, d, front, front_n);
		for (size_t k = 0; k < sizeof(records) / sizeof(*records); k++)
			perf_write_record(&w, &records[k]);
		perf_write_sections(&w, 0);
		assert_int_equal(perf_write_end(&w, NULL), 0);
		written_open(to, &again, &m, &got);
		assert_records(got, &at);
		perf_data_close(&got);
		perf_data_close(&d);
		munmap(map, n);
		munmap(again, m);
	}
}

static void disk_full(void **state)
{
	CLEAN_FD fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct perf_writer w;
	struct err e = { 0 };

	(void)state;
	if (fd < 0)
		return;
	perf_writer_init(&w, fd);
	perf_write_begin(&w, &(const struct perf_data_head){ .event = "cpu-clock", .hz = 1 });
	perf_write_sections(&w, 0);
	assert_int_equal(perf_write_end(&w, &e), -ENOSPC);
	assert_string_not_equal(e.msg, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(own), cmocka_unit_test(like_another),
					    cmocka_unit_test(disk_full) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
