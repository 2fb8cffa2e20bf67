/* SPDX-License-Identifier: BSD-2-Clause */
#include "gen/object.h"

#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "types/btf.h"
#include "types/library.h"
#include "types/nesting.h"
#include "cli/env.h"
#include "gen/ident.h"
#include "host/elf/elf.h"
#include "kernel/abi.h"
#include "kernel/log.h"
#include "object/file.h"
#include "object/refusals.h"

#define ARENA_SECTION ".addr_space.1"

/* A header without @what would do nothing, in silence. */
static int cannot_have(struct err *e, const char *name, const char *what)
{
	err_set(e, -ENOTSUP, "%s: this bpflens is linked with libbpf %s, which has no %s", name, log_library(), what);
	return err_hint(e, "build it with libbpf 1.5 or newer");
}

/* A name in C that was not used yet: other compilers have names that are the same in C, and a map may be named data. */
static const char *ident_new(struct keys *used, struct arena *a, const char *name)
{
	const char *first = ident_make(a, *name ? name : "_", IDENT_ANY), *ret = first;
	void **slot = keys_put(used, first), **own = slot;
	uintptr_t n = slot ? (uintptr_t)*slot : 0;

	while (own && *own) {
		ret = arena_fmt(a, "%s_%ju", first, (uintmax_t)++n);
		own = keys_put(used, ret);
	}
	if (own)
		*own = (void *)1;
	if (slot)
		*slot = (void *)(n ? n : 1);
	return ret;
}

static int var_cmp(const void *pa, const void *pb)
{
	const struct gen_var *a = pa, *b = pb;

	return NUM_CMP(a->off, b->off);
}

/* Read the variables of a section that are not static. */
static int vars_read(const struct gen_object *o, struct env *env, uint32_t id, struct gen_map *m, struct err *e)
{
	const struct btf_type *sec = o->types ? btf_type(o->types, id) : NULL;
	struct gen_var *vars;
	struct keys used;
	size_t n = 0;

	if (!sec || btf_kind_of(sec) != BTF_KIND_DATASEC)
		return 0;
	keys_init(&used, env->keep);
	m->vars = vars = arena_array(env->keep, btf_vlen_of(sec), sizeof(*vars));
	for (unsigned i = 0; i < btf_vlen_of(sec); i++) {
		const struct btf_var_secinfo *v = btf_vars_of(sec) + i;
		const struct btf_type *var = btf_type(o->types, v->type);

		if (!var || btf_kind_of(var) != BTF_KIND_VAR ||
		    ((const struct btf_var *)(var + 1))->linkage == BTF_VAR_STATIC)
			continue;
		vars[n] = (struct gen_var){ .name = btf_name(o->types, v->type), .type = var->type, .off = v->offset };
		vars[n].ident = ident_new(&used, env->keep, vars[n].name);
		if (btf_size(o->types, var->type, &vars[n].size))
			return err_set(e, -EBADMSG, "the type of variable %s has no size", vars[n].name);
		n++;
	}
	m->nvars = n;
	qsort(vars, n, sizeof(*vars), var_cmp);
	for (size_t i = 1; i < n; i++)
		if (vars[i].off < vars[i - 1].off + vars[i - 1].size)
			return err_set(e, -EBADMSG, "variables %s and %s overlap", vars[i - 1].name, vars[i].name);
	return 0;
}

/* The type id of the variable's struct; 0: not a struct. */
static uint32_t struct_of(const struct btf_types *t, uint32_t var)
{
	const struct btf_type *type = btf_type(t, var);
	uint32_t id = type && btf_kind_of(type) == BTF_KIND_VAR ? btf_resolve(t, type->type) : 0;

	return id && btf_kind_of(btf_type(t, id)) == BTF_KIND_STRUCT ? id : 0;
}

static struct gen_map *ops_find(const struct gen_object *o, const char *name)
{
	for (size_t i = 0; i < o->nmaps; i++)
		if (o->maps[i].struct_ops && !strcmp(o->maps[i].name, name))
			return &o->maps[i];
	return NULL;
}

/* The type of a struct_ops map is that of the variable that defines it. */
static int gen_ops_read(struct gen_object *o, struct env *env, struct err *e)
{
	for (uint32_t id = 1; o->types && id < btf_count(o->types); id++) {
		const struct btf_type *sec = btf_type(o->types, id);
		const char *name = btf_name(o->types, id);

		if (btf_kind_of(sec) != BTF_KIND_DATASEC || !str_starts(name + (*name == '?'), ".struct_ops"))
			continue;
		for (unsigned i = 0; i < btf_vlen_of(sec); i++) {
			uint32_t var = btf_vars_of(sec)[i].type, type = struct_of(o->types, var);
			struct gen_map *m = ops_find(o, btf_name(o->types, var));

			if (!m)
				return cannot_have(e, btf_name(o->types, var),
						   arena_fmt(env->keep, "section %s", name));
			if (!type || m->ops_type)
				continue;
			m->ops_type = type;
			m->ops_ident = ident_make(env->keep, btf_name(o->types, type), IDENT_ANY);
			o->nops++;
		}
	}
	return 0;
}

