/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/run.h"

#include <bpf/bpf.h>

#include "kernel/names.h"
#include "kernel/verdicts.h"
#include "record/field.h"

#define FLAG_RUN_ON_CPU 1u	/* BPF_F_TEST_RUN_ON_CPU */
#define FLAG_XDP_LIVE_FRAMES 2u /* BPF_F_TEST_XDP_LIVE_FRAMES */
#define ROOM (256u << 10)	/* a packet with fragments has 64 KiB, and programs may add to it */

#define RUN_FIELD_BYTES(m, text) FIELD_LIST(run_rec, m, n##m, FT_UINT, #m, text, .flags = FIELD_NOPLAIN | FIELD_NONZERO)

static const struct field run_fields[] = {
	RUN_FIELD_BYTES(data_out, "resulting data"),
	RUN_FIELD_BYTES(ctx_out, "resulting context"),
	FIELD(run_rec, retval, "retval", "return value of the program", .plain = "Return value: %"),
};
#define RUN_FIELDS_TIMED(text) \
	{ \
		FIELD(run_rec, duration, "duration", "duration, the average of several runs", .also = "duration_ns", \
		      .unit = FU_NSEC, .plain = text), \
			FIELD(run_rec, verdict, "verdict", "name of the return value", .flags = FIELD_NONZERO, \
			      .plain = "  %"), \
			FIELD(run_rec, data_type, "data_type", "type of data_out; 'data' is its value by this type", \
			      .flags = FIELD_NOPLAIN | FIELD_NONZERO), \
			FIELD(run_rec, ctx_type, "ctx_type", "type of ctx_out; 'ctx' is its value by this type", \
			      .flags = FIELD_NOPLAIN | FIELD_NONZERO) \
	}
static const struct field once_fields[] = RUN_FIELDS_TIMED(", duration: %ns"),
			  average_fields[] = RUN_FIELDS_TIMED(", duration (average): %ns");
static const struct schema once_schema = SCHEMA("run", run_rec, once_fields);
static const struct schema average_schema = SCHEMA("run", run_rec, average_fields);

static const struct schema *timed_schema(const void *rec)
{
	const struct run_rec *r = rec;

	return r->repeated ? &average_schema : &once_schema;
}

const struct schema run_schema = SCHEMA("run", run_rec, run_fields, .more = timed_schema);

static const struct field packet_fields[] = {
	FIELD(run_rec, nr, "packet", "number of the packet in the file, from 1", .plain = "%"),
	FIELD(run_rec, length, "length", "size of the packet in bytes", .plain = "  % bytes"),
	FIELD(run_rec, retval, "retval", "return value of the program", .plain = "  returns %"),
	FIELD(run_rec, verdict, "verdict", "name of the return value", .flags = FIELD_NONZERO, .plain = " %"),
	FIELD(run_rec, ndata_out, "length_out", "size of the resulting packet in bytes", .plain = "  leaves % bytes"),
	FIELD(run_rec, duration, "duration", "duration, the average of several runs", .also = "duration_ns",
	      .unit = FU_NSEC, .plain = "  in %ns"),
};
const struct schema run_packet_schema = SCHEMA("run_packet", run_rec, packet_fields);

static const struct field sum_fields[] = {
	FIELD(run_sum, packets, "packets", "packets with this return value", .plain = "% packet(s)"),
	FIELD(run_sum, retval, "retval", "return value of the program", .plain = " returned %"),
	FIELD(run_sum, verdict, "verdict", "name of the return value", .flags = FIELD_NONZERO, .plain = " %"),
};
const struct schema run_sum_schema = SCHEMA("run_sum", run_sum, sum_fields);

/* Program types that take only a context. */
static bool takes_ctx_only(uint32_t type)
{
	return type == ABI_PROG_SYSCALL || type == ABI_PROG_RAW_TRACEPOINT;
}

