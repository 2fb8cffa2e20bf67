/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/btf.h"

#define MAX_DEPTH 32
#define MAX_TEXT 16384 /* hostile prototypes may refer to each other twice per level */

static void words_add(const struct btf_types *t, uint32_t id, struct str *ret, unsigned depth);

static void tagged_add(struct str *ret, const char *tag, const char *name)
{
	str_puts(ret, tag);
	str_puts(ret, name);
	str_puts(ret, " ");
}

static void proto_add(const struct btf_types *t, const struct btf_type *proto, const char *name, struct str *ret,
		      unsigned depth)
{
	const struct btf_param *p = btf_params_of(proto);
	unsigned i, n = btf_vlen_of(proto);

	words_add(t, proto->type, ret, depth + 1);
	str_puts(ret, name);
	str_puts(ret, "(");
	for (i = 0; i < n && ret->n <= MAX_TEXT; i++) {
		if (i)
			str_puts(ret, ", ");
		if (i + 1 == n && !p[i].type) {
			str_puts(ret, "...");
			break;
		}
		words_add(t, p[i].type, ret, depth + 1);
		if (p[i].name_off)
			str_puts(ret, btf_str(t, p[i].name_off));
		else if (ret->n && ret->p[ret->n - 1] == ' ')
			ret->p[--ret->n] = '\0';
	}
	str_puts(ret, ")");
}

/* Appends a type as words, each followed by a blank: "const struct sk_buff * ". */
static void words_add(const struct btf_types *t, uint32_t id, struct str *ret, unsigned depth)
{
	const struct btf_type *type = btf_type(t, id);
	const char *name = btf_name(t, id);

	if (!type || depth > MAX_DEPTH || ret->n > MAX_TEXT) {
		str_puts(ret, "void ");
		return;
	}
	switch (btf_kind_of(type)) {
	case BTF_KIND_STRUCT:
		return tagged_add(ret, "struct ", name);
	case BTF_KIND_UNION:
		return tagged_add(ret, "union ", name);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return tagged_add(ret, "enum ", name);
	case BTF_KIND_FWD:
		return tagged_add(ret, BTF_INFO_KFLAG(type->info) ? "union " : "struct ", name);
	case BTF_KIND_PTR:
		words_add(t, type->type, ret, depth + 1);
		str_puts(ret, "* ");
		return;
	case BTF_KIND_CONST:
		str_puts(ret, "const ");
		return words_add(t, type->type, ret, depth + 1);
	case BTF_KIND_VOLATILE:
		str_puts(ret, "volatile ");
		return words_add(t, type->type, ret, depth + 1);
	case BTF_KIND_RESTRICT:
		str_puts(ret, "restrict ");
		return words_add(t, type->type, ret, depth + 1);
	case BTF_KIND_TYPE_TAG:
	case BTF_KIND_DECL_TAG:
		return words_add(t, type->type, ret, depth + 1);
	case BTF_KIND_ARRAY:
		words_add(t, btf_array_of(type)->type, ret, depth + 1);
		str_fmt(ret, "[%u]", btf_array_of(type)->nelems);
		return;
	case BTF_KIND_FUNC_PROTO:
		return proto_add(t, type, name, ret, depth);
	default:
		return tagged_add(ret, "", name);
	}
}

int btf_signature(const struct btf_types *t, uint32_t func, struct str *ret)
{
	const struct btf_type *type = btf_type(t, func), *proto = type;
	STR text = { 0 };

	if (type && btf_kind_of(type) == BTF_KIND_FUNC)
		proto = btf_type(t, type->type);
	if (!proto || btf_kind_of(proto) != BTF_KIND_FUNC_PROTO)
		return -EINVAL;
	proto_add(t, proto, btf_str(t, type->name_off), &text, 0);
	str_add(ret, text.p, text.n);
	return 0;
}
