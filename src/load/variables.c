/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>

#include "types/btf.h"
#include "types/library.h"
#include "types/value/value.h"
#include "cli/command.h"
#include "cli/env.h"
#include "load/steps.h"

/* The types of the file as libbpf completed them: variables of a DATASEC have their offsets. */
struct types {
	struct btf_types *own;
	struct load *l;
};

static void types_release(struct types *t)
{
	btf_release(&t->own);
}

static int variable_types_read(struct types *t, struct err *e)
{
	int err = library_types(&t->own, bpf_object__btf(t->l->obj), e);

	if (err || t->own || t->l->q.found)
		return err;
	err_set(e, -ENODATA, "%s has no BTF, so the names of its variables are not known", t->l->q.path);
	return err_hint(e, "compile it with -g");
}

/* Data sections with values that the file sets: .data, .rodata, .bss and custom sections, but not .kconfig. */
static const struct btf_type *section_of(const struct types *t, const struct bpf_map *m)
{
	const struct btf_type *sec = btf_type(t->own, bpf_map__btf_value_type_id(m));
	size_t size;

	if (!bpf_map__is_internal(m) || !sec || btf_kind_of(sec) != BTF_KIND_DATASEC ||
	    strstr(bpf_map__name(m), ".kconfig"))
		return NULL;
	return bpf_map__initial_value((struct bpf_map *)m, &size) ? sec : NULL;
}

static bool has_variable(const struct types *t, const struct btf_type *sec, const char *name, size_t n)
{
	const struct btf_var_secinfo *v = btf_vars_of(sec);

	for (unsigned i = 0; i < btf_vlen_of(sec); i++) {
		const char *is = btf_name(t->own, v[i].type);

		if (!strncmp(is, name, n) && !is[n])
			return true;
	}
	return false;
}

static int no_variable(struct types *t, const char *name, struct err *e)
{
	struct load_names names = { 0 };
	const struct btf_type *sec;

	for (size_t k = 0; k < t->l->nmaps; k++) {
		sec = section_of(t, t->l->maps[k].map);
		for (unsigned i = 0; sec && i < btf_vlen_of(sec); i++)
			load_names_add(&names, btf_name(t->own, btf_vars_of(sec)[i].type));
	}
	return load_unknown(t->l, "variable", name, &names, e);
}

static int value_change(struct types *t, struct bpf_map *m, const char *assignment, struct err *e)
{
	struct arena *a = t->l->env->keep;
	size_t size;
	const void *before = bpf_map__initial_value(m, &size);
	void *bytes = memcpy(arena_alloc(a, size), before, size);
	int err = value_set(value_plan(t->own, bpf_map__btf_value_type_id(m), VALUE_TYPED, a), assignment, bytes, size,
			    e);

	if (err)
		return err;
	err = bpf_map__set_initial_value(m, bytes, size);
	return err ? err_sys(e, err, "cannot set %s", assignment) : 0;
}

/* The section that has it; NULL: none. */
static struct bpf_map *variable_find(const struct types *t, const char *name, size_t n)
{
	for (size_t k = 0; k < t->l->nmaps; k++) {
		const struct btf_type *sec = section_of(t, t->l->maps[k].map);

		if (sec && has_variable(t, sec, name, n))
			return t->l->maps[k].map;
	}
	return NULL;
}

static int variable_set(struct types *t, const char *assignment, struct err *e)
{
	const size_t n = strcspn(assignment, ".[=");
	struct bpf_map *m = variable_find(t, assignment, n);

	if (!load_has(t->l, m, assignment))
		return no_variable(t, arena_str(t->l->env->keep, assignment, n), e);
	if (!m)
		return 0;
	if (bpf_map__fd(m) >= 0)
		return err_set(e, -EBUSY, "cannot set %.*s: it is in %s, which is an existing map", (int)n, assignment,
			       bpf_map__name(m));
	return value_change(t, m, assignment, e);
}

int load_variables(struct load *l, struct err *e)
{
	__attribute__((cleanup(types_release))) struct types t = { .l = l };
	const struct arg_list *set = &l->q.set;
	int err = set->n ? variable_types_read(&t, e) : 0;

	for (size_t i = 0; i < set->n && !err && t.own; i++)
		err = variable_set(&t, set->word[i], e);
	return err;
}
