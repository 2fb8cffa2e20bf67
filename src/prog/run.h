/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_RUN_H
#define PROG_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"
#include "kernel/abi.h"

struct env; struct err; struct arena; struct schema; struct pcap; struct pcap_packet;
/* BPF_PROG_TEST_RUN: a program run once, or often, on what it is given. */
struct run_request {
	int fd;
	struct abi_prog_info info;
	const char *what;			/* the program in sentences: "program 12" */
	const struct str *data, *ctx;		/* NULL: none */
	bool want_data, want_ctx;		/* what it left there is to be had */
	uint32_t data_size, ctx_size;		/* room for that; 0: enough */
	uint32_t repeat, cpu, batch_size;	/* repeat 0: as programs of its type take it */
	bool on_cpu, live;
};
struct run_rec {
	uint32_t nr, length;			/* of a packet of several, from 1; its bytes */
	const unsigned char *data_out, *ctx_out;	/* NULL: not asked for */
	uint32_t ndata_out, nctx_out;
	uint32_t retval;
	const char *verdict;			/* the name of retval; NULL: it has none */
	uint32_t duration;			/* ns, of each run */
	bool repeated;
};
/* Of all packets, for each number that was returned. */
struct run_sum { uint32_t retval, packets; const char *verdict; };
extern const struct schema run_schema, run_packet_schema, run_sum_schema;
/* Bytes live in the arena. A sentence with what programs of its type take. */
int prog_run(const struct run_request *q, struct arena *a, struct run_rec *ret, struct err *e);

#endif