/* The section ".rodata" in "object_b.rodata", the name of the map that libbpf makes of it; NULL: not a data section. */
static const char *section_of(const char *map)
{
	static const char *const known[] = { ".data", ".rodata", ".bss", ".kconfig" };
	const char *dot = strchr(map, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(known); i++)
		if (str_starts(dot, known[i]))
			return dot;
	return NULL;
}

static int arena_read(const struct gen_object *o, struct env *env, struct bpf_map *map, struct gen_map *m,
		      struct err *e)
{
	uint32_t id = o->types ? btf_find(o->types, ARENA_SECTION, BTF_KIND_DATASEC) : 0;
	size_t size;

	if (!id)
		return 0;
	if (!bpf_map__initial_value(map, &size))
		return cannot_have(e, m->name, "variables in arenas");
	m->data = "arena";
	return vars_read(o, env, id, m, e);
}

static int gen_map_read(struct gen_object *o, struct env *env, struct bpf_map *map, struct err *e)
{
	struct gen_map *m = &o->maps[o->nmaps];

	*m = (struct gen_map){ .map = map,
			       .name = bpf_map__name(map),
			       .struct_ops = bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS };
	if (bpf_map__is_internal(map)) {
		m->section = section_of(m->name);
		if (!m->section) {
			o->left_out = m->name;
			report_note(env->report, "map %s is left out: libbpf made it from an unknown section", m->name);
			return 0;
		}
	}
	m->ident = ident_new(&o->idents, env->keep, m->section ? m->section + 1 : m->name);
	m->data = m->section && bpf_map__map_flags(map) & BPF_F_MMAPABLE ?
			  ident_new(&o->sections, env->keep, m->section + 1) :
			  NULL;
	o->nmaps++;
	if (m->data)
		return vars_read(o, env, bpf_map__btf_value_type_id(map), m, e);
	if ((uint32_t)bpf_map__type(map) == ABI_MAP_ARENA)
		return arena_read(o, env, map, m, e);
	o->links_maps |= m->struct_ops;
	return 0;
}

static int gen_parts_read(struct gen_object *o, struct env *env, struct err *e)
{
	struct bpf_program *prog;
	struct bpf_map *map;
	size_t nprogs = 0, nmaps = 0;
	struct keys used;
	int err = 0;

	keys_init(&used, env->keep);
	keys_init(&o->idents, env->keep);
	keys_init(&o->sections, env->keep);
	bpf_object__for_each_map(map, o->obj)
		nmaps++;
	bpf_object__for_each_program(prog, o->obj)
		nprogs++;
	o->maps = arena_array(env->keep, nmaps, sizeof(*o->maps));
	o->progs = arena_array(env->keep, nprogs, sizeof(*o->progs));
	bpf_object__for_each_map(map, o->obj)
		err = err ? err : gen_map_read(o, env, map, e);
	bpf_object__for_each_program(prog, o->obj) {
		const char *name = bpf_program__name(prog);

		o->progs[o->nprogs++] = (struct gen_prog){ name, ident_new(&used, env->keep, name), prog };
	}
	return err ? err : gen_ops_read(o, env, e);
}

/* The types as libbpf completed them, with the offsets of variables. */
static int gen_types_read(struct gen_object *o, struct err *e)
{
	int err = library_types(&o->types, bpf_object__btf(o->obj), e);

	return err || !o->types ? err : nesting_check(o->types, e);
}

static int library_open(struct gen_object *o, const char *path, struct err *e)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = o->name);
	bool order;

	o->obj = bpf_object__open_mem(o->elf.p ? o->elf.p : "", o->elf.n, &opts);
	if (o->obj)
		return 0;
	order = errno == LIBBPF_ERRNO__ENDIAN;
	if (strstr(log_text(), "expected PTR, got enum"))
		return cannot_have(e, path, "__ulong() in maps");
	object_explain("open", path, &o->elf, log_error(-errno), e);
	return order ? elf_hint_other_order(e) : e->code;
}

int gen_object_open(struct gen_object *ret, struct env *env, const char *path, const char *name, struct err *e)
{
	int err = object_bytes(&ret->elf, path);

	if (err)
		return err_sys(e, err, "cannot read %s", path);
	ret->name = ident_make(env->keep, name ? name : ident_of_file(env->keep, path), IDENT_CPP);
	ret->upper = ident_upper(env->keep, ret->name);
	err = object_check(path, &ret->elf, e);
	if (!err)
		err = library_open(ret, path, e);
	if (err)
		return err;
	err = gen_types_read(ret, e);
	if (!err)
		err = gen_parts_read(ret, env, e);
	return err ? err_in(e, "%s", path) : 0;
}

void gen_object_close(struct gen_object *o)
{
	bpf_object__close(o->obj);
	btf_release(&o->types);
	str_release(&o->elf);
}
