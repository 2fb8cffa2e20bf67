/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/newfile.h"
#include "cli/command.h"
#include "cli/env.h"
#include "cli/select.h"
#include "kernel/bpf.h"
#include "kernel/verdicts.h"
#include "prog/pcap.h"
#include "prog/run.h"
#include "render/doc.h"

#define INPUT_MAX (16u << 20)
struct run_opts {
	struct object_ref prog;
	const char *data_in, *data_out, *ctx_in, *ctx_out, *data, *ctx, *pcap_in, *pcap_out, *expect, *cpu;
	uint32_t data_size, ctx_size, repeat, batch_size;
	bool live;
};
static const struct arg run_args[] = {
	OPERAND(NULL, ARG_OBJECT, struct run_opts, prog, "the program"),
	ARG("data_in", ARG_PATH, struct run_opts, data_in, "input data, usually a packet; - is standard input",
	    .metavar = "FILE", .rejects = "data pcap_in"),
	ARG("data_out", ARG_PATH, struct run_opts, data_out, "output file of the resulting data; - prints it",
	    .metavar = "FILE", .rejects = "pcap_in"),
	ARG("data_size_out", ARG_U32, struct run_opts, data_size,
	    "room for the resulting data in bytes; enough by default"),
	ARG("ctx_in", ARG_PATH, struct run_opts, ctx_in, "input context; - is standard input", .metavar = "FILE",
	    .rejects = "ctx"),
	ARG("ctx_out", ARG_PATH, struct run_opts, ctx_out, "output file of the resulting context; - prints it",
	    .metavar = "FILE", .rejects = "pcap_in"),
	ARG("ctx_size_out", ARG_U32, struct run_opts, ctx_size, "room for the resulting context in bytes"),
	ARG("repeat", ARG_U32, struct run_opts, repeat, "number of runs"),
	ARG("data", ARG_STR, struct run_opts, data, "input data as hexadecimal digits", .metavar = "HEX",
	    .rejects = "pcap_in"),
	ARG("ctx", ARG_STR, struct run_opts, ctx, "input context as hexadecimal digits", .metavar = "HEX"),
	ARG("pcap_in", ARG_PATH, struct run_opts, pcap_in, "file of packets: the program runs on each of them",
	    .metavar = "FILE"),
	ARG("pcap_out", ARG_PATH, struct run_opts, pcap_out, "output file of the resulting packets, in the same format",
	    .metavar = "FILE", .output = true),
	ARG("cpu", ARG_STR, struct run_opts, cpu, "run on this CPU; raw tracepoints only", .metavar = "N"),
	ARG("live", ARG_FLAG, struct run_opts, live, "for XDP: packets are really passed, sent or redirected"),
	ARG("batch_size", ARG_U32, struct run_opts, batch_size, "with live, packets in a batch"),
	ARG("expect", ARG_STR, struct run_opts, expect, "expected return value, number or name: status 1 if it differs",
	    .metavar = "RETVAL"),
};

/* "de ad:be-ef" */
static int hex_read(const char *text, struct str *ret, struct err *e)
{
	for (const char *p = text; *p; p++) {
		const int byte = num_hex_byte(p);

		if (isspace((unsigned char)*p) || strchr(":-,", *p))
			continue;
		if (num_hex_digit(*p) >= 0 && !p[1])
			return err_usage(e, "'%s' has an odd number of digits", text);
		if (byte < 0) {
			err_usage(e, "'%s' must be hexadecimal digits, two for each byte", text);
			return err_hint(e, "for example 0a1b2c; blanks, ':', '-' or ',' may separate bytes");
		}
		str_add(ret, &(char){ (char)byte }, 1);
		p++;
	}
	return 0;
}

static int run_input_read(const char *path, const char *hex, struct str *ret, struct err *e)
{
	int err;

	if (hex)
		return hex_read(hex, ret, e);
	if (!path)
		return 0;
	err = strcmp(path, "-") ? str_read_file(ret, path, INPUT_MAX) : str_read_fd(ret, STDIN_FILENO, INPUT_MAX);
	return err ? err_sys(e, err, "failed to open %s", path) : 0;
}

struct bytes {
	const unsigned char *p;
	uint32_t n;
};

