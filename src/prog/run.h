/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in run_types.c. */

#include "kernel/abi.h"

struct env;
struct schema;
struct doc;
struct value_plan;
/* BPF_PROG_TEST_RUN: runs a program once or several times on given data. */
struct run_request {
	int fd;
	uint32_t id;
	struct abi_prog_info info;
	const char *what;		  /* the program in messages: "program 12" */
	const struct str *data, *ctx;	  /* NULL: none */
	bool want_data, want_ctx;	  /* return the resulting data, context */
	uint32_t data_size, ctx_size;	  /* room for these in bytes; 0: enough */
	uint32_t repeat, cpu, batch_size; /* repeat 0: the default for its program type */
	bool on_cpu, live;
};
struct run_rec {
	uint32_t nr, length;			 /* number of the packet, from 1, if there are several; its bytes */
	const unsigned char *data_out, *ctx_out; /* NULL: not requested */
	uint32_t ndata_out, nctx_out;
	uint32_t retval;
	const char *verdict; /* name of retval; NULL: none */
	uint32_t duration;   /* ns per run */
	bool repeated;
	const char *data_type, *ctx_type; /* of data_out and ctx_out; NULL: unknown or not requested */
};
/* Number of packets for each return value. */
struct run_sum {
	uint32_t retval, packets;
	const char *verdict;
};
extern const struct schema run_schema, run_packet_schema, run_sum_schema;
/* Runs the program. Resulting bytes live in the arena. Sets a message that names what programs of this type need. */
int prog_run(const struct run_request *q, struct arena *a, struct run_rec *ret, struct err *e);

/* BTF type of the resulting bytes. */
struct run_type {
	const char *name; /* "struct xdp_md"; NULL: unknown */
	const struct value_plan *plan;
};
/*
 * The types of the results of program @id, in env->keep: of data that is not a packet, from the kernel's BTF; of the
 * context from there too, or from the argument of the program's function.
 */
void run_types(struct env *env, uint32_t id, const struct abi_prog_info *info, struct run_type *ret_data,
	       struct run_type *ret_ctx);
/* Writes a value of @n bytes as a member of the document; members beyond @n bytes are null. */
void run_put_typed(struct doc *d, const char *member, const struct run_type *t, const void *p, uint32_t n);
