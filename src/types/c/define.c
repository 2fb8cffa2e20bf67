/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/c/writer.h"

#include "types/types.h"

static void numbered_put(struct c_writer *w, const char *name, uint32_t number)
{
	out_str(w->d.out, name);
	if (number > 1) {
		out_str(w->d.out, "___");
		out_dec(w->d.out, number);
	}
}

/* No compiler makes an enum64 without enumerators. */
static bool is_forward(const struct btf_type *type)
{
	return btf_kind_of(type) == BTF_KIND_FWD || (btf_kind_of(type) == BTF_KIND_ENUM && !btf_vlen_of(type));
}

static void name_put(struct c_writer *w, uint32_t id)
{
	const struct btf_type *type = type_at(w->d.t, id);
	const char *name = c_name(&w->names, str_at(w->d.t, type->name_off));
	enum c_space space = *declare_word(type) ? C_TAGS : C_OTHERS;

	/* A forward declaration has the name of a definition, wherever that is. */
	if (!w->type[id].number && !is_forward(type))
		w->type[id].number = c_names_take(&w->names, space, name);
	numbered_put(w, name, w->type[id].number);
}

/* "struct a" and the blank before its brace. */
static void head_put(struct c_writer *w, uint32_t id)
{
	const struct btf_type *type = type_at(w->d.t, id);
	const char *word = declare_word(type);

	out_bytes(w->d.out, word, strlen(word) - 1);
	if (type->name_off) {
		out_char(w->d.out, ' ');
		name_put(w, id);
	}
}

static void enumerator_put(struct c_writer *w, const char *name, bool negative, uint64_t magnitude, const char *suffix)
{
	struct out *o = w->d.out;

	c_line(w, 1);
	name = c_name(&w->names, name);
	numbered_put(w, name, c_names_take(&w->names, C_OTHERS, name));
	out_str(o, negative ? " = -" : " = ");
	out_dec(o, magnitude);
	out_str(o, suffix);
	out_char(o, ',');
}

struct enumerator {
	uint32_t name_off;
	uint64_t value;
	bool negative;
};

static struct enumerator enumerator_at(const struct btf_type *type, unsigned i)
{
	bool is_signed = BTF_INFO_KFLAG(type->info), wide = btf_kind_of(type) == BTF_KIND_ENUM64;
	const struct btf_enum *e = btf_enums_of(type) + i;
	const struct btf_enum64 *e64 = btf_enums64_of(type) + i;
	uint64_t v = wide      ? (uint64_t)e64->val_hi32 << 32 | e64->val_lo32 :
		     is_signed ? (uint64_t)(int64_t)e->val :
				 (uint32_t)e->val;

	return (struct enumerator){ wide ? e64->name_off : e->name_off, v, is_signed && (int64_t)v < 0 };
}

static void enumerators_put(struct c_writer *w, const struct btf_type *type)
{
	const char *suffix = btf_kind_of(type) != BTF_KIND_ENUM64 ? "" : BTF_INFO_KFLAG(type->info) ? "LL" : "ULL";

	for (unsigned i = 0; i < btf_vlen_of(type); i++) {
		struct enumerator e = enumerator_at(type, i);

		enumerator_put(w, str_at(w->d.t, e.name_off), e.negative, e.negative ? -e.value : e.value, suffix);
	}
}

/* True if a compiler would use int or unsigned int for these values. */
static bool is_narrow(const struct btf_type *type)
{
	uint64_t most = 0;
	int64_t least = 0;

	for (unsigned i = 0; i < btf_vlen_of(type); i++) {
		struct enumerator e = enumerator_at(type, i);

		if (!e.negative && e.value > most)
			most = e.value;
		else if (e.negative && (int64_t)e.value < least)
			least = (int64_t)e.value;
	}
	return least >= INT32_MIN && most <= (least ? INT32_MAX : UINT32_MAX);
}

/* The mode that gives an enum a size its values alone do not; NULL: not needed. */
static const char *enum_mode(const struct c_writer *w, const struct btf_type *type)
{
	switch (type->size) {
	case 1:
		return "byte";
	case 2:
		return "HI";
	case 8:
		return !is_narrow(type) ? NULL : w->d.t->ptr_size == 8 ? "word" : "DI";
	default:
		return NULL;
	}
}

void c_enum_define(struct c_writer *w, uint32_t id)
{
	const struct btf_type *type = type_at(w->d.t, id);
	const char *mode = enum_mode(w, type);

	head_put(w, id);
	if (!btf_vlen_of(type))
		return;
	out_str(w->d.out, " {");
	enumerators_put(w, type);
	c_line(w, 0);
	out_char(w->d.out, '}');
	if (mode)
		out_fmt(w->d.out, " __attribute__((mode(%s)))", mode);
}

