/* SPDX-License-Identifier: BSD-2-Clause */

#include "types/btf.h"
#include "types/types_ref.h"
#include "cli/env.h"
#include "cli/records.h"
#include "iter/list.h"

/*
 * For each target the kernel has a function bpf_iter_NAME, which programs are loaded for, and a struct bpf_iter__NAME,
 * which is their context.
 */
#define CONTEXT "bpf_iter__"
#define FUNCTION "bpf_iter_"

/* Most members are pointers in unions, which make them 8 bytes long on every machine. */
static const char *member_name(const struct btf_types *t, const struct btf_member *m)
{
	const struct btf_type *type = btf_resolved(t, m->type);

	if (!m->name_off && type && btf_kind_of(type) == BTF_KIND_UNION && btf_vlen_of(type))
		m = btf_members_of(type);
	return btf_str(t, m->name_off);
}

static void context_read(struct env *env, const struct btf_types *t, const struct btf_type *s, struct iter_target *ret)
{
	const char **list = arena_array(env->keep, btf_vlen_of(s), sizeof(*list));
	unsigned i;

	for (i = 0; i < btf_vlen_of(s); i++) {
		const char *name = member_name(t, &btf_members_of(s)[i]);

		if (strcmp(name, "meta") != 0)
			list[ret->ncontext++] = arena_str(env->keep, name, SIZE_MAX);
	}
	ret->context = list;
}

static bool gets(const struct iter_target *t, const char *what)
{
	for (uint32_t i = 0; i < t->ncontext; i++)
		if (!strcmp(t->context[i], what))
			return true;
	return false;
}

static const char *takes(const struct iter_target *t)
{
	/* An iterator whose context has more than the map walks the map's elements. */
	if (gets(t, "map") && t->ncontext > 1)
		return "map";
	if (gets(t, "task"))
		return "tid pid";
	return !strcmp(t->name, "cgroup") ? "cgroup order" : NULL;
}

struct target_scan {
	struct env *env;
	struct records *ret;
};

static void types_scan(void *ctx, const struct btf_types *t, const char *module)
{
	const struct target_scan *s = ctx;
	struct iter_target *target;
	uint32_t id;

	for (id = btf_start(t); id < btf_count(t); id++) {
		const struct btf_type *type = btf_type(t, id);
		const char *name = btf_name(t, id);

		if (!str_starts(name, CONTEXT) || !type || btf_kind_of(type) != BTF_KIND_STRUCT)
			continue;
		name += strlen(CONTEXT);
		if (!btf_find(t, arena_fmt(s->env->arena, FUNCTION "%s", name), BTF_KIND_FUNC))
			continue;
		target = records_add(s->ret, s->env);
		target->name = arena_str(s->env->keep, name, SIZE_MAX);
		target->module = module ? arena_str(s->env->keep, module, SIZE_MAX) : NULL;
		context_read(s->env, t, type, target);
		target->takes = takes(target);
	}
}

void iter_targets(struct env *env, struct records *ret)
{
	struct target_scan s = { env, ret };
	struct err why = { 0 };

	if (btf_each_of_kernel(env, types_scan, &s, &why))
		report_unread(env->report, &why);
}
