/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/c/writer.h"

#include "types/types.h"

/* A complete declaration. */
static void declaration_end(struct c_writer *w)
{
	out_str(w->d.out, ";\n\n");
}

static void forward_put(struct c_writer *w, uint32_t id)
{
	w->type[id].declared = true;
	c_base_put(&w->d, id);
	declaration_end(w);
}

static void typedef_put(struct c_writer *w, uint32_t id)
{
	/* The compiler already defines it. */
	if (!strcmp(btf_name(w->d.t, id), "__builtin_va_list"))
		return;
	c_typedef(w, id);
	declaration_end(w);
}

/* Numbers of names that C does not know: of Rust, and those for the vectors of ARM, which gcc alone defines. */
static void type_id_put(struct c_writer *w, uint32_t id)
{
	const char *as = c_number(type_at(w->d.t, id), btf_name(w->d.t, id), w->d.t->ptr_size);

	if (!as)
		return;
	w->type[id].defined = true;
	out_fmt(w->d.out, "typedef %s ", as);
	c_base_put(&w->d, id);
	declaration_end(w);
}

static void type_declare(struct c_writer *w, uint32_t id, uint32_t within);

static void members_declare(struct c_writer *w, uint32_t id, uint32_t within)
{
	const struct btf_type *type = type_at(w->d.t, id);
	const struct btf_member *m = btf_members_of(type);

	for (unsigned i = 0; i < btf_vlen_of(type); i++)
		type_declare(w, m[i].type, within);
}

/*
 * Declares what a declaration of type @id in the definition of @within refers to: structs that are only pointed to, and
 * typedefs. Types that must be complete are already defined.
 */
static void type_declare(struct c_writer *w, uint32_t id, uint32_t within)
{
	const struct btf_type *type = type_at(w->d.t, id);
	struct c_type *state = &w->type[id];

	if (!type || state->written == C_DONE)
		return;
	switch (btf_kind_of(type)) {
	case BTF_KIND_PTR:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		type_declare(w, type->type, within);
		break;
	case BTF_KIND_ARRAY:
		type_declare(w, btf_array_of(type)->type, within);
		break;
	case BTF_KIND_FUNC_PROTO:
		type_declare(w, type->type, within);
		for (unsigned i = 0; i < btf_vlen_of(type); i++)
			type_declare(w, btf_params_of(type)[i].type, within);
		break;
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
		state->written = C_DONE;
		type_id_put(w, id);
		break;
	case BTF_KIND_FWD:
		state->written = C_DONE;
		forward_put(w, id);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		if (!type->name_off)
			members_declare(w, id, within);
		else if (!state->declared && id != within)
			forward_put(w, id);
		break;
	case BTF_KIND_TYPEDEF:
		if (state->written == C_NOW) {
			if (!state->declared)
				typedef_put(w, id);
			state->declared = true;
			break;
		}
		state->written = C_NOW;
		type_declare(w, type->type, id);
		if (!state->declared)
			typedef_put(w, id);
		state->written = C_DONE;
		break;
	}
}

/* Writes the definition; types that must be complete before it are already defined. */
static void type_define(struct c_writer *w, uint32_t id)
{
	const struct btf_type *type = type_at(w->d.t, id);
	struct c_type *state = &w->type[id];

	if (state->written == C_DONE)
		return;
	switch (btf_kind_of(type)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		state->written = C_NOW;
		members_declare(w, id, id);
		c_struct_define(w, id);
		declaration_end(w);
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		c_enum_define(w, id);
		declaration_end(w);
		break;
	default:
		type_declare(w, id, 0);
	}
	state->written = C_DONE;
}

static bool prepare(struct c_writer *w, uint32_t id, bool pointed);

static bool prepare_parts(struct c_writer *w, const struct btf_type *type, bool pointed)
{
	bool strong;

	switch (btf_kind_of(type)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (unsigned i = 0; i < btf_vlen_of(type); i++)
			prepare(w, btf_members_of(type)[i].type, false);
		return true;
	case BTF_KIND_FUNC_PROTO:
		strong = prepare(w, type->type, pointed);
		for (unsigned i = 0; i < btf_vlen_of(type); i++)
			strong |= prepare(w, btf_params_of(type)[i].type, pointed);
		return strong;
	case BTF_KIND_ARRAY:
		return prepare(w, btf_array_of(type)->type, false);
	case BTF_KIND_PTR:
		return prepare(w, type->type, true);
	default:
		return prepare(w, type->type, pointed);
	}
}

