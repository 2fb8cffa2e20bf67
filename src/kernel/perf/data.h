/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in data_text.c. */

#include "kernel/perf/sampling.h"
#include "kernel/perf/sideband.h"

/*
 * A file written by `perf record`: its header, the attributes of its events, and records in the kernel's format. The
 * format is described in tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h of the
 * kernel's sources. Not supported: the other byte order, files written to a pipe, compressed files, directories.
 */
struct perf_data;
struct perf_data_head {
	char event[16]; /* the event counted: "cycles", "cpu-clock"; "events" if there are several */
	uint32_t hz;	/* samples per second; 0: sampled by a number of events instead */
	bool has_clock; /* times are of @clock; else of the kernel's scheduler clock, which user space cannot read */
	int clock;	/* CLOCK_* */
	/*
	 * Of an event: members of PERF_SAMPLE_* that are at the end of other records, 0: these have no time; and its
	 * id, 0: none.
	 */
	uint64_t trailer, id;
};
/*
 * 0, or -EBADMSG, -EOPNOTSUPP or another -errno with a message. @name: the file's name, for messages; it and the bytes
 * must outlive *ret.
 */
int perf_data_open(struct perf_data **ret, const char *path, struct err *e);
int perf_data_open_mem(struct perf_data **ret, const void *p, size_t n, const char *name, struct err *e);
void perf_data_close(struct perf_data **d);
const struct perf_data_head *perf_data_head(const struct perf_data *d);
bool perf_data_is(const void *p, size_t n); /* does a file that begins with these bytes seem to be one? */

/* What perf adds at the end: an array of words, for some of them of only one. */
enum perf_data_feature {
	PERF_DATA_HOST = 3,
	PERF_DATA_RELEASE,
	PERF_DATA_VERSION, /* of perf */
	PERF_DATA_ARCH,	   /* "x86_64", as in uname(2) */
	PERF_DATA_COMMAND = 11,
	PERF_DATA_AUXTRACE = 18,  /* places in the file, of traces of the CPU: no words, nor in those below */
	PERF_DATA_DIRECTORY = 24, /* the file is one of several */
	PERF_DATA_BPF_PROGS = 25, /* programs with their code */
	PERF_DATA_BPF_BTF = 26,	  /* and their types */
	PERF_DATA_FEATURES = 64,
};
bool perf_data_has(const struct perf_data *d, unsigned f); /* an enum perf_data_feature, or another below _FEATURES */
const void *perf_data_section(const struct perf_data *d, unsigned f, size_t *ret_n); /* NULL: none, or damaged */
/* What is before the records: header, attributes, ids. NULL: some of these are elsewhere, or of an unknown kind. */
const void *perf_data_front(const struct perf_data *d, size_t *ret_n);
/* The words, separated by blanks, in the arena. NULL: there are none, or they are damaged. */
const char *perf_data_text(const struct perf_data *d, enum perf_data_feature f, struct arena *a);

/*
 * A sample, or another record of the kernel. Times are of the file's clock; 0: written by perf itself, about what
 * existed before it began.
 */
struct perf_data_item {
	bool is_sample;
	struct sample sample;
	struct sideband_record record;
	/*
	 * Its bytes; without the garbage at the end of a record that the kernel extended for other listeners (see
	 * sideband_trailer()), and without the data that follows a PERF_RECORD_AUXTRACE.
	 */
	const void *raw;
	size_t raw_size;
};
/*
 * The name of a KSYMBOL record that stands for no code: a file that bpflens wrote for perf has them where perf must not
 * put anything else (prog/samples/code_holds.h).
 */
#define PERF_DATA_HOLD "bpf_prog_unknown"
bool perf_data_is_hold(const struct sideband_record *r);
#define PERF_DATA_BEGIN 0
/*
 * The item at *at, which starts as PERF_DATA_BEGIN and is advanced. A sample can be read again at its earlier position.
 * 1; 0: the end; -EBADMSG: the file is damaged there, or incomplete; -EOPNOTSUPP: it is compressed. What the item
 * points to is valid until the next call.
 */
int perf_data_next(struct perf_data *d, uint64_t *at, struct perf_data_item *ret);
/* Set the message and hint for an error of perf_data_next(); returns e->code. */
int perf_data_error(const struct perf_data *d, int err, struct err *e);
