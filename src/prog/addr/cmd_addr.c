/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/addr/addr.h"

#include "cli/command.h"
#include "cli/records.h"
#include "cli/select.h"
#include "prog/addr/annotate.h"
#include "prog/addr/trace.h"
#include "record/field.h"

struct addr_opts {
	struct arg_list places;
	bool returns;
	struct records_opts records;
};

struct looked_up {
	const struct addr_opts *o;
	struct addr_index *x;
	bool life;    /* report when the code was loaded and unloaded */
	size_t found; /* addresses that are in a program */
};

static void one_find(struct env *env, struct looked_up *asked, const char *word, const struct trace_frame *f,
		     struct records *ret)
{
	struct addr_want want = { .how = f->how, .disasm = ret->need & NEED_DISASM, .life = asked->life };
	const struct addr_func *const *funcs;
	size_t n = addr_resolve(asked->x, f, &funcs);
	struct addr_rec *r;

	for (size_t i = 0; i < n; i++) {
		r = records_add(ret, env);
		r->asked = word;
		want.off = addr_off(funcs[i], f);
		asked->found += !funcs[i]->code;
		addr_describe(asked->x, funcs[i], &want, r);
	}
	if (n)
		return;
	r = records_add(ret, env);
	r->asked = word;
	r->kind = ADDR_NONE;
	if (!f->symbol)
		addr_describe_other(asked->x, f->addr, r);
}

/* True if several functions had one of the addresses. */
static bool any_reused(const struct looked_up *asked)
{
	const struct arg_list *places = &asked->o->places;
	const struct addr_func *const *funcs;
	struct trace_frame f;

	for (size_t i = 0; i < places->n; i++) {
		if (!trace_frame_parse(places->word[i], &f) || f.symbol)
			continue;
		f.how = asked->o->returns ? TRACE_RETURN : TRACE_PC;
		if (addr_resolve(asked->x, &f, &funcs) > 1)
			return true;
	}
	return false;
}

static int addresses_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	struct looked_up *asked = *(struct looked_up *const *)opts;
	const struct addr_opts *o = asked->o;
	struct trace_frame f;
	int err;

	for (size_t i = 0; i < o->places.n; i++)
		if (!trace_frame_parse(o->places.word[i], &f) && strcmp(o->places.word[i], "[bpf]"))
			return err_usage(e, "'%s' is neither an address nor bpf_prog_TAG_NAME+0xOFF",
					 o->places.word[i]);
	err = addr_index_new(env, &asked->x, e);
	if (!err && any_reused(asked))
		ret->more = "+loaded_at,gone_at";
	asked->life = ret->more || o->records.columns;
	for (size_t i = 0; !err && i < o->places.n; i++) {
		if (!trace_frame_parse(o->places.word[i], &f))
			continue;
		f.how = o->returns ? TRACE_RETURN : TRACE_PC;
		one_find(env, asked, o->places.word[i], &f, ret);
	}
	return err;
}

static int places_run(struct env *env, const struct addr_opts *o, struct err *e)
{
	const struct records_opts *r = &o->records;
	struct looked_up asked = { .o = o }, *p = &asked;
	int err = records_run(env, r, &p, addresses_collect, e);

	if (err || r->list_columns || asked.found)
		return err;
	if (o->places.n == 1)
		return addr_not_found(asked.x, e, "%s is not in a BPF program", o->places.word[0]);
	return addr_not_found(asked.x, e, "none of the %zu addresses is in a BPF program", o->places.n);
}

static int addr_run(struct env *env, const void *opts, struct err *e)
{
	const struct addr_opts *o = opts;
	const struct records_opts *r = &o->records;
	bool input = false;

	for (size_t i = 0; i < o->places.n; i++)
		input |= !strcmp(o->places.word[i], "-");
	if (!o->places.n && !r->list_columns)
		return err_usage(e, "'addr' needs at least 1 argument, 0 found");
	if (!input || r->list_columns)
		return places_run(env, o, e);
	if (o->places.n > 1 || o->returns || r->columns || r->filter || r->sort || r->noheadings)
		return err_usage(e, "'-' copies a trace: other arguments cannot be added");
	if (env->opts->from && !strcmp(env->opts->from, "-"))
		return err_usage(e, "standard input cannot be both the archive and the trace");
	return annotate_run(env, e);
}

/* Offers the symbols of programs, as in traces. */
static void offer_symbols(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer,
			  void *ctx)
{
	struct err none = { 0 };
	const uint32_t *ids;
	size_t n;

	if (select_all(env, &kind_prog, &ids, &n, &none))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct object_label l = kind_label(env, &kind_prog, ids[i]);

		if (*l.tag)
			offer(ctx, arena_fmt(env->keep, "bpf_prog_%s%s%s", l.tag, *l.name ? "_" : "", l.name),
			      arena_fmt(env->keep, "%s  id %u", l.type, ids[i]));
	}
}

static const struct arg addr_args[] = {
	ARG("ADDRESS", ARG_REST, struct addr_opts, places,
	    "hexadecimal digits, or bpf_prog_TAG_NAME+0xOFF as in traces; - reads a trace and copies it with notes",
	    .metavar = "ADDRESS", .offers = offer_symbols),
	ARG("--return", ARG_FLAG, struct addr_opts, returns,
	    "they are return addresses: describe the calls before them"),
	RECORDS_ARGS(struct addr_opts, records),
};

const struct command command_addr = {
	.name = "addr",
	.summary = "find the program, instruction and source line of addresses or of a stack trace",
	.help = "Several programs may have the tag and name of a symbol: all are listed. In a recording several "
		"programs may have had an address: all are listed in order of time; --at selects one. Exit status 3: "
		"none of the addresses is in a BPF program.",
	.example = "addr bpf_prog_2350341f69f708c9_count_exits+0x12",
	.schema = &schema_addr,
	ARGS(addr_args, struct addr_opts),
	.flags = CMD_READ | CMD_OURS | CMD_STREAM,
	.run = addr_run,
};
