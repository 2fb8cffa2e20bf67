/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/env.h"
#include "cli/kind.h"
#include "link/link.h"
#include "perf/read.h"
#include "record/field.h"
#include "source/facts.h"

static const char *user_symbol(struct env *env, struct perf_rec *r)
{
	const char *func = link_func_at(env, env->arena, r->pid, r->filename, r->offset, &r->file);

	r->file = arena_str(env->keep, r->file, SIZE_MAX);
	return func ? arena_str(env->keep, func, SIZE_MAX) : NULL;
}

static const char *address_symbol(struct env *env, uint64_t addr)
{
	const struct symbol *s = addr ? facts_symbol(env->machine, addr) : NULL;

	if (!s)
		return NULL;
	return addr == s->addr ? s->name : arena_fmt(env->keep, "%s+%#llx", s->name, llu(addr - s->addr));
}

void perf_describe(struct env *env, unsigned need, struct perf_rec *recs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct perf_rec *r = &recs[i];

		if ((need & NEED_PROG) && r->prog_id) {
			const struct object_label l = kind_label(env, &kind_prog, r->prog_id);

			r->prog_name = l.avail == AVAIL_YES ? l.name : NULL;
			r->prog_type = l.avail == AVAIL_YES ? l.type : NULL;
		}
		if (need & NEED_SYMBOLS)
			r->symbol = r->filename ? user_symbol(env, r) : address_symbol(env, r->addr);
	}
}
