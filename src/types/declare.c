/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/declare.h"

#include "types/types.h"
#include "types/nesting.h"

#define MAX_TEXT 4096 /* hostile prototypes may refer to each other twice per level */

#define KIND(k) (1u << BTF_KIND_##k)
#define MODIFIERS (KIND(CONST) | KIND(VOLATILE) | KIND(RESTRICT) | KIND(TYPE_TAG))
#define BINDS_TIGHTER (KIND(ARRAY) | KIND(FUNC_PROTO)) /* than a star */

/* Separator before the next word. */
enum glue { GLUE_NONE, GLUE_BLANK };

static unsigned kind_at(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type = type_at(t, id);

	return type ? btf_kind_of(type) : BTF_KIND_UNKN;
}

/* Skips qualifiers and tags; in an endless cycle, stops at any of them. */
static uint32_t past(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type;

	for (unsigned i = 0; i < NESTING_DEPTH && (type = type_at(t, id)) && MODIFIERS >> btf_kind_of(type) & 1; i++)
		id = type->type;
	return id;
}

/* True if a star before it must be in brackets. */
static bool tighter(const struct btf_types *t, uint32_t id)
{
	return BINDS_TIGHTER >> kind_at(t, past(t, id)) & 1;
}

static const char *qualifier(unsigned kind)
{
	return kind == BTF_KIND_CONST ? "const" : kind == BTF_KIND_VOLATILE ? "volatile" : "restrict";
}

/* Names of integers contain blanks; the declared name may begin with stars. */
static void valid_put(struct out *o, const char *name)
{
	for (; *name == '*'; name++)
		out_char(o, '*');
	for (; *name; name++)
		out_char(o, isalnum((unsigned char)*name) || *name == ' ' ? *name : '_');
}

void declare_name(struct declare *d, const char *name)
{
	if (d->valid)
		valid_put(d->out, name);
	else if (d->raw)
		out_str(d->out, name);
	else
		out_text(d->out, name);
}

static bool too_long(const struct declare *d)
{
	return d->depth > NESTING_DEPTH || (d->text && d->out->n > MAX_TEXT);
}

/* Qualifiers before their type: in text as in the source, in C the innermost first, as bpftool does. */
static void qualifiers_put(struct declare *d, uint32_t id, uint32_t end)
{
	const struct btf_type *type = type_at(d->t, id);

	if (id == end || d->plain)
		return;
	if (!d->text)
		qualifiers_put(d, type->type, end);
	out_str(d->out, qualifier(btf_kind_of(type)));
	out_char(d->out, ' ');
	if (d->text)
		qualifiers_put(d, type->type, end);
}

static void tag_put(struct declare *d, const struct btf_type *type)
{
	/* With its flag set (since Linux 6.14) the tag is the attribute itself. */
	out_str(d->out, BTF_INFO_KFLAG(type->info) ? " __attribute__((" : " __attribute__((btf_type_tag(\"");
	declare_name(d, str_at(d->t, type->name_off));
	out_str(d->out, BTF_INFO_KFLAG(type->info) ? "))" : "\")))");
}

/* Qualifiers and tags after a star or a tag, the innermost first. Returns whether a blank must follow. */
static enum glue modifiers_put(struct declare *d, uint32_t id, uint32_t end, enum glue glue)
{
	const struct btf_type *type = type_at(d->t, id);

	if (id == end || d->plain)
		return glue;
	glue = modifiers_put(d, type->type, end, glue);
	if (btf_kind_of(type) != BTF_KIND_TYPE_TAG) {
		out_char(d->out, ' ');
		out_str(d->out, qualifier(btf_kind_of(type)));
	} else if (!d->text) {
		tag_put(d, type);
	} else {
		return glue;
	}
	return GLUE_BLANK;
}

static enum glue left(struct declare *d, uint32_t id, bool named);

static enum glue pointer_left(struct declare *d, uint32_t to, bool named)
{
	enum glue glue = left(d, to, named);
	unsigned kind = kind_at(d->t, past(d->t, to));

	if (kind == BTF_KIND_FUNC_PROTO)
		out_str(d->out, " (*");
	else if (kind == BTF_KIND_ARRAY)
		out_str(d->out, named && glue == GLUE_BLANK ? " (*" : "(*");
	else
		out_str(d->out, glue == GLUE_BLANK ? " *" : "*");
	return GLUE_NONE;
}

/* Qualifiers of the base type are before it, except those of its tags. */
static enum glue base_left(struct declare *d, uint32_t id, uint32_t base)
{
	const struct btf_type *type;
	uint32_t inner = id, at;

