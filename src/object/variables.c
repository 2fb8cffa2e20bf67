/* SPDX-License-Identifier: BSD-2-Clause */
#include <elf.h>

#include "types/btf.h"
#include "types/value/value.h"
#include "object/file.h"
#include "object/read.h"

#define VALUE_MAX (64u << 10)  /* most bytes of a variable whose value is shown */
#define VALUES_MAX (16u << 20) /* most bytes of text of all values */
#define BRIEF_MAX 60u	       /* most characters in plain text */

struct values {
	const struct object *o;
	bool brief;
	size_t left;
};

static const char *value_text_of(struct values *v, uint32_t type, const unsigned char *p, uint64_t n)
{
	ARENA scratch = arena_new();
	const struct value_plan *plan = value_plan_tagged(v->o->btf, type, VALUE_FORMATTED, VIEW_OWN, NULL, scratch);
	const char *text = value_line(value_plan_unique(plan, scratch), p, n, v->o->arena);
	size_t len = strlen(text);

	v->left -= len < v->left ? len : v->left;
	return v->brief && len > BRIEF_MAX ? arena_fmt(v->o->arena, "%.*s...", (int)BRIEF_MAX, text) : text;
}

/*
 * Compilers leave the offsets of global variables to a linker, which BPF does not have, so take them from the symbols.
 * The BTF has those of static variables.
 */
static void var_fill(struct values *v, uint32_t section, const struct btf_var_secinfo *info, const struct btf_type *var,
		     struct object_var *ret)
{
	const struct object *o = v->o;
	const struct elf_sect *s = &o->elf.sects[section];
	const struct elf_symbol *symbol;

	*ret = (struct object_var){
		.name = btf_str(o->btf, var->name_off),
		.section = s->name,
		.offset = info->offset,
		.type = object_type_text(o, var->type),
		.global = ((const struct btf_var *)(var + 1))->linkage != BTF_VAR_STATIC,
	};
	symbol = ret->global ? object_symbol(o, ret->name) : NULL;
	if (symbol && symbol->section == section)
		ret->offset = symbol->value;
	if (btf_size(o->btf, var->type, &ret->size))
		ret->size = info->size;
	if (s->p && v->left && ret->size <= VALUE_MAX && ret->offset <= s->size && ret->size <= s->size - ret->offset)
		ret->value = value_text_of(v, var->type, s->p + ret->offset, ret->size);
}

static const struct btf_type *var_of(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *var = btf_type(t, id);

	return var && btf_kind_of(var) == BTF_KIND_VAR ? var : NULL;
}

static bool has_data(const struct elf_sect *s)
{
	return object_data_kind(s->name) || str_starts(s->name, ".addr_space.");
}

void object_vars(const struct object *o, bool brief, const struct object_var **ret, uint32_t *ret_n)
{
	struct values v = { .o = o, .brief = brief, .left = VALUES_MAX };
	struct object_var *vars;
	uint32_t i, n = 0;

	for (i = 1; i < o->elf.nsects; i++)
		n += o->datasecs[i] && has_data(&o->elf.sects[i]) ? btf_vlen_of(o->datasecs[i]) : 0;
	vars = arena_array(o->arena, n, sizeof(*vars));
	n = 0;
	for (i = 1; i < o->elf.nsects; i++) {
		const struct btf_type *sec = has_data(&o->elf.sects[i]) ? o->datasecs[i] : NULL;

		for (unsigned k = 0; sec && k < btf_vlen_of(sec); k++)
			if (var_of(o->btf, btf_vars_of(sec)[k].type))
				var_fill(&v, i, &btf_vars_of(sec)[k], var_of(o->btf, btf_vars_of(sec)[k].type),
					 &vars[n++]);
	}
	*ret = vars;
	*ret_n = n;
}

static void extern_fill(const struct object *o, uint32_t id, const char *kind, struct object_extern *ret)
{
	const struct btf_type *type = btf_type(o->btf, id);
	const struct elf_symbol *symbol = object_symbol(o, btf_str(o->btf, type->name_off));

	*ret = (struct object_extern){
		.name = btf_str(o->btf, type->name_off),
		.kind = kind,
		.type_id = type->type,
		.type = object_type_text(o, type->type),
		.weak = symbol && symbol->bind == STB_WEAK,
	};
}

void object_externs(const struct object *o, const struct object_extern **ret, uint32_t *ret_n)
{
	static const char *const kinds[][2] = { { ".ksyms", "ksym" }, { ".kconfig", "kconfig" } };
	const struct btf_type *sec[2];
	struct object_extern *externs;
	uint32_t k, n = 0;

	for (k = 0; k < 2; k++) {
		sec[k] = o->btf ? btf_type(o->btf, btf_find(o->btf, kinds[k][0], BTF_KIND_DATASEC)) : NULL;
		n += sec[k] ? btf_vlen_of(sec[k]) : 0;
	}
	externs = arena_array(o->arena, n, sizeof(*externs));
	n = 0;
	for (k = 0; k < 2; k++)
		for (unsigned i = 0; sec[k] && i < btf_vlen_of(sec[k]); i++)
			if (btf_type(o->btf, btf_vars_of(sec[k])[i].type))
				extern_fill(o, btf_vars_of(sec[k])[i].type, kinds[k][1], &externs[n++]);
	*ret = externs;
	*ret_n = n;
}
