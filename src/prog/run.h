/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_RUN_H
#define PROG_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"
#include "kernel/abi.h"

struct env;
struct err;
struct arena;
struct schema;
struct pcap;
struct pcap_packet;
struct doc;
struct value_plan;
/* BPF_PROG_TEST_RUN: a program run once, or often, on what it is given. */
struct run_request {
	int fd;
	uint32_t id;
	struct abi_prog_info info;
	const char *what;		  /* the program in sentences: "program 12" */
	const struct str *data, *ctx;	  /* NULL: none */
	bool want_data, want_ctx;	  /* what it left there is to be had */
	uint32_t data_size, ctx_size;	  /* room for that; 0: enough */
	uint32_t repeat, cpu, batch_size; /* repeat 0: as programs of its type take it */
	bool on_cpu, live;
};
struct run_rec {
	uint32_t nr, length;			 /* of a packet of several, from 1; its bytes */
	const unsigned char *data_out, *ctx_out; /* NULL: not asked for */
	uint32_t ndata_out, nctx_out;
	uint32_t retval;
	const char *verdict; /* the name of retval; NULL: it has none */
	uint32_t duration;   /* ns, of each run */
	bool repeated;
	const char *data_type, *ctx_type; /* of data_out and ctx_out; NULL: not known, or not asked for */
};
/* Of all packets, for each number that was returned. */
struct run_sum {
	uint32_t retval, packets;
	const char *verdict;
};
extern const struct schema run_schema, run_packet_schema, run_sum_schema;
/* Bytes live in the arena. A sentence with what programs of its type take. */
int prog_run(const struct run_request *q, struct arena *a, struct run_rec *ret, struct err *e);

/* How a program's bytes are read, by BTF. */
struct run_type {
	const char *name;
	const struct value_plan *plan;
}; /* "struct xdp_md"; NULL: not known */
/*
 * What program @id leaves, in env->keep: of data where that is no packet, by the kernel's types; of the context by
 * these, too, or else by the argument of its function.
 */
void run_types(struct env *env, uint32_t id, const struct abi_prog_info *info, struct run_type *ret_data,
	       struct run_type *ret_ctx);
/* Such a value of @n bytes, members behind them as null: a member of the document. */
void run_typed(struct doc *d, const char *member, const struct run_type *t, const void *p, uint32_t n);

#endif
