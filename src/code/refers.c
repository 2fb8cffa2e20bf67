/* SPDX-License-Identifier: BSD-2-Clause */

#include "types/btf.h"
#include "cli/env.h"
#include "kernel/abi.h"
#include "source/info.h"
#include "code/xlated.h"

/* Names of maps that were read, by id. */
struct named {
	uint32_t id;
	const char *name;
};
struct refers {
	struct env *env;
	const struct xlated *x;
	struct named *maps;
	size_t n, cap;
};

static const char *map_name(struct refers *r, uint32_t id)
{
	struct abi_map_info info;
	struct err why = { 0 };
	const char *name;

	for (size_t i = 0; i < r->n; i++)
		if (r->maps[i].id == id)
			return r->maps[i].name;
	if (map_info(r->env->machine, r->env->arena, id, &info, &why)) {
		report_unread(r->env->report, &why);
		name = "?";
	} else {
		name = arena_str(r->env->arena, info.name, strnlen(info.name, sizeof(info.name)));
	}
	ARENA_MORE(r->env->arena, r->maps, r->n, r->cap);
	r->maps[r->n++] = (struct named){ id, *name ? name : NULL };
	return r->maps[r->n - 1].name;
}

/* The variable at offset @at in the section of a map with a name such as "demo.bss", "demo.data.foo". NULL: none. */
static const char *variable(const struct refers *r, const char *map, uint32_t at)
{
	const struct btf_types *t = r->x->src.btf;
	const char *section = strchr(map, '.');
	const struct btf_type *sec = t && section ? btf_type(t, btf_find(t, section, BTF_KIND_DATASEC)) : NULL;

	for (unsigned i = 0; sec && i < btf_vlen_of(sec); i++) {
		const struct btf_var_secinfo *v = &btf_vars_of(sec)[i];
		const char *name = btf_name(t, v->type);

		if (at < v->offset || at - v->offset >= v->size)
			continue;
		return at > v->offset ? arena_fmt(r->env->arena, "%s+%u", name, at - v->offset) : name;
	}
	return NULL;
}

static const char *map_value(struct refers *r, const struct insn *insn)
{
	const char *map = map_name(r, (uint32_t)insn->imm);
	const char *var = map ? variable(r, map, (uint32_t)insn->imm2) : NULL;

	return var ? arena_fmt(r->env->arena, "%s %s", map, var) : map;
}

static const char *func_name(const struct refers *r, uint64_t at)
{
	const struct code_info *s = &r->x->src;
	const char *name = NULL;

	for (size_t i = 0; i < s->funcs.n && !name; i++)
		if (code_info_func(s, i).insn_off == at)
			name = btf_name(s->btf, code_info_func(s, i).type_id);
	return name && *name ? name : NULL;
}

void xlated_refer(struct env *env, struct xlated *x)
{
	const char **names = arena_array(env->arena, x->insns, sizeof(*names));
	struct refers r = { .env = env, .x = x };
	struct insn insn;

	for (size_t i = 0; i < x->insns; i += insn.slots) {
		insn_decode(&insn, x->image.p + i * INSN_SIZE, x->insns - i, x->big);
		if (insn.code != INSN_LDIMM64)
			continue;
		if (insn.src == INSN_SRC_MAP_FD)
			names[i] = map_name(&r, (uint32_t)insn.imm);
		else if (insn.src == INSN_SRC_MAP_VALUE)
			names[i] = map_value(&r, &insn);
		else if (insn.src == INSN_SRC_FUNC)
			names[i] = func_name(&r, i + 1 + (uint64_t)(int64_t)insn.imm);
	}
	x->refers = names;
}
