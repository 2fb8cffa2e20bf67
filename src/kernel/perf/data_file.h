/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "kernel/perf/sideband.h"

/* The head of perf's file (tools/perf/Documentation/perf.data-file-format.txt), and the bodies of records. */
#define PERF_DATA_MAGIC 0x32454c4946524550ull /* "PERFILE2" */
struct section {
	uint64_t offset, size;
};
struct data_header {
	uint64_t magic, size, attr_size;
	struct section attrs, data, event_types;
	uint64_t flags[4];
};
#define DATA_TRAILER_WORDS 6 /* most that can follow a record: TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER */

struct ksymbol_body {
	uint64_t addr;
	uint32_t len;
	uint16_t type, flags;
};
struct prog_body {
	uint16_t type, flags;
	uint32_t id;
	unsigned char tag[SIDEBAND_TAG];
};
struct comm_body {
	uint32_t pid, tid;
};