static void body_put(struct c_writer *w, uint32_t id);

/*
 * A member. One without a name whose type has one, which the extensions of Microsoft allow, would declare nothing in
 * other C: its members are written instead.
 */
static void member_put(struct c_writer *w, const struct btf_member *m)
{
	const char *name = str_at(w->d.t, m->name_off);
	uint32_t id = btf_resolve(w->d.t, m->type);
	const struct btf_type *type = type_at(w->d.t, id);
	unsigned kind = type && !*name ? btf_kind_of(type) : BTF_KIND_UNKN;
	bool named = type && (type->name_off || btf_kind_of(type_at(w->d.t, m->type)) == BTF_KIND_TYPEDEF);

	c_line(w, 1);
	w->indent++;
	if (named && (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION)) {
		out_str(w->d.out, kind == BTF_KIND_STRUCT ? "struct" : "union");
		body_put(w, id);
	} else {
		declare(&w->d, m->type, c_name(&w->names, name));
	}
	w->indent--;
}

static void members_put(struct c_writer *w, uint32_t id, bool packed)
{
	const struct btf_type *type = type_at(w->d.t, id);
	const struct btf_member *m = btf_members_of(type);
	bool flag = BTF_INFO_KFLAG(type->info), after_bits = false;
	uint64_t at = 0, size;

	for (unsigned i = 0; i < btf_vlen_of(type); i++) {
		uint32_t bits = flag ? BTF_MEMBER_BITFIELD_SIZE(m[i].offset) : 0;
		uint32_t to = flag ? BTF_MEMBER_BIT_OFFSET(m[i].offset) : m[i].offset;

		if (to > at)
			c_gap(w, at, to, packed ? 1 : c_align(w, m[i].type), after_bits && bits);
		member_put(w, &m[i]);
		if (bits) {
			out_str(w->d.out, ": ");
			out_dec(w->d.out, bits);
		}
		out_char(w->d.out, ';');
		at = to + (bits ? bits : btf_size(w->d.t, m[i].type, &size) ? 0 : size * 8);
		after_bits = bits;
	}
	if (btf_kind_of(type) == BTF_KIND_STRUCT)
		c_gap(w, at, (uint64_t)type->size * 8, packed ? 1 : c_align(w, id), false);
}

/* What follows the head of a definition. */
static void body_put(struct c_writer *w, uint32_t id)
{
	const struct btf_type *type = type_at(w->d.t, id);
	bool packed = c_struct_is_packed(w, id);

	out_str(w->d.out, " {");
	members_put(w, id, packed);
	if (btf_vlen_of(type) || type->size)
		c_line(w, 0);
	out_char(w->d.out, '}');
	if (packed)
		out_str(w->d.out, " __attribute__((packed))");
}

void c_struct_define(struct c_writer *w, uint32_t id)
{
	head_put(w, id);
	body_put(w, id);
}

void c_typedef(struct c_writer *w, uint32_t id)
{
	const struct btf_type *type = type_at(w->d.t, id);
	struct c_type *state = &w->type[id];
	const char *name = c_name(&w->names, str_at(w->d.t, type->name_off));

	out_str(w->d.out, "typedef ");
	/* Old versions of gcc define it as void. */
	if (!type->type && !strcmp(name, "__gnuc_va_list")) {
		out_str(w->d.out, "__builtin_va_list __gnuc_va_list");
		return;
	}
	if (!state->number)
		state->number = c_names_take(&w->names, C_OTHERS, name);
	declare(&w->d, type->type,
		state->number > 1 ? arena_fmt(w->names.arena, "%s___%u", name, state->number) : name);
}

void c_base_put(struct declare *d, uint32_t id)
{
	struct c_writer *w = (struct c_writer *)d;
	const struct btf_type *type = type_at(d->t, id);

	switch (type ? btf_kind_of(type) : BTF_KIND_UNKN) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		if (type->name_off)
			head_put(w, id);
		else
			c_struct_define(w, id);
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		if (type->name_off)
			head_put(w, id);
		else
			c_enum_define(w, id);
		break;
	case BTF_KIND_FWD:
		head_put(w, id);
		break;
	case BTF_KIND_TYPEDEF:
		name_put(w, id);
		break;
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
		if (w->type[id].defined)
			name_put(w, id);
		else
			declare_name(d, str_at(d->t, type->name_off));
		break;
	default:
		out_str(d->out, "void");
	}
}
