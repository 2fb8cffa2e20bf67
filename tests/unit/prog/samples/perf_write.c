/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include "../machine.h"
#include "kernel/abi.h"
#include "kernel/perf/data_write.h"
#include "prog/samples/code_at.h"
#include "prog/samples/perf_write.h"
#include "prog/samples/stacks.h"

/* Programs 1 and 2 are gone before the samples begin, 3 is there; the recording does not have 9. */
#define PROGS 3
static const uint32_t ids[PROGS] = { 1, 2, 3 }, len = 64;
static const uint64_t at[PROGS] = { 0xffffffffc0001000, 0xffffffffc0001000, 0xffffffffc0001020 },
		      loaded[PROGS] = { 100, 250, 1000 };
static const char lives[] =
	"recorded 50 9000\n1 100 200 7 0 copied - a\n2 250 300 7 0 copied - a\n3 1000 - 7 0 copied - a\n";

static struct scripted *recording_new(void)
{
	static struct scripted m;
	static char key[PROGS][3][32];
	static struct abi_prog_info infos[PROGS];

	scripted_init(&m);
	scripted_saved(&m);
	scripted_says(&m, "prog/ids", 0, ids, sizeof(ids));
	scripted_says(&m, "sys/lives", 0, lives, sizeof(lives) - 1);
	for (unsigned i = 0; i < PROGS; i++) {
		infos[i] = (struct abi_prog_info){ .type = 1,
						   .id = ids[i],
						   .jited_prog_len = len,
						   .nr_jited_ksyms = 1,
						   .nr_jited_func_lens = 1,
						   .load_time = loaded[i] };
		snprintf(key[i][0], sizeof(key[i][0]), "prog/%u/info", ids[i]);
		snprintf(key[i][1], sizeof(key[i][1]), "prog/%u/jited_ksyms", ids[i]);
		snprintf(key[i][2], sizeof(key[i][2]), "prog/%u/jited_func_lens", ids[i]);
		scripted_says(&m, key[i][0], 0, &infos[i], sizeof(infos[i]));
		scripted_says(&m, key[i][1], 0, &at[i], sizeof(at[i]));
		scripted_says(&m, key[i][2], 0, &len, sizeof(len));
	}
	return &m;
}

static void prog_put(struct perf_writer *w, uint64_t time, uint64_t addr, uint32_t id, bool gone)
{
	perf_write_record(w, &(const struct sideband_record){
				     .kind = SIDEBAND_KSYMBOL,
				     .time = time,
				     .ksymbol = { .addr = addr, .len = len, .gone = gone, .name = "bpf_prog_0" } });
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

/* perf lists programs before it samples, and does not see those go that go before it begins. */
static void gone_before(void **state)
{
	struct scripted *m = recording_new();
	CLEAN_FD in_fd = memfd_create("in", MFD_CLOEXEC);
	CLEAN_FD out_fd = memfd_create("out", MFD_CLOEXEC);
	uint64_t place = PERF_DATA_BEGIN;
	struct perf_data_item item;
	struct code_index *index;
	struct stack_names names;
	struct perf_data *in, *out;
	struct perf_writer w;
	unsigned there = 0, others = 0;

	(void)state;
	perf_writer_init(&w, in_fd);
	perf_write_begin(&w, &(const struct perf_data_head){ .event = "cycles" });
	prog_put(&w, 0, at[0], 1, false);
	prog_put(&w, 0, at[1], 2, false);
	prog_put(&w, 0, 0xffffffffc0009000, 9, false);
	perf_write_sample(&w, &(const struct sample){ .time = 500, .ip = at[2] });
	prog_put(&w, 1100, at[2], 3, false);
	perf_write_sample(&w, &(const struct sample){ .time = 1200, .ip = at[2] });
	perf_write_sections(&w, 0);
	assert_int_equal(perf_write_end(&w, NULL), 0);
	in = written(in_fd);

	assert_int_equal(code_index_new(&m->env, &index, NULL), 0);
	stack_names_init(&names, &m->env, index);
	assert_int_equal(perf_inject_fd(&names, in, "perf.data", out_fd, NULL), 0);
	out = written(out_fd);
	while (perf_data_next(out, &place, &item) > 0) {
		const struct sideband_record *r = &item.record;

		if (item.is_sample || r->kind != SIDEBAND_KSYMBOL)
			continue;
		if (r->ksymbol.addr == at[2]) {
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

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(gone_before) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
