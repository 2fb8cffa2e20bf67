/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_PERF_DATA_H
#define KERNEL_PERF_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/sampling.h"
#include "kernel/sideband.h"

struct err;
/*
 * A file that `perf record` wrote: its header, the attributes of its events, and records as the kernel makes them. The
 * layout is that of tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h of the
 * kernel's sources. Of other byte order, written to a pipe, compressed, or a folder: refused.
 */
struct perf_data;
struct perf_data_head {
	char event[16]; /* what was counted: "cycles", "cpu-clock"; of several kinds "events" */
	uint32_t hz;	/* 0: not so many a second, but one in so many */
	bool has_clock; /* times are of that clock; else of the kernel's scheduler, which is no clock of user space */
	int clock;	/* CLOCK_* */
};
/* -EBADMSG, -EOPNOTSUPP, -errno, with a sentence. @name: of the file, for that; the bytes must outlive it. */
int perf_data_open(struct perf_data **ret, const char *path, struct err *e);
int perf_data_open_mem(struct perf_data **ret, const void *p, size_t n, const char *name, struct err *e);
void perf_data_close(struct perf_data **d);
const struct perf_data_head *perf_data_head(const struct perf_data *d);

/* A sample, or what the kernel told besides. Times are of the file's clock; 0: perf itself wrote it, of what was there
 * before. */
struct perf_data_item {
	bool is_sample;
	struct sample sample;
	struct sideband_record record;
};
#define PERF_DATA_BEGIN 0
/*
 * The item at *at, which begins with PERF_DATA_BEGIN and is moved on; a sample can be read again at a place where it
 * was. 1; 0: the end; -EBADMSG: the file is damaged there, or ends too early; -EOPNOTSUPP: it is compressed. What the
 * item points to lives until the next call.
 */
int perf_data_next(struct perf_data *d, uint64_t *at, struct perf_data_item *ret);
/* The sentence for it, and a hint; returns e->code. */
int perf_data_failed(const struct perf_data *d, int err, struct err *e);

#endif