static bool takes_packet(uint32_t type)
{
	return type == ABI_PROG_SOCKET_FILTER || type == ABI_PROG_SCHED_CLS || type == ABI_PROG_SCHED_ACT ||
	       type == ABI_PROG_XDP || type == ABI_PROG_CGROUP_SKB || type == ABI_PROG_FLOW_DISSECTOR ||
	       type == ABI_PROG_NETFILTER || (type >= ABI_PROG_LWT_IN && type <= ABI_PROG_LWT_XMIT) ||
	       type == ABI_PROG_LWT_SEG6LOCAL;
}

static int run_error(const struct run_request *q, int err, struct err *e)
{
	const char *type = names_of(&names_prog_type, q->info.type);

	err_sys(e, err, "%s: failed to run program", q->what);
	if (err == -ENOTSUPP || err == -EOPNOTSUPP)
		return err_hint(e, "the kernel does not support test runs of programs of type %s",
				type ? type : "unknown");
	if (err == -EINVAL && takes_packet(q->info.type) && (!q->data || q->data->n < 14))
		return err_hint(
			e,
			"programs of type %s need a packet of at least 14 bytes: data_in FILE, data HEX or pcap_in FILE",
			type);
	if (err == -EINVAL && takes_ctx_only(q->info.type) && q->ctx && !q->data)
		return err_hint(e, "the context has %zu bytes: programs of type %s need all bytes that they read",
				q->ctx->n, type);
	if (err == -EINVAL && takes_ctx_only(q->info.type))
		return err_hint(e, "programs of type %s take only a context: ctx_in FILE", type);
	if (err == -EINVAL && q->info.type == ABI_PROG_SK_LOOKUP)
		return err_hint(e, "programs of type %s take a struct bpf_sk_lookup: ctx_in FILE", type);
	if (err == -ENOSPC)
		return err_hint(e, "the result is too large: set data_size_out or ctx_size_out to more bytes");
	return err;
}

static void *room(uint32_t asked, const struct str *in, struct arena *a, uint32_t *ret_size)
{
	*ret_size = asked ? asked : ROOM + (in ? (uint32_t)in->n : 0);
	return arena_alloc(a, *ret_size);
}

int prog_run(const struct run_request *q, struct arena *a, struct run_rec *ret, struct err *e)
{
	bool ctx_only = takes_ctx_only(q->info.type);
	LIBBPF_OPTS(bpf_test_run_opts, o, .cpu = q->cpu, .batch_size = q->batch_size);
	int err;

	o.flags = (q->on_cpu ? FLAG_RUN_ON_CPU : 0) | (q->live ? FLAG_XDP_LIVE_FRAMES : 0);
	o.repeat = (int)(q->repeat ? q->repeat : !ctx_only && !q->live);
	if (q->data) {
		o.data_in = q->data->p;
		o.data_size_in = (uint32_t)q->data->n;
	}
	if (q->ctx) {
		/* A program of type syscall writes its result to the context it is given. */
		o.ctx_in = memcpy(arena_alloc(a, q->ctx->n ? q->ctx->n : 1), q->ctx->p ? q->ctx->p : "", q->ctx->n);
		o.ctx_size_in = (uint32_t)q->ctx->n;
	}
	if (q->want_data)
		o.data_out = room(q->data_size, q->data, a, &o.data_size_out);
	if (q->want_ctx && !ctx_only)
		o.ctx_out = room(q->ctx_size, q->ctx, a, &o.ctx_size_out);
	err = bpf_prog_test_run_opts(q->fd, &o);
	if (err)
		return run_error(q, err, e);
	*ret = (struct run_rec){
		.data_out = o.data_out,
		.ndata_out = o.data_size_out,
		.ctx_out = o.ctx_out,
		.nctx_out = o.ctx_size_out,
		.retval = o.retval,
		.verdict = verdict_name(q->info.type, o.retval),
		.duration = o.duration,
		.repeated = o.repeat > 1,
	};
	if (q->want_ctx && ctx_only) {
		ret->ctx_out = o.ctx_in;
		ret->nctx_out = o.ctx_size_in;
	}
	return 0;
}