/* As bpftool prints them: the offset, eight groups of two bytes, and their characters. */
static void bytes_draw(void *ctx, struct out *o)
{
	const struct bytes *b = ctx;

	for (uint32_t at = 0; at < b->n; at += 16) {
		out_fmt(o, "%07x\t", at);
		for (uint32_t i = at; i < at + 16; i++)
			out_fmt(o, i < b->n ? "%02x%s" : "  %.0x%s", i < b->n ? b->p[i] : 0, i % 2 ? " " : "");
		out_str(o, "| ");
		for (uint32_t i = at; i < at + 16 && i < b->n; i++)
			out_fmt(o, "%c%s", isprint(b->p[i]) ? b->p[i] : '.', i == at + 7 ? " " : "");
		out_char(o, '\n');
	}
}

static bool is_printed(const char *path)
{
	return path && !strcmp(path, "-");
}

/* Writes bytes to their file, or to the document. */
static int output(struct doc *d, const char *path, const unsigned char **p, uint32_t n, struct err *e)
{
	struct bytes b = { *p, n };
	int err = 0;

	if (is_printed(path)) {
		doc_draw(d, bytes_draw, &b);
		return 0;
	}
	if (path)
		err = newfile_write(path, *p, n, e);
	*p = NULL;
	return err;
}

/* The number that is expected, by name or as a number. */
static int expect_parse(const struct run_opts *o, uint32_t prog_type, uint32_t *ret, struct err *e)
{
	STR names = { 0 };

	if (verdict_parse(prog_type, o->expect, ret) || !num_parse_u32(o->expect, ret))
		return 0;
	verdict_list(prog_type, &names);
	err_usage(e, "'%s' is neither a number nor a return value of this program type", o->expect);
	return err_hint(e, "a number%s%s", names.n ? " or one of " : " from 0 to 4294967295", names.n ? names.p : "");
}

static int expected(const struct run_opts *o, const struct run_request *q, const struct run_rec *r, struct err *e)
{
	uint32_t want;

	if (!o->expect || (!expect_parse(o, q->info.type, &want, e) && r->retval == want))
		return 0;
	err_set(e, -ERANGE, "%s returned %u%s%s, not %s", q->what, r->retval, r->verdict ? " " : "",
		r->verdict ? r->verdict : "", o->expect);
	return r->nr ? err_in(e, "packet %u", r->nr) : e->code;
}

static int run_once(struct env *env, const struct run_opts *o, struct run_request *q, struct err *e)
{
	struct run_type data = { 0 }, ctx = { 0 };
	struct run_rec r, left;
	struct doc d;
	int err;

	if (is_printed(o->data_out) || is_printed(o->ctx_out))
		run_types(env, q->id, &q->info, &data, &ctx);
	err = prog_run(q, env->keep, &r, e);
	if (err)
		return err;
	left = r;
	r.data_type = is_printed(o->data_out) ? data.name : NULL;
	r.ctx_type = is_printed(o->ctx_out) ? ctx.name : NULL;
	report_doc(env->report, env->keep, &d);
	err = output(&d, o->data_out, &r.data_out, r.ndata_out, e);
	if (!err)
		err = output(&d, o->ctx_out, &r.ctx_out, r.nctx_out, e);
	if (err)
		return err;
	doc_object(&d, NULL);
	doc_fields(&d, &run_schema, &r);
	if (r.data_type)
		run_put_typed(&d, "data", &data, left.data_out, left.ndata_out);
	if (r.ctx_type)
		run_put_typed(&d, "ctx", &ctx, left.ctx_out, left.nctx_out);
	doc_end(&d);
	report_doc_end(env->report, &d);
	return expected(o, q, &r, e);
}

/* In the order in which the values were returned first. */
struct sums {
	struct arena *arena;
	struct hash of; /* by return value: its index + 1 */
	struct run_sum *sum;
	size_t n, cap;
};

static void sum_add(struct sums *s, const struct run_rec *r)
{
	void **of = hash_put(&s->of, r->retval);

	if (!*of) {
		ARENA_MORE(s->arena, s->sum, s->n, s->cap);
		s->sum[s->n++] = (struct run_sum){ .retval = r->retval, .verdict = r->verdict };
		*of = (void *)s->n;
	}
	s->sum[(uintptr_t)*of - 1].packets++;
}

/* Runs the program on the packets of the file in order; the resulting packets are collected in @left. */
static int run_packets(struct env *env, const struct run_opts *o, struct run_request *q, struct pcap *in, struct doc *d,
		       struct str *left, struct err *e)
{
	struct sums sums = { .arena = env->keep };
	struct pcap_packet packet;
	int err = 0, more;