	for (at = id; at != base; at = type->type) {
		type = type_at(d->t, at);
		if (btf_kind_of(type) == BTF_KIND_TYPE_TAG)
			inner = type->type;
	}
	qualifiers_put(d, inner, base);
	d->base(d, base);
	if (!d->base_end)
		d->base_end = d->out->n;
	return modifiers_put(d, id, inner, GLUE_BLANK);
}

/* Writes all text to the left of the name. */
static enum glue left(struct declare *d, uint32_t id, bool named)
{
	uint32_t end = past(d->t, id);
	const struct btf_type *type = type_at(d->t, end);
	enum glue glue = GLUE_BLANK;

	d->depth++;
	if (too_long(d)) {
		out_str(d->out, "...");
		if (!d->base_end)
			d->base_end = d->out->n;
	} else
		switch (type ? btf_kind_of(type) : BTF_KIND_UNKN) {
		/*
		 * gcc repeats the qualifiers of an element at the array, and marks functions that do not return as
		 * volatile: both are dropped.
		 */
		case BTF_KIND_ARRAY:
			glue = left(d, btf_array_of(type)->type, named);
			break;
		case BTF_KIND_FUNC_PROTO:
			glue = left(d, type->type, named);
			break;
		case BTF_KIND_PTR:
			glue = modifiers_put(d, id, end, pointer_left(d, type->type, named));
			break;
		default:
			glue = base_left(d, id, end);
		}
	d->depth--;
	return glue;
}

static void params_put(struct declare *d, const struct btf_type *proto)
{
	const struct btf_param *p = btf_params_of(proto);
	unsigned i, n = btf_vlen_of(proto);

	out_char(d->out, '(');
	/* In C an empty list would mean that the parameters are unknown. */
	if (!n || (n == 1 && !p->type))
		out_str(d->out, "void");
	else
		for (i = 0; i < n && !too_long(d); i++) {
			if (i)
				out_str(d->out, ", ");
			if (i + 1 == n && !p[i].type)
				out_str(d->out, "...");
			else
				declare(d, p[i].type, str_at(d->t, p[i].name_off));
		}
	out_char(d->out, ')');
}

/* Writes all text to the right of the name. */
static void right(struct declare *d, uint32_t id)
{
	const struct btf_type *type;

	for (unsigned i = 0; (type = type_at(d->t, id)) && !too_long(d); i++) {
		if (i > NESTING_DEPTH)
			return;
		id = type->type;
		switch (btf_kind_of(type)) {
		case BTF_KIND_PTR:
			if (tighter(d->t, id))
				out_char(d->out, ')');
			break;
		case BTF_KIND_ARRAY:
			id = btf_array_of(type)->type;
			out_char(d->out, '[');
			out_dec(d->out, btf_array_of(type)->nelems);
			out_char(d->out, ']');
			break;
		case BTF_KIND_FUNC_PROTO:
			params_put(d, type);
			break;
		case BTF_KIND_TYPE_TAG:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
			break;
		default:
			return;
		}
	}
}

void declare(struct declare *d, uint32_t id, const char *name)
{
	enum glue glue = left(d, id, *name);

	if (*name && glue == GLUE_BLANK)
		out_char(d->out, ' ');
	declare_name(d, name);
	d->depth++;
	right(d, id);
	d->depth--;
}

const char *declare_word(const struct btf_type *type)
{
	switch (btf_kind_of(type)) {
	case BTF_KIND_STRUCT:
		return "struct ";
	case BTF_KIND_UNION:
		return "union ";
	case BTF_KIND_FWD:
		return BTF_INFO_KFLAG(type->info) ? "union " : "struct ";
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return "enum ";
	default:
		return "";
	}
}

static void text_base(struct declare *d, uint32_t id)
{
	const struct btf_type *type = type_at(d->t, id);
	const char *name = type ? str_at(d->t, type->name_off) : "void", *word = type ? declare_word(type) : "";

	out_str(d->out, word);
	out_str(d->out, *name ? name : *word ? "{...}" : "?");
}

void btf_declare(const struct btf_types *t, uint32_t id, const char *name, struct str *base, struct str *declarator)
{
	struct declare d = { .t = t, .base = text_base, .text = true, .raw = true };
	struct out o;
	size_t at;

	out_init(&o, -1);
	d.out = &o;
	declare(&d, id, name);
	at = d.base_end;
	str_add(base, o.buf, at);
	at += at < o.n && o.buf[at] == ' ';
	str_add(declarator, o.buf + at, o.n - at);
	out_close(&o, NULL);
}

const char *btf_type_text(const struct btf_types *t, uint32_t id, struct arena *a)
{
	STR base = { 0 };
	STR decl = { 0 };

	btf_declare(t, id, "", &base, &decl);
	return arena_fmt(a, "%s%s%s", base.p, decl.n ? " " : "", decl.p);
}
