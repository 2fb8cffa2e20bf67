/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include "placed.h"
#include "kernel/perf/data_write.h"
#include "prog/samples/code_at.h"
#include "prog/samples/perf_write.h"
#include "prog/samples/stacks.h"

/* Programs 1 and 2 are gone before the samples begin, 3 is there; the recording does not have 9. */
static const struct placed progs[] = { { 0xffffffffc0001000, 100 },
				       { 0xffffffffc0001000, 250 },
				       { 0xffffffffc0001020, 1000 } };
static const char lives[] =
	"recorded 50 9000\n1 100 200 7 0 copied - a\n2 250 300 7 0 copied - a\n3 1000 - 7 0 copied - a\n";

static void prog_put(struct perf_writer *w, uint64_t time, uint64_t addr, uint32_t id, bool gone)
{
	perf_write_record(w,
			  &(const struct sideband_record){
				  .kind = SIDEBAND_KSYMBOL,
				  .time = time,
				  .ksymbol = { .addr = addr, .len = PLACED_LEN, .gone = gone, .name = "bpf_prog_0" } });
	perf_write_record(w, &(const struct sideband_record){
				     .kind = SIDEBAND_PROG,
				     .time = time,
				     .prog = { gone ? PERF_BPF_EVENT_PROG_UNLOAD : PERF_BPF_EVENT_PROG_LOAD, id } });
}

static struct perf_data *written(int fd)
{
	const size_t n = (size_t)lseek(fd, 0, SEEK_END);
	void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	struct perf_data *d;

	assert_ptr_not_equal(p, MAP_FAILED);
	assert_int_equal(perf_data_open_mem(&d, p, n, "perf.data", NULL), 0);
	return d;
}

static void input_begin(struct perf_writer *w, int fd)
{
	perf_writer_init(w, fd);
	perf_write_begin(w, &(const struct perf_data_head){ .event = "cycles" });
}

/* The file that @w has written, and what perf_inject_fd() makes of it. */
static void inject(struct scripted *m, struct perf_writer *w, int in_fd, int out_fd, struct perf_data **in,
		   struct perf_data **out)
{
	struct code_index *index;
	struct stack_names names;

	assert_int_equal(perf_write_end(w, NULL), 0);
	*in = written(in_fd);
	assert_int_equal(code_index_new(&m->env, &index, NULL), 0);
	stack_names_init(&names, &m->env, index);
	assert_int_equal(perf_inject_fd(&names, *in, "perf.data", out_fd, NULL), 0);
	*out = written(out_fd);
}

/* perf lists programs before it samples, and does not see those go that go before it begins. */
static void gone_before(void **state)
{
	struct scripted *m = placed_new(progs, ARRAY_SIZE(progs), lives);
	CLEAN_FD in_fd = memfd_create("in", MFD_CLOEXEC);
	CLEAN_FD out_fd = memfd_create("out", MFD_CLOEXEC);
	uint64_t place = PERF_DATA_BEGIN;
	struct perf_data_item item;
	struct perf_data *in, *out;
	struct perf_writer w;
	unsigned there = 0, others = 0;

	(void)state;
	input_begin(&w, in_fd);
	prog_put(&w, 0, progs[0].at, 1, false);
	prog_put(&w, 0, progs[1].at, 2, false);
	prog_put(&w, 0, 0xffffffffc0009000, 9, false);
	perf_write_sample(&w, &(const struct sample){ .time = 500, .ip = progs[2].at });
	prog_put(&w, 1100, progs[2].at, 3, false);
	perf_write_sample(&w, &(const struct sample){ .time = 1200, .ip = progs[2].at });
	perf_write_sections(&w, 0);
	inject(m, &w, in_fd, out_fd, &in, &out);
	while (perf_data_next(out, &place, &item) > 0) {
		const struct sideband_record *r = &item.record;

		if (item.is_sample || r->kind != SIDEBAND_KSYMBOL)
			continue;
		if (r->ksymbol.addr == progs[2].at) {
			assert_int_equal(r->time, 1000);
			there++;
		} else {
			assert_int_equal(r->ksymbol.addr, 0xffffffffc0009000);
			others++;
		}
	}
	assert_int_equal(there, 1);
	assert_int_equal(others, 1);
	perf_data_close(&in);
	perf_data_close(&out);
	scripted_end(m);
}

/* perf's list has two programs that the recording has not; one says that it is longer than the list. */
static void damaged_list(void **state)
{
	struct scripted *m = placed_new(progs, ARRAY_SIZE(progs), lives);
	CLEAN_FD in_fd = memfd_create("in", MFD_CLOEXEC);
	CLEAN_FD out_fd = memfd_create("out", MFD_CLOEXEC);
	struct {
		uint32_t info_len, data_len;
		uint64_t arrays;
		uint32_t type, id;
		unsigned char tag[8];
	} entry = { .info_len = 16, .id = 20 };
	struct perf_data *in, *out;
	struct perf_writer w;
	const unsigned char *list;
	size_t n;

	(void)state;
	input_begin(&w, in_fd);
	perf_write_sample(&w, &(const struct sample){ .time = 500, .ip = progs[2].at });
	perf_write_sections(&w, 1u << PERF_DATA_BPF_PROGS);
	perf_write_section(&w, PERF_DATA_BPF_PROGS);
	perf_write_entry(&w, PERF_DATA_BPF_PROGS, &entry, sizeof(entry));
	entry.data_len = 1;
	perf_write_entry(&w, PERF_DATA_BPF_PROGS, &entry, sizeof(entry));
	inject(m, &w, in_fd, out_fd, &in, &out);
	entry.data_len = 0;
	list = perf_data_section(out, PERF_DATA_BPF_PROGS, &n);
	assert_int_equal(n, sizeof(uint32_t) + sizeof(entry));
	assert_memory_equal(list, &(const uint32_t){ 1 }, sizeof(uint32_t));
	assert_memory_equal(list + sizeof(uint32_t), &entry, sizeof(entry));
	assert_int_equal(m->report.unread, 1);
	assert_non_null(strstr(m->report.unread_why, "perf's list of BPF programs is damaged: 1 entry is left out"));
	perf_data_close(&in);
	perf_data_close(&out);
	scripted_end(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(gone_before), cmocka_unit_test(damaged_list) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
