/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/btf.h>

#include "types/btf.h"
#include "gen/header.h"

/* A struct whose members have the same offsets as in the kernel's memory, independent of the compiler. */
struct gen_layout {
	struct header *h;
	const char *tabs, *pad; /* pad: name of a padding member, before its number */
	uint64_t at;
};

static void pad_put(struct gen_layout *l, uint64_t to, unsigned number)
{
	if (to <= l->at)
		return;
	out_fmt(l->h->out, "%schar __%s%u[%llu];\n", l->tabs, l->pad, number, llu(to - l->at));
	l->at = to;
}

/* Padding is always written, because types from the user's headers may have another alignment than in BTF. */
static void member_put(struct gen_layout *l, uint32_t type, const char *name, uint64_t off, uint64_t size)
{
	struct c_writer *w = &l->h->types;

	out_str(l->h->out, l->tabs);
	w->indent = (unsigned)strlen(l->tabs);
	declare(&w->d, type, name);
	out_str(l->h->out, off % c_align(w, type) ? " __attribute__((packed));\n" : ";\n");
	l->at = off + size;
}

static bool is_kconfig(const struct gen_map *m)
{
	return m->section && !strcmp(m->section, ".kconfig");
}

static void section_put(struct header *h, const struct gen_map *m)
{
	struct gen_layout l = { .h = h, .tabs = "\t\t", .pad = "pad" };
	unsigned pads = 0;

	out_fmt(h->out, "\tstruct %s__%s {\n", h->o->name, m->data);
	h->types.d.plain = !is_kconfig(m);
	for (size_t i = 0; i < m->nvars; i++) {
		const struct gen_var *v = &m->vars[i];

		if (v->off > l.at)
			pad_put(&l, v->off, pads++);
		member_put(&l, v->type, v->ident, v->off, v->size);
	}
	out_fmt(h->out, "\t} *%s;\n", m->data);
}

void header_sections(struct header *h)
{
	for (size_t i = 0; i < h->o->nmaps; i++)
		if (h->o->maps[i].data)
			section_put(h, &h->o->maps[i]);
}

/* "int (*x)[4]" is hard to read; "__typeof__(int[4]) *x" is not. */
static bool reads_badly(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type = btf_resolved(t, id);

	while (type && btf_kind_of(type) == BTF_KIND_PTR)
		type = btf_resolved(t, type->type);
	return type && (btf_kind_of(type) == BTF_KIND_ARRAY || btf_kind_of(type) == BTF_KIND_FUNC_PROTO);
}

static void pointer_put(struct header *h, const struct gen_var *v, struct arena *a)
{
	bool badly = reads_badly(h->o->types, v->type);

	out_str(h->out, badly ? "\t\t__typeof__(" : "\t\t");
	h->types.indent = 2;
	declare(&h->types.d, v->type, badly ? "" : arena_fmt(a, "*%s", v->ident));
	if (badly)
		out_fmt(h->out, ") *%s", v->ident);
	out_str(h->out, ";\n");
}

static void section_pointers(struct header *h, const struct gen_map *m)
{
	out_fmt(h->out, "\tstruct %s__%s {\n", h->o->name, m->data);
	h->types.d.plain = !is_kconfig(m);
	for (size_t i = 0; i < m->nvars; i++)
		pointer_put(h, &m->vars[i], h->types.names.arena);
	out_fmt(h->out, "\t} %s;\n", m->data);
}

void header_section_pointers(struct header *h)
{
	for (size_t i = 0; i < h->o->nmaps; i++)
		if (h->o->maps[i].data)
			section_pointers(h, &h->o->maps[i]);
}

static void assert_put(struct header *h, const struct gen_map *m, const struct gen_var *v)
{
	out_fmt(h->out, "\t_Static_assert(sizeof(s->%s->%s) == %llu, \"unexpected size of '%s'\");\n", m->data,
		v->ident, llu(v->size), v->ident);
	out_fmt(h->out, "\t_Static_assert(offsetof(__typeof__(*s->%s), %s) == %llu, \"unexpected offset of '%s'\");\n",
		m->data, v->ident, llu(v->off), v->ident);
}

void header_asserts(struct header *h)
{
	header_text(
		h,
		"\n/* Checks that each variable has its size and offset in the object, with the types that the program defines. */\n"
		"__attribute__((unused)) static void $__assert(struct $ *s __attribute__((unused)))\n{\n"
		"#ifdef __cplusplus\n#define _Static_assert static_assert\n#endif\n");
	for (size_t i = 0; i < h->o->nmaps; i++)
		for (size_t k = 0; h->o->maps[i].data && k < h->o->maps[i].nvars; k++)
			assert_put(h, &h->o->maps[i], &h->o->maps[i].vars[k]);
	out_str(h->out, "#ifdef __cplusplus\n#undef _Static_assert\n#endif\n}\n");
}

/* The members of a struct_ops map that the user may set: numbers and programs. */
static void field_put(struct gen_layout *l, uint32_t id, const char *name, uint64_t off, unsigned index)
{
	const struct btf_types *t = l->h->o->types;
	const struct btf_type *type = btf_resolved(t, id), *to = NULL;
	unsigned kind = type ? btf_kind_of(type) : BTF_KIND_UNKN;
	uint64_t size;

	if (off < l->at || btf_size(t, id, &size))
		return;
	pad_put(l, off, index);
	if (kind == BTF_KIND_PTR)
		to = btf_resolved(t, type->type);
	if (to && btf_kind_of(to) == BTF_KIND_FUNC_PROTO)
		out_fmt(l->h->out, "%sstruct bpf_program *%s;\n", l->tabs, name);
	else if (*name &&
		 (kind == BTF_KIND_INT || kind == BTF_KIND_FLOAT || kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64))
		member_put(l, id, name, off, size);
	else
		out_fmt(l->h->out, "%schar __unsupported_%u[%llu];\n", l->tabs, index, llu(size));
	l->at = off + size;
}

static void shadow_put(struct header *h, const struct gen_map *m)
{
	const struct btf_type *type = btf_type(h->o->types, m->ops_type);
	struct gen_layout l = { .h = h, .tabs = "\t\t\t", .pad = "padding_" };
	bool flag = BTF_INFO_KFLAG(type->info);

	out_fmt(h->out, "\t\tstruct %s__%s__%s {\n", h->o->name, m->ident, m->ops_ident);
	h->types.d.plain = true;
	for (unsigned i = 0; i < btf_vlen_of(type); i++) {
		const struct btf_member *f = btf_members_of(type) + i;

		/* Bit fields become padding. */
		if (!flag || !BTF_MEMBER_BITFIELD_SIZE(f->offset))
			field_put(&l, f->type, btf_str(h->o->types, f->name_off),
				  (flag ? BTF_MEMBER_BIT_OFFSET(f->offset) : f->offset) / 8, i);
	}
	if (type->size > l.at)
		out_fmt(h->out, "\t\t\tchar __padding_end[%llu];\n", llu(type->size - l.at));
	out_fmt(h->out, "\t\t} *%s;\n", m->ident);
}

void header_shadows(struct header *h)
{
	if (!h->o->nops)
		return;
	out_str(h->out, "\tstruct {\n");
	for (size_t i = 0; i < h->o->nmaps; i++)
		if (h->o->maps[i].ops_type)
			shadow_put(h, &h->o->maps[i]);
	out_str(h->out, "\t} struct_ops;\n");
}
