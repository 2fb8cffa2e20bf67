/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "kernel/perf/data.h"
#include "kernel/perf/data_file.h"

/*
 * Writes a file in the format that data.h reads, from its start to its end: what is before the records, the records,
 * and sections. Of all that, only the positions and sizes in its first part are written last, so that it must not be a
 * stream. Write errors are remembered in @out.
 */
struct perf_writer {
	struct out out;
	int fd;
	uint64_t at;	      /* bytes so far */
	uint64_t begin, end;  /* of the records */
	uint64_t trailer, id; /* as in struct perf_data_head */
	uint64_t features;
	struct section section[PERF_DATA_FEATURES]; /* the first is none */
	unsigned open;				    /* of them, to which bytes are added */
	uint32_t bpf[2]; /* numbers of entries in PERF_DATA_BPF_PROGS and PERF_DATA_BPF_BTF */
};
void perf_writer_init(struct perf_writer *w, int fd);
/* A copy of the first part of another file. */
void perf_write_front(struct perf_writer *w, const struct perf_data *like, const void *front, size_t n);
/* The first part of a file with samples of one event, at times of CLOCK_BOOTTIME. @h: its event and hz. */
void perf_write_begin(struct perf_writer *w, const struct perf_data_head *h);

/* Records. Those of the kernel have a time, 0: before all others. */
void perf_write_raw(struct perf_writer *w, const void *p, size_t n); /* whole records, or bytes of a section */
/* SIDEBAND_KSYMBOL, _PROG, _COMM and _LOST. A name is truncated at PERF_WRITE_NAME - 1 characters. */
#define PERF_WRITE_NAME 512 /* KSYM_NAME_LEN */
void perf_write_record(struct perf_writer *w, const struct sideband_record *r);
void perf_write_kernel(struct perf_writer *w, uint64_t addr, uint64_t len); /* where the kernel's own code is */
void perf_write_sample(struct perf_writer *w, const struct sample *s);	    /* after perf_write_begin() */

/*
 * After the records: the file will have these sections. Each is then begun, in ascending order, followed by its bytes;
 * those of PERF_DATA_BPF_PROGS and PERF_DATA_BPF_BTF are added one by one.
 */
void perf_write_sections(struct perf_writer *w, uint64_t features);
void perf_write_section(struct perf_writer *w, unsigned f);
void perf_write_word(struct perf_writer *w, enum perf_data_feature f, const char *word);
/* @p: an entry as it is in the file. */
void perf_write_entry(struct perf_writer *w, enum perf_data_feature f, const void *p, size_t n);
/* Completes the file and releases the buffer. 0, or -errno of the first write that failed. */
int perf_write_end(struct perf_writer *w, struct err *e);