	hash_init(&sums.of, env->keep);
	doc_list(d, "packets");
	for (uint32_t nr = 1; !err && (more = pcap_next(in, o->pcap_in, &packet, e)) > 0; nr++) {
		ARENA_SCOPE(env->arena);
		struct str data = { .p = (char *)packet.data, .n = packet.n };
		struct run_rec r;

		q->data = &data;
		err = prog_run(q, env->arena, &r, e);
		if (err) {
			err_in(e, "packet %u", nr);
			break;
		}
		r.nr = nr;
		r.length = packet.n;
		doc_record(d, &run_packet_schema, &r);
		sum_add(&sums, &r);
		if (o->pcap_out)
			pcap_add(in, &packet, r.data_out, r.ndata_out, left);
		err = expected(o, q, &r, e);
	}
	doc_end(d);
	if (err || more < 0)
		return e->code;
	doc_list(d, "verdicts");
	for (size_t i = 0; i < sums.n; i++)
		doc_record(d, &run_sum_schema, &sums.sum[i]);
	doc_end(d);
	return 0;
}

static int run_pcap(struct env *env, const struct run_opts *o, struct run_request *q, struct err *e)
{
	PCAP in = { 0 };
	STR left = { 0 };
	struct doc d;
	int err = pcap_open(&in, o->pcap_in, e);

	if (err)
		return err;
	if (in.linktype != PCAP_ETHERNET)
		return err_set(e, -EPROTONOSUPPORT, "%s: its packets are of link type %u, not Ethernet (1)", o->pcap_in,
			       in.linktype);
	q->want_data = true;
	pcap_begin(&in, &left);
	report_doc(env->report, env->keep, &d);
	doc_object(&d, NULL);
	err = run_packets(env, o, q, &in, &d, &left, e);
	doc_end(&d);
	report_doc_end(env->report, &d);
	return err || !o->pcap_out ? err : newfile_write(o->pcap_out, left.p, left.n, e);
}

static int run_run(struct env *env, const void *opts, struct err *e)
{
	const struct run_opts *o = opts;
	STR data = { 0 }, ctx = { 0 };
	struct run_request q = {
		.want_data = o->data_out,
		.want_ctx = o->ctx_out,
		.data_size = o->data_size,
		.ctx_size = o->ctx_size,
		.repeat = o->repeat,
		.on_cpu = o->cpu,
		.batch_size = o->batch_size,
		.live = o->live,
	};
	uint32_t len = sizeof(q.info), unused;
	CLEAN_FD fd = -1;
	int err;

	if (o->data_in && o->ctx_in && !strcmp(o->data_in, "-") && !strcmp(o->ctx_in, "-"))
		return err_usage(e, "cannot use standard input for both data_in and ctx_in");
	if (o->cpu && num_parse_u32(o->cpu, &q.cpu))
		return err_usage(e, "can't parse %s as CPU", o->cpu);
	fd = select_open(env, &kind_prog, &o->prog, &q.id, e);
	err = fd < 0 ? fd : run_input_read(o->data_in, o->data, &data, e);
	if (!err)
		err = run_input_read(o->ctx_in, o->ctx, &ctx, e);
	if (err)
		return err;
	q.fd = fd;
	q.what = arena_fmt(env->keep, "program %u", q.id);
	err = sys_object_info(fd, &q.info, &len);
	if (err)
		return err_sys(e, err, "%s: cannot read its info", q.what);
	/* A program may change maps: a mistake is noticed before it runs. */
	if (o->expect && expect_parse(o, q.info.type, &unused, e))
		return e->code;
	q.data = o->data_in || o->data ? &data : NULL;
	q.ctx = o->ctx_in || o->ctx ? &ctx : NULL;
	return o->pcap_in ? run_pcap(env, o, &q, e) : run_once(env, o, &q, e);
}

static const char *const run_lists[] = { "packets", "verdicts", NULL };
static const struct schema *const run_parts[] = { &run_packet_schema, &run_sum_schema, NULL };
static const struct nested run_nested = { run_parts, run_lists };
const struct command prog_run_command = {
	.name = "run",
	.summary = "run a program on test data, and show what it returns",
	.help = "The kernel runs the program independently of its attachments; what it writes to maps stays there. A "
		"packet of 14 bytes is enough. Types with only a context (syscall, raw_tracepoint) run without data "
		"and once. The resulting context, and the result of a flow dissector, are also printed as a value if "
		"BTF has their type.",
	.example = "prog run pinned /sys/fs/bpf/count data 000000000000000000000000:0800 expect PASS",
	.schema = &run_schema,
	.parts = run_parts,
	.nested = &run_nested,
	ARGS(run_args, struct run_opts),
	.flags = CMD_WRITE,
	.run = run_run,
};
