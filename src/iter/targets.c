/* SPDX-License-Identifier: BSD-2-Clause */

#include "types/btf.h"
#include "cli/env.h"
#include "cli/records.h"
#include "cli/select.h"
#include "iter/list.h"
#include "source/info.h"
#include "source/source.h"
#include "kernel/abi.h"

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

static void types_scan(struct env *env, const struct btf_types *t, const char *module, struct records *ret)
{
	struct iter_target *target;
	uint32_t id;

	for (id = btf_start(t); id < btf_count(t); id++) {
		const struct btf_type *type = btf_type(t, id);
		const char *name = btf_name(t, id);

		if (!str_starts(name, CONTEXT) || !type || btf_kind_of(type) != BTF_KIND_STRUCT)
			continue;
		name += strlen(CONTEXT);
		if (!btf_find(t, arena_fmt(env->arena, FUNCTION "%s", name), BTF_KIND_FUNC))
			continue;
		target = records_add(ret, env);
		target->name = arena_str(env->keep, name, SIZE_MAX);
		target->module = module;
		context_read(env, t, type, target);
		target->takes = takes(target);
	}
}

/* Add the targets of one BTF object, if it is a module's; vmlinux was scanned before. */
static void module_scan(struct env *env, uint32_t id, uint32_t vmlinux, struct records *ret)
{
	const struct btf_types *t;
	struct abi_btf_info info;
	struct err why = { 0 };
	struct blob name;
	uint32_t len;

	if (id == vmlinux || info_get(env->machine, env->arena, OBJECT_BTF, id, &info, sizeof(info), &len) ||
	    !info.kernel_btf || ask(env->machine, env->arena, &name, Q_BTF_NAME, id) ||
	    btf_get(env->machine, id, &t, &why))
		return;
	types_scan(env, t, blob_text(env->keep, &name), ret);
}

void iter_targets(struct env *env, struct records *ret)
{
	const struct btf_types *t;
	struct err why = { 0 };
	uint32_t vmlinux = 0;
	const uint32_t *ids;
	size_t i, n;

	if (btf_get_vmlinux(env->machine, &t, &vmlinux, &why)) {
		report_unread(env->report, &why);
		return;
	}
	types_scan(env, t, NULL, ret);
	if (select_all(env, &kind_btf, &ids, &n, &why))
		return;
	for (i = 0; i < n; i++) {
		ARENA_SCOPE(env->arena);

		module_scan(env, ids[i], vmlinux, ret);
	}
}
