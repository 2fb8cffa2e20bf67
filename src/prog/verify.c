/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/verify.h"

#include <bpf/libbpf.h>

#include "cli/env.h"
#include "cli/records.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "kernel/log.h"
#include "kernel/names.h"
#include "load/rejection.h"
#include "object/file.h"
#include "types/btf.h"

/* The names of the programs of a file, none of which is loaded. */
struct verify_names {
	struct env *env;
	const char **name;
	size_t n, room;
};

static int names_take(void *ctx, struct bpf_object *obj, struct err *e)
{
	struct verify_names *names = ctx;
	struct bpf_program *p;

	bpf_object__for_each_program(p, obj) {
		bpf_program__set_autoload(p, false);
		ARENA_MORE(names->env->keep, names->name, names->n, names->room);
		names->name[names->n++] = arena_str(names->env->keep, bpf_program__name(p), SIZE_MAX);
	}
	return 0;
}

/* Nothing is pinned; a map whose size only its loader knows gets one element. */
static void maps_set_up(struct bpf_object *obj)
{
	struct bpf_map *m;

	bpf_object__for_each_map(m, obj) {
		const unsigned type = bpf_map__type(m);

		bpf_map__set_pin_path(m, NULL);
		if (!bpf_map__max_entries(m) && type != BPF_MAP_TYPE_PERF_EVENT_ARRAY &&
		    type != BPF_MAP_TYPE_CGROUP_STORAGE && type != BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE &&
		    type != BPF_MAP_TYPE_SK_STORAGE && type != BPF_MAP_TYPE_TASK_STORAGE &&
		    type != BPF_MAP_TYPE_INODE_STORAGE && type != ABI_MAP_CGRP_STORAGE)
			bpf_map__set_max_entries(m, 1);
	}
}

/* The struct that the first argument of a function points to; NULL: none. */
static const char *context_name(const struct object *o, const char *func)
{
	const struct btf_type *t = o->btf ? btf_type(o->btf, btf_find(o->btf, func, BTF_KIND_FUNC)) : NULL;

	t = t ? btf_type(o->btf, t->type) : NULL;
	t = t && btf_kind_of(t) == BTF_KIND_FUNC_PROTO && btf_vlen_of(t) ?
		    btf_resolved(o->btf, btf_params_of(t)[0].type) :
		    NULL;
	t = t && btf_kind_of(t) == BTF_KIND_PTR ? btf_resolved(o->btf, t->type) : NULL;
	return t && btf_kind_of(t) == BTF_KIND_STRUCT ? btf_str(o->btf, t->name_off) : NULL;
}

/* A replacement of a function in another program is verified as a program of a type with the function's context. */
static void type_set_up(const struct load *l)
{
	static const struct {
		const char *context;
		enum bpf_prog_type type;
		enum bpf_attach_type attach; /* checked when it is loaded */
	} types[] = {
		{ "__sk_buff", BPF_PROG_TYPE_SCHED_CLS },
		{ "xdp_md", BPF_PROG_TYPE_XDP, BPF_XDP },
		{ "bpf_sock", BPF_PROG_TYPE_CGROUP_SOCK, BPF_CGROUP_INET4_POST_BIND },
		{ "bpf_sock_addr", BPF_PROG_TYPE_CGROUP_SOCK_ADDR, BPF_CGROUP_INET4_BIND },
		{ "bpf_sock_ops", BPF_PROG_TYPE_SOCK_OPS, BPF_CGROUP_SOCK_OPS },
		{ "bpf_sockopt", BPF_PROG_TYPE_CGROUP_SOCKOPT, BPF_CGROUP_SETSOCKOPT },
		{ "bpf_sysctl", BPF_PROG_TYPE_CGROUP_SYSCTL, BPF_CGROUP_SYSCTL },
		{ "bpf_cgroup_dev_ctx", BPF_PROG_TYPE_CGROUP_DEVICE, BPF_CGROUP_DEVICE },
		{ "sk_msg_md", BPF_PROG_TYPE_SK_MSG, BPF_SK_MSG_VERDICT },
		{ "sk_reuseport_md", BPF_PROG_TYPE_SK_REUSEPORT, BPF_SK_REUSEPORT_SELECT_OR_MIGRATE },
		{ "bpf_sk_lookup", BPF_PROG_TYPE_SK_LOOKUP, BPF_SK_LOOKUP },
		{ "bpf_perf_event_data", BPF_PROG_TYPE_PERF_EVENT },
		{ "bpf_raw_tracepoint_args", BPF_PROG_TYPE_RAW_TRACEPOINT },
		{ "pt_regs", BPF_PROG_TYPE_KPROBE },
	};
	struct bpf_program *p = l->progs[0].prog;
	const char *context =
		bpf_program__type(p) == BPF_PROG_TYPE_EXT ? context_name(l->object, bpf_program__name(p)) : NULL;

	for (size_t i = 0; context && i < ARRAY_SIZE(types); i++)
		if (!strcmp(context, types[i].context)) {
			bpf_program__set_type(p, types[i].type);
			bpf_program__set_expected_attach_type(p, types[i].attach);
		}
}

