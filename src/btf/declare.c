/* SPDX-License-Identifier: BSD-2-Clause */
#include "btf/layout.h"

#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "btf/btf.h"

#define MAX_CHAIN 64
#define MAX_DEPTH 8		/* prototypes in parameters of prototypes */
#define MAX_TEXT 4096		/* hostile prototypes may name each other twice a level */

static void declare(const struct btf_types *t, uint32_t id, const char *name, struct str *base, struct str *decl,
		    unsigned depth);

static void prepend(struct str *s, const char *text)
{
	STR rest = { 0 };

	str_add(&rest, s->p ? s->p : "", s->n);
	str_reset(s);
	str_puts(s, text);
	str_add(s, rest.p ? rest.p : "", rest.n);
}

static const char *qualifier(unsigned kind)
{
	return kind == BTF_KIND_CONST ? "const" : kind == BTF_KIND_VOLATILE ? "volatile" :
	       kind == BTF_KIND_RESTRICT ? "restrict" : NULL;
}

static void params_add(const struct btf_types *t, const struct btf_type *proto, struct str *decl, unsigned depth)
{
	const struct btf_param *p = btf_params_of(proto);
	unsigned i, n = btf_vlen_of(proto);

	str_puts(decl, "(");
	for (i = 0; i < n && decl->n < MAX_TEXT; i++) {
		STR base = { 0 };
		STR inner = { 0 };

		if (i)
			str_puts(decl, ", ");
		if (i + 1 == n && !p[i].type) {
			str_puts(decl, "...");
			break;
		}
		declare(t, p[i].type, btf_str(t, p[i].name_off), &base, &inner, depth + 1);
		str_fmt(decl, "%s%s%s", base.p, inner.n ? " " : "", inner.n ? inner.p : "");
	}
	str_puts(decl, n ? ")" : "void)");
}

/* Is the next thing below qualifiers and tags one that a star needs brackets for? */
static bool binds_tighter(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type;
	unsigned i;

	for (i = 0; i < MAX_CHAIN && (type = btf_type(t, id)); i++) {
		if (!qualifier(btf_kind_of(type)) && btf_kind_of(type) != BTF_KIND_TYPE_TAG)
			return btf_kind_of(type) == BTF_KIND_ARRAY || btf_kind_of(type) == BTF_KIND_FUNC_PROTO;
		id = type->type;
	}
	return false;
}

static bool is_pointer(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type;
	unsigned i;

	for (i = 0; i < MAX_CHAIN && (type = btf_type(t, id)); i++) {
		if (!qualifier(btf_kind_of(type)) && btf_kind_of(type) != BTF_KIND_TYPE_TAG)
			return btf_kind_of(type) == BTF_KIND_PTR;
		id = type->type;
	}
	return false;
}

static void base_add(const struct btf_types *t, const struct btf_type *type, struct str *base)
{
	const char *name = type ? btf_str(t, type->name_off) : "void", *word = "";

	switch (type ? btf_kind_of(type) : BTF_KIND_UNKN) {
	case BTF_KIND_STRUCT:
		word = "struct ";
		break;
	case BTF_KIND_UNION:
		word = "union ";
		break;
	case BTF_KIND_FWD:
		word = BTF_INFO_KFLAG(type->info) ? "union " : "struct ";
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		word = "enum ";
		break;
	}
	str_fmt(base, "%s%s", word, *name ? name : *word ? "{...}" : "?");
}

static void declare(const struct btf_types *t, uint32_t id, const char *name, struct str *base, struct str *decl,
		    unsigned depth)
{
	const struct btf_type *type = NULL;
	unsigned i;

	str_puts(decl, name);
	for (i = 0; i < MAX_CHAIN && decl->n < MAX_TEXT; i++) {
		unsigned kind;

		type = btf_type(t, id);
		kind = type ? btf_kind_of(type) : BTF_KIND_UNKN;
		if (kind == BTF_KIND_PTR) {
			prepend(decl, binds_tighter(t, type->type) ? "(*" : "*");
			if (binds_tighter(t, type->type))
				str_puts(decl, ")");
		} else if (kind == BTF_KIND_ARRAY) {
			str_fmt(decl, "[%u]", btf_array_of(type)->nelems);
			id = btf_array_of(type)->type;
			continue;
		} else if (kind == BTF_KIND_FUNC_PROTO && depth < MAX_DEPTH) {
			params_add(t, type, decl, depth);
		} else if (qualifier(kind) && is_pointer(t, type->type)) {
			prepend(decl, decl->n ? " " : "");
			prepend(decl, qualifier(kind));
		} else if (qualifier(kind)) {
			str_fmt(base, "%s ", qualifier(kind));
		} else if (kind != BTF_KIND_TYPE_TAG && kind != BTF_KIND_DECL_TAG) {
			break;
		}
		id = type->type;
	}
	if (i == MAX_CHAIN || decl->n >= MAX_TEXT)
		str_puts(base, "...");
	else
		base_add(t, type, base);
}

void btf_declare(const struct btf_types *t, uint32_t id, const char *name, struct str *base, struct str *declarator)
{
	declare(t, id, name, base, declarator, 0);
}

const char *btf_type_text(const struct btf_types *t, uint32_t id, struct arena *a)
{
	STR base = { 0 };
	STR decl = { 0 };

	declare(t, id, "", &base, &decl, 0);
	return arena_fmt(a, "%s%s%s", base.p, decl.n ? " " : "", decl.n ? decl.p : "");
}
