/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/perf_samples.h"

#include "cli/env.h"
#include "prog/samples/code_at.h"
#include "source/file/perf.h"
#include "source/samples.h"

int perf_samples_use(struct env *env, const char *path, struct err *e)
{
	struct source *s;
	int err = source_perf(&s, env->machine->src, path, e);

	if (!err)
		env->machine->src = s;
	return err;
}

struct counting {
	const struct env *env;
	const struct code_index *index;
	struct perf_addrs addrs;
};

static void addr_count(struct counting *c, uint64_t addr, uint64_t time)
{
	uint64_t off;
	const bool resolved = code_at(c->index, addr, time) || source_perf_symbol(c->env->machine->src, addr, &off);

	c->addrs.resolved += resolved;
	c->addrs.all += resolved || source_perf_is_code(c->env->machine->src, addr);
}

static void sample_count(void *ctx, const struct sample *s)
{
	if (s->user)
		return;
	addr_count(ctx, s->ip, s->time);
	/* A return address is after the call. */
	for (size_t i = 0; i < s->ncallers; i++)
		addr_count(ctx, s->callers[i] - 1, s->time);
}

struct perf_addrs perf_samples_count(struct env *env, const struct code_index *index)
{
	struct counting c = { .env = env, .index = index };
	struct err why = { 0 };

	samples_read(env->machine, env->arena, sample_count, &c);
	snprintf(env->report->note, sizeof(env->report->note),
		 "%" PRIu64 " addresses in BPF programs, %" PRIu64 " of them resolved, %" PRIu64 " not", c.addrs.all,
		 c.addrs.resolved, c.addrs.all - c.addrs.resolved);
	if (source_perf_cut(env->machine->src, &why))
		report_unread(env->report, &why);
	return c.addrs;
}
