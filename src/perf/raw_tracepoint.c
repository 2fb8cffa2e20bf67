/* SPDX-License-Identifier: BSD-2-Clause */
#include "perf/raw_tracepoint.h"

#include "base/base.h"
#include "base/near.h"
#include "types/btf.h"
#include "cli/env.h"
#include "cli/select.h"
#include "kernel/abi.h"
#include "source/info.h"
#include "source/source.h"

#define PREFIX "btf_trace_"

/* Does a module have the type? True also if that is unknown. */
static bool of_a_module(struct env *env, const char *type)
{
	struct err why = { 0 };
	const uint32_t *ids;
	size_t n;

	if (select_all(env, &kind_btf, &ids, &n, &why))
		return true;
	for (size_t i = 0; i < n; i++) {
		struct abi_btf_info info;
		const struct btf_types *t;
		uint32_t len;

		if (info_get(env->machine, env->arena, OBJECT_BTF, ids[i], &info, sizeof(info), &len) ||
		    !info.kernel_btf)
			continue;
		if (btf_get(env->machine, ids[i], &t, &why) || btf_find(t, type, BTF_KIND_TYPEDEF))
			return true;
	}
	return false;
}

/* Raw tracepoints of modules without BTF are found only here. */
static bool in_tracefs(struct env *env, const char *name)
{
	struct blob b;
	const char *text, *at;
	size_t len = strlen(name);

	if (ask_silently(env->machine, env->arena, &b, Q_TRACEPOINTS))
		return false;
	text = arena_str(env->arena, (const char *)b.p, b.n);
	for (at = text; (at = strstr(at, name)); at += len)
		if (at > text && at[-1] == ':' && (at[len] == '\n' || !at[len]))
			return true;
	return false;
}

/* False: the kernel's types do not have tracepoints. */
static bool near_names(const struct btf_types *t, const char *name, struct near *ret)
{
	bool any = false;

	for (uint32_t id = 1; id < btf_count(t); id++) {
		if (!btf_type(t, id) || btf_kind_of(btf_type(t, id)) != BTF_KIND_TYPEDEF ||
		    !str_starts(btf_name(t, id), PREFIX))
			continue;
		any = true;
		near_offer(ret, name, btf_name(t, id) + strlen(PREFIX));
	}
	return any;
}

int raw_tracepoint_missing(struct env *env, const char *name, struct err *e)
{
	const struct btf_types *t;
	struct err why = { 0 };
	struct near near = { 0 };

	err_set(e, -ENOENT, "there is no tracepoint %s", name);
	if (btf_get_vmlinux(env->machine, &t, NULL, &why) || !near_names(t, name, &near) || !near.n)
		return -ENOENT;
	return near_hint(&near, e);
}

int raw_tracepoint_check(struct env *env, const char *name, struct err *e)
{
	const char *type = arena_fmt(env->keep, PREFIX "%s", name);
	const struct btf_types *t;
	struct err why = { 0 };
	struct near near = { 0 };

	if (btf_get_vmlinux(env->machine, &t, NULL, &why) || btf_find(t, type, BTF_KIND_TYPEDEF) ||
	    !near_names(t, name, &near) || in_tracefs(env, name) || of_a_module(env, type))
		return 0;
	return raw_tracepoint_missing(env, name, e);
}