void verify_figure_set(struct verify_rec *r, enum verify_figure f, uint64_t value)
{
	r->figure[f] = value;
	r->has[f] = AVAIL_YES;
}

static void stats_take(struct verify_rec *r)
{
	if (r->stats.has != AVAIL_YES)
		return;
	verify_figure_set(r, FIGURE_INSNS, r->stats.insns);
	verify_figure_set(r, FIGURE_STATES, r->stats.states);
	verify_figure_set(r, FIGURE_PEAK_STATES, r->stats.peak_states);
}

/* Since 6.4 the kernel keeps the end of a log that is too long, before that its start. */
static void lines_take(struct env *env, const struct load *l, struct verify_rec *r)
{
	struct verified_funcs funcs;
	uint64_t sum;

	verified_funcs_find(l, env->keep, &funcs);
	sum = verified_lines_read(l->progs[0].log, &funcs, env->keep, &r->spent);

	if (r->stats.has == AVAIL_YES && sum < r->stats.insns)
		report_note(env->report,
			    "the lines of %s have %llu of %llu instructions: the verifier's log is not complete",
			    r->name, llu(sum), llu(r->stats.insns));
}

static void loaded_read(const struct load *l, struct verify_rec *r)
{
	struct abi_prog_info info = { 0 };
	uint32_t len = sizeof(info), stack;

	for (size_t i = 0; i < l->nmaps; i++)
		r->maps += l->maps[i].fd >= 0 && !l->maps[i].was;
	r->has_maps = AVAIL_YES;
	if (verified_chain(l->progs[0].prog, &r->stats, &stack))
		verify_figure_set(r, FIGURE_STACK, stack);
	if (sys_object_info(l->progs[0].fd, &info, &len))
		return;
	verify_figure_set(r, FIGURE_XLATED, info.xlated_prog_len);
	/* 0: it is interpreted, or the kernel does not show machine code */
	if (info.jited_prog_len)
		verify_figure_set(r, FIGURE_JITED, info.jited_prog_len);
}

/* "cannot load FILE: REASON" */
static const char *reason_after(const char *msg, const char *file)
{
	const char *at = strstr(msg, file);

	return at && str_starts(at + strlen(file), ": ") ? at + strlen(file) + 2 : msg;
}

/* The reason is part of the record, not of the command's failure. */
static void refusal_take(struct env *env, const struct err *why, struct verify_rec *r)
{
	const struct rejection *reason = env->report->because ? env->report->because_rec : NULL;

	env->report->because = NULL;
	r->verdict = reason ? VERDICT_REJECTED : VERDICT_FAILED;
	r->cause = reason ? reason->cause : NULL;
	if (reason)
		r->why = reason->meaning ? reason->meaning : reason->nmessages ? reason->messages[0] : NULL;
	if (!r->why)
		r->why = arena_str(env->keep, reason_after(why->msg, r->file), SIZE_MAX);
}

static void program_verify(struct env *env, struct load_request q, bool lines, struct verify_rec *r)
{
	struct err why = { 0 };
	LOAD(l);
	int err;

	q.only = r->name;
	q.log_level = lines ? VERIFIER_EACH : VERIFIER_STATS;
	r->file = q.path;
	err = load_open(&l, env, &q, &why);
	if (!err) {
		r->type = names_of(&names_prog_type, (uint64_t)bpf_program__type(l.progs[0].prog));
		maps_set_up(l.obj);
		type_set_up(&l);
		err = load_load(&l, &why);
		verifier_stats_read(&r->stats, l.progs[0].log, env->keep);
		stats_take(r);
		if (lines)
			lines_take(env, &l, r);
	}
	if (err)
		refusal_take(env, &why, r);
	else
		loaded_read(&l, r);
	log_forget();
}

int verify_file(struct env *env, const struct load_request *q, bool lines, struct records *ret, struct err *e)
{
	struct verify_names names = { .env = env };
	struct load_request all = *q;
	LOAD(l);
	int err;

	all.only = NULL;
	all.choose = names_take;
	all.choose_ctx = &names;
	err = load_open(&l, env, &all, e);
	if (err)
		return err;
	for (size_t i = 0; i < names.n; i++) {
		struct verify_rec *r;

		if (q->only && strcmp(q->only, names.name[i]))
			continue;
		r = records_add(ret, env);
		r->name = names.name[i];
		all = *q;
		all.bytes = l.q.bytes;
		all.coverage = false;
		program_verify(env, all, lines, r);
	}
	return 0;
}

int verify_uncounted(struct env *env, struct load_request *q, struct err *e)
{
	struct report unseen = report_inner(env->report);
	struct records recs = { .s = &verify_schema };
	struct load_request one = *q;
	struct env inner = *env;
	const char **names;
	int err;

	if (!q->coverage)
		return 0;
	inner.report = &unseen;
	one.loader = (struct loader_opts){ 0 };
	err = verify_file(&inner, &one, false, &recs, e);
	names = arena_array(env->keep, recs.n, sizeof(*names));
	q->uncounted.word = names;
	for (size_t i = 0; i < recs.n; i++) {
		const struct verify_rec *r = (const struct verify_rec *)recs.rec + i;

		if (r->verdict == VERDICT_REJECTED)
			names[q->uncounted.n++] = r->name;
	}
	return err;
}