/*
 * Defines the types that must be complete before a declaration of this type, and the type itself. After a pointer
 * (@pointed), named structs, and typedefs of only such structs, need not be complete. They are left until they are
 * needed, and false is returned.
 */
static bool prepare(struct c_writer *w, uint32_t id, bool pointed)
{
	const struct btf_type *type = type_at(w->d.t, id);
	struct c_type *state = &w->type[id];
	bool strong;

	if (!type || state->prepared == C_DONE)
		return true;
	switch (btf_kind_of(type)) {
	case BTF_KIND_UNKN:
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR:
	case BTF_KIND_DATASEC:
	case BTF_KIND_DECL_TAG:
		state->prepared = C_DONE;
		return false;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FWD:
		if (type->name_off || !state->used)
			type_define(w, id);
		state->prepared = C_DONE;
		return true;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		if (pointed && type->name_off)
			return false;
		prepare_parts(w, type, false);
		if (type->name_off)
			type_define(w, id);
		state->prepared = C_DONE;
		return true;
	case BTF_KIND_TYPEDEF:
		strong = prepare(w, type->type, pointed);
		if (pointed && !strong)
			return false;
		type_define(w, id);
		state->prepared = C_DONE;
		return true;
	case BTF_KIND_PTR:
		strong = prepare_parts(w, type, pointed);
		state->prepared = C_DONE;
		return strong;
	default:
		return prepare_parts(w, type, pointed);
	}
}

void c_write(struct c_writer *w, uint32_t id)
{
	prepare(w, id, false);
}

static void mark_used(struct c_writer *w, uint32_t id)
{
	w->type[id].used = true;
}

/* Marks the types that others refer to; unnamed ones are written as part of these. */
static void used_find(struct c_writer *w)
{
	const struct btf_types *t = w->d.t;

	for (uint32_t id = 1; id < t->count; id++) {
		const struct btf_type *type = type_at(t, id);

		switch (btf_kind_of(type)) {
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
			for (unsigned i = 0; i < btf_vlen_of(type); i++)
				mark_used(w, btf_members_of(type)[i].type);
			break;
		case BTF_KIND_FUNC_PROTO:
			for (unsigned i = 0; i < btf_vlen_of(type); i++)
				mark_used(w, btf_params_of(type)[i].type);
			break;
		case BTF_KIND_ARRAY:
			mark_used(w, btf_array_of(type)->type);
			mark_used(w, btf_array_of(type)->index_type);
			break;
		case BTF_KIND_PTR:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VAR:
		case BTF_KIND_DECL_TAG:
		case BTF_KIND_TYPE_TAG:
			mark_used(w, type->type);
		}
	}
}

#define EACH_BYTE 0x0101010101010101ull

/* True if the strings are only printable ASCII, as they nearly always are: then names need not be checked. */
static bool is_plain_text(const char *p, size_t n)
{
	uint64_t v, end;
	size_t i;

	for (i = 0; n - i >= sizeof(v); i += sizeof(v)) {
		memcpy(&v, p + i, sizeof(v));
		/* NULs become blanks. Then a byte below ' ' borrows, one above '~' carries into its highest bit. */
		end = ~(((v & 0x7f * EACH_BYTE) + 0x7f * EACH_BYTE) | v) & 0x80 * EACH_BYTE;
		v |= end >> 2;
		if (((v - ' ' * EACH_BYTE) | (v + EACH_BYTE) | v) & 0x80 * EACH_BYTE)
			return false;
	}
	for (; i < n; i++)
		if (p[i] && (p[i] < ' ' || p[i] > '~'))
			return false;
	return true;
}

static bool all_plain(const struct btf_types *t)
{
	for (; t; t = t->base)
		if (!is_plain_text(t->strs, t->str_end - t->str_start))
			return false;
	return true;
}

void c_writer_init(struct c_writer *w, const struct btf_types *t, struct arena *a, struct out *o)
{
	*w = (struct c_writer){
		.d = { .t = t, .out = o, .base = c_base_put, .raw = all_plain(t) },
		.type = arena_array(a, t->count, sizeof(*w->type)),
	};
	/* An estimate: many types of a kernel have neither names nor enumerators. */
	c_names_init(&w->names, a, (t->count - t->start) / 3);
	used_find(w);
}
