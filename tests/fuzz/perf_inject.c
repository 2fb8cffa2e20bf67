/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "machine.h"
#include "kernel/abi.h"
#include "kernel/perf/data.h"
#include "prog/samples/code_at.h"
#include "prog/samples/perf_write.h"
#include "prog/samples/stacks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A recording of two programs at one address, one after the other, the first without an end. */
static const uint64_t address = 0xffffffffc0001000;
static const uint32_t ids[] = { 5, 6 }, length = 64;
static const char lives[] = "recorded 1 0\n5 100 ? 7 0 copied - a\n6 200 900 7 0 copied - a\n", sampling[] = "",
		  kallsyms[] = "ffffffff81000000 T _text\nffffffff82000000 T _etext\n";
static struct abi_prog_info infos[2];

static int fixed(const char *key, struct blob *ret)
{
	const struct {
		const char *key;
		const void *p;
		size_t n;
	} all[] = {
		{ "prog/ids", ids, sizeof(ids) },
		{ "sys/lives", lives, sizeof(lives) - 1 },
		{ "sys/sampling", sampling, 0 },
		{ "sys/kallsyms", kallsyms, sizeof(kallsyms) - 1 },
		{ "prog/5/info", &infos[0], sizeof(*infos) },
		{ "prog/6/info", &infos[1], sizeof(*infos) },
		{ "prog/5/jited_ksyms", &address, sizeof(address) },
		{ "prog/6/jited_ksyms", &address, sizeof(address) },
		{ "prog/5/jited_func_lens", &length, sizeof(length) },
		{ "prog/6/jited_func_lens", &length, sizeof(length) },
		{ "prog/5/prog_tags", infos[0].tag, sizeof(infos->tag) },
		{ "prog/6/prog_tags", infos[1].tag, sizeof(infos->tag) },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(key, all[i].key)) {
			*ret = (struct blob){ all[i].p, all[i].n };
			return 0;
		}
	return -ENODATA;
}

/* Did perf see the code or the programs go? They may be gone before the first sample. */
static bool is_gone(struct perf_data *in)
{
	uint64_t at = PERF_DATA_BEGIN;
	struct perf_data_item item;

	while (perf_data_next(in, &at, &item) > 0) {
		const struct sideband_record *r = &item.record;

		if (!item.is_sample &&
		    ((r->kind == SIDEBAND_KSYMBOL && r->ksymbol.addr == address && r->ksymbol.gone) ||
		     (r->kind == SIDEBAND_PROG && (r->prog.id == ids[0] || r->prog.id == ids[1]))))
			return true;
	}
	return false;
}

/* What was written is whole, and has what was added. */
static void written_check(int fd, bool gone)
{
	const off_t n = lseek(fd, 0, SEEK_END);
	void *p = mmap(NULL, (size_t)n, PROT_READ, MAP_PRIVATE, fd, 0);
	uint64_t at = PERF_DATA_BEGIN;
	struct perf_data *d = NULL;
	struct perf_data_item item;
	unsigned there = 0, loads = 0;
	size_t section;
	int more;

	if (n <= 0 || p == MAP_FAILED || perf_data_open_mem(&d, p, (size_t)n, "written", NULL))
		abort();
	while ((more = perf_data_next(d, &at, &item)) > 0) {
		there += !item.is_sample && item.record.kind == SIDEBAND_KSYMBOL &&
			 item.record.ksymbol.addr == address && !item.record.ksymbol.gone;
		loads += !item.is_sample && item.record.kind == SIDEBAND_PROG && item.record.prog.event == 1;
	}
	if (more || !perf_data_section(d, PERF_DATA_BPF_PROGS, &section) || section < sizeof(uint32_t) ||
	    !perf_data_section(d, PERF_DATA_BPF_BTF, &section) || (!gone && (!there || !loads)))
		abort();
	perf_data_close(&d);
	munmap(p, (size_t)n);
}

/* Any bytes as a file of perf, to which the recording is added. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scripted m = { .saved = true, .other = fixed };
	struct env env = { 0 };
	const uint8_t *none = data;
	size_t nnone = 0;
	struct perf_data *in = NULL;
	struct code_index *index;
	struct stack_names names;
	struct err e = { 0 };
	int fd;

	for (size_t i = 0; i < 2; i++)
		infos[i] = (struct abi_prog_info){ .type = 1,
						   .id = ids[i],
						   .jited_prog_len = length,
						   .nr_jited_ksyms = 1,
						   .nr_jited_func_lens = 1,
						   .nr_prog_tags = 1,
						   .load_time = 100 * (i + 1) };
	if (perf_data_open_mem(&in, data, size, "perf.data", NULL))
		return 0;
	scripted_open(&m, &env, &none, &nnone);
	fd = memfd_create("written", MFD_CLOEXEC);
	if (fd < 0 || code_index_new(&env, &index, &e))
		abort();
	stack_names_init(&names, &env, index);
	if (!perf_inject_fd(&names, in, "perf.data", fd, &e))
		written_check(fd, is_gone(in));
	else if (!*e.msg)
		abort();
	close(fd);
	perf_data_close(&in);
	scripted_close(&env);
	return 0;
}
