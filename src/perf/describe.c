/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/base.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "link/link.h"
#include "perf/read.h"
#include "record/field.h"
#include "source/facts.h"

struct event_label {
	const char *type, *name;
};

static const struct event_label *label_of(struct env *env, struct hash *labels, uint32_t id)
{
	struct event_label *l = hash_get(labels, id);
	ARENA_SCOPE(env->arena);
	const char *type, *name, *tag;
	struct err why = { 0 };

	if (l)
		return l;
	l = arena_alloc(env->keep, sizeof(*l));
	if (!kind_prog.label(env, env->arena, id, &type, &name, &tag, &why)) {
		l->type = arena_str(env->keep, type, SIZE_MAX);
		l->name = arena_str(env->keep, name, SIZE_MAX);
	}
	*hash_put(labels, id) = l;
	return l;
}

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
	return addr == s->addr ? s->name :
				 arena_fmt(env->keep, "%s+%#llx", s->name, (unsigned long long)(addr - s->addr));
}

void perf_describe(struct env *env, unsigned need, struct perf_rec *recs, size_t n)
{
	struct hash labels;

	hash_init(&labels, env->keep);
	for (size_t i = 0; i < n; i++) {
		struct perf_rec *r = &recs[i];

		if ((need & NEED_PROG) && r->prog_id) {
			const struct event_label *l = label_of(env, &labels, r->prog_id);

			r->prog_name = l->name;
			r->prog_type = l->type;
		}
		if (need & NEED_SYMBOLS)
			r->symbol = r->filename ? user_symbol(env, r) : address_symbol(env, r->addr);
	}
}
