/* SPDX-License-Identifier: BSD-2-Clause */
#include "btf/raw.h"

#include "types/btf.h"
#include "render/doc.h"

/* The values of a kind, or of one of its parts. */
enum raw_kind {
	W_TYPE,
	W_SIZE,
	W_VLEN,
	W_INT_OFFSET,
	W_INT_BITS,
	W_INT_ENCODING,
	W_ARRAY_TYPE,
	W_ARRAY_INDEX,
	W_ARRAY_NELEMS,
	W_ENUM_ENCODING,
	W_FWD_KIND,
	W_LINKAGE,
	W_VAR_LINKAGE,
	W_COMPONENT,
	W_MEMBER_TYPE,
	W_MEMBER_OFFSET,
	W_MEMBER_BITS,
	W_ENUM_VALUE,
	W_ENUM64_VALUE,
	W_PARAM_TYPE,
	W_SEC_TYPE,
	W_SEC_OFFSET,
	W_SEC_SIZE,
};
struct attr {
	struct doc_member member; /* " type_id=", "\"type_id\"" */
	uint8_t what;
	bool nonzero; /* omitted if it is zero */
};
#define ATTR_AS(before, nm, w, ...) \
	{ \
		.member = DOC_MEMBER(before nm "=", nm), .what = w, ##__VA_ARGS__ \
	}
#define ATTR(name, w, ...) ATTR_AS(" ", name, w, ##__VA_ARGS__)
#define ATTRS(...) (const struct attr[]){ __VA_ARGS__ }, ARRAY_SIZE(((const struct attr[]){ __VA_ARGS__ }))

struct parts {
	const char *list; /* the JSON name of all of them */
	uint8_t size;	  /* size of one in bytes */
	bool named;	  /* begins with the offset of its name; else with the id of a variable */
	const struct attr *attrs;
	size_t n;
};
static const struct parts members = { "members", sizeof(struct btf_member), true,
				      ATTRS(ATTR("type_id", W_MEMBER_TYPE), ATTR("bits_offset", W_MEMBER_OFFSET),
					    ATTR("bitfield_size", W_MEMBER_BITS, .nonzero = true)) };
static const struct parts values = { "values", sizeof(struct btf_enum), true, ATTRS(ATTR("val", W_ENUM_VALUE)) };
static const struct parts values64 = { "values", sizeof(struct btf_enum64), true, ATTRS(ATTR("val", W_ENUM64_VALUE)) };
static const struct parts params = { "params", sizeof(struct btf_param), true, ATTRS(ATTR("type_id", W_PARAM_TYPE)) };
static const struct parts vars = { "vars", sizeof(struct btf_var_secinfo), false,
				   ATTRS(ATTR_AS("\t", "type_id", W_SEC_TYPE), ATTR("offset", W_SEC_OFFSET),
					 ATTR("size", W_SEC_SIZE)) };

#define REFERENCE ATTRS(ATTR("type_id", W_TYPE))
#define COMPOSITE ATTRS(ATTR("size", W_SIZE), ATTR("vlen", W_VLEN)), &members
#define ENUMERATION ATTRS(ATTR("encoding", W_ENUM_ENCODING), ATTR("size", W_SIZE), ATTR("vlen", W_VLEN))
static const struct kind_row {
	const char *name;
	const struct attr *attrs;
	size_t n;
	const struct parts *parts; /* vlen of them; NULL: none */
} rows[] = {
	[BTF_KIND_UNKN] = { "UNKNOWN", NULL, 0, NULL },
	[BTF_KIND_INT] = { "INT",
			   ATTRS(ATTR("size", W_SIZE), ATTR("bits_offset", W_INT_OFFSET), ATTR("nr_bits", W_INT_BITS),
				 ATTR("encoding", W_INT_ENCODING)),
			   NULL },
	[BTF_KIND_PTR] = { "PTR", REFERENCE, NULL },
	[BTF_KIND_ARRAY] = { "ARRAY",
			     ATTRS(ATTR("type_id", W_ARRAY_TYPE), ATTR("index_type_id", W_ARRAY_INDEX),
				   ATTR("nr_elems", W_ARRAY_NELEMS)),
			     NULL },
	[BTF_KIND_STRUCT] = { "STRUCT", COMPOSITE },
	[BTF_KIND_UNION] = { "UNION", COMPOSITE },
	[BTF_KIND_ENUM] = { "ENUM", ENUMERATION, &values },
	[BTF_KIND_FWD] = { "FWD", ATTRS(ATTR("fwd_kind", W_FWD_KIND)), NULL },
	[BTF_KIND_TYPEDEF] = { "TYPEDEF", REFERENCE, NULL },
	[BTF_KIND_VOLATILE] = { "VOLATILE", REFERENCE, NULL },
	[BTF_KIND_CONST] = { "CONST", REFERENCE, NULL },
	[BTF_KIND_RESTRICT] = { "RESTRICT", REFERENCE, NULL },
	[BTF_KIND_FUNC] = { "FUNC", ATTRS(ATTR("type_id", W_TYPE), ATTR("linkage", W_LINKAGE)), NULL },
	[BTF_KIND_FUNC_PROTO] = { "FUNC_PROTO", ATTRS(ATTR("ret_type_id", W_TYPE), ATTR("vlen", W_VLEN)), &params },
	[BTF_KIND_VAR] = { "VAR", ATTRS(ATTR("type_id", W_TYPE), ATTR_AS(", ", "linkage", W_VAR_LINKAGE)), NULL },
	[BTF_KIND_DATASEC] = { "DATASEC", ATTRS(ATTR("size", W_SIZE), ATTR("vlen", W_VLEN)), &vars },
	[BTF_KIND_FLOAT] = { "FLOAT", ATTRS(ATTR("size", W_SIZE)), NULL },
	[BTF_KIND_DECL_TAG] = { "DECL_TAG", ATTRS(ATTR("type_id", W_TYPE), ATTR("component_idx", W_COMPONENT)), NULL },
	[BTF_KIND_TYPE_TAG] = { "TYPE_TAG", REFERENCE, NULL },
	[BTF_KIND_ENUM64] = { "ENUM64", ENUMERATION, &values64 },
};

struct content { /* a word, or a number with its sign */
	const char *word;
	uint64_t number;
	bool minus;
	const char *suffix; /* after the number in plain text */
};

static const char *encoding_word(unsigned encoding)
{
	switch (encoding) {
	case 0:
		return "(none)";
	case BTF_INT_SIGNED:
		return "SIGNED";
	case BTF_INT_CHAR:
		return "CHAR";
	case BTF_INT_BOOL:
		return "BOOL";
	default:
		return "UNKN";
	}
}

static const char *linkage_word(uint32_t linkage)
{
	return linkage == BTF_FUNC_STATIC ? "static" :
	       linkage == BTF_FUNC_GLOBAL ? "global" :
	       linkage == BTF_FUNC_EXTERN ? "extern" :
					    "(unknown)";
}

static struct content of_word(const char *word)
{
	return (struct content){ .word = word, .number = 1 };
}

static struct content of_number(uint64_t v)
{
	return (struct content){ .number = v };
}

static struct content of_signed(int64_t v)
{
	return (struct content){ .number = v < 0 ? -(uint64_t)v : (uint64_t)v, .minus = v < 0 };
}

static struct content enum64_content(const struct btf_type *t, const struct btf_enum64 *e)
{
	uint64_t v = (uint64_t)e->val_hi32 << 32 | e->val_lo32;
	bool is_signed = BTF_INFO_KFLAG(t->info);
	struct content c = is_signed ? of_signed((int64_t)v) : of_number(v);

	c.suffix = is_signed ? "LL" : "ULL";
	return c;
}

/* The value of the part at @p. */
static struct content part_content(const struct btf_type *t, const void *p, enum raw_kind what)
{
	const struct btf_member *m = p;
	const struct btf_enum *e = p;
	const struct btf_var_secinfo *v = p;
	bool flag = BTF_INFO_KFLAG(t->info);

	switch (what) {
	case W_MEMBER_TYPE:
		return of_number(m->type);
	case W_MEMBER_OFFSET:
		return of_number(flag ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset);
	case W_MEMBER_BITS:
		return of_number(flag ? BTF_MEMBER_BITFIELD_SIZE(m->offset) : 0);
	case W_ENUM_VALUE:
		return flag ? of_signed(e->val) : of_number((uint32_t)e->val);
	case W_ENUM64_VALUE:
		return enum64_content(t, p);
	case W_PARAM_TYPE:
		return of_number(((const struct btf_param *)p)->type);
	case W_SEC_TYPE:
		return of_number(v->type);
	case W_SEC_OFFSET:
		return of_number(v->offset);
	default:
		return of_number(v->size);
	}
}

static struct content type_content(const struct btf_type *t, enum raw_kind what)
{
	uint32_t word;

	switch (what) {
	case W_TYPE:
		return of_number(t->type);
	case W_SIZE:
		return of_number(t->size);
	case W_VLEN:
		return of_number(btf_vlen_of(t));
	case W_ARRAY_TYPE:
		return of_number(btf_array_of(t)->type);
	case W_ARRAY_INDEX:
		return of_number(btf_array_of(t)->index_type);
	case W_ARRAY_NELEMS:
		return of_number(btf_array_of(t)->nelems);
	case W_ENUM_ENCODING:
		return of_word(BTF_INFO_KFLAG(t->info) ? "SIGNED" : "UNSIGNED");
	case W_FWD_KIND:
		return of_word(BTF_INFO_KFLAG(t->info) ? "union" : "struct");
	case W_LINKAGE:
		return of_word(linkage_word(btf_vlen_of(t)));
	default:
		break;
	}
	/* The other kinds are followed by one word. */
	memcpy(&word, t + 1, sizeof(word));
	switch (what) {
	case W_INT_OFFSET:
		return of_number(BTF_INT_OFFSET(word));
	case W_INT_BITS:
		return of_number(BTF_INT_BITS(word));
	case W_INT_ENCODING:
		return of_word(encoding_word(BTF_INT_ENCODING(word)));
	case W_VAR_LINKAGE:
		return of_word(linkage_word(word));
	default:
		return of_signed((int32_t)word);
	}
}

static const struct kind_row *row_of(const struct btf_type *type)
{
	return &rows[type && btf_kind_of(type) < ARRAY_SIZE(rows) ? btf_kind_of(type) : BTF_KIND_UNKN];
}

static uint32_t first_word(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static const char *name_or_anon(const char *name)
{
	return *name ? name : "(anon)";
}

static void attr_write(struct doc *d, const struct attr *a, struct content c)
{
	if (a->nonzero && !c.number)
		return;
	if (c.word)
		doc_word(d, &a->member, c.word);
	else
		doc_number(d, &a->member, c.minus, c.number);
	if (c.suffix)
		doc_text(d, c.suffix);
}

static const struct doc_member member_id = DOC_MEMBER("[", "id"), member_kind = DOC_MEMBER("] ", "kind"),
			       member_name = DOC_MEMBER(" '", "name"), part_name = DOC_MEMBER("\t'", "name");

static void part_write(const struct btf_types *t, const struct btf_type *type, const struct parts *parts,
		       const unsigned char *p, struct doc *d)
{
	uint32_t first = first_word(p);

	doc_object(d, NULL);
	if (parts->named) {
		doc_word(d, &part_name, name_or_anon(btf_str(t, first)));
		doc_text(d, "'");
	}
	for (size_t i = 0; i < parts->n; i++)
		attr_write(d, &parts->attrs[i], part_content(type, p, parts->attrs[i].what));
	if (!parts->named && btf_type(t, first)) {
		doc_text(d, " (");
		doc_text(d, row_of(btf_type(t, first))->name);
		doc_text(d, " '");
		doc_text_escape(d, name_or_anon(btf_name(t, first)));
		doc_text(d, "')");
	}
	doc_end(d);
	doc_text(d, "\n");
}

void raw_write(const struct btf_types *t, uint32_t id, struct doc *d)
{
	const struct btf_type *type = btf_type(t, id);
	const struct kind_row *row = row_of(type);
	const unsigned char *p = type ? (const unsigned char *)(type + 1) : NULL;
	char newer[sizeof("UNKNOWN(127)")];

	doc_object(d, NULL);
	doc_number(d, &member_id, false, id);
	if (type && row == rows)
		snprintf(newer, sizeof(newer), "UNKNOWN(%u)", ABI_BTF_KIND(type->info));
	doc_word(d, &member_kind, type && row == rows ? newer : row->name);
	doc_word(d, &member_name, name_or_anon(btf_name(t, id)));
	doc_text(d, "'");
	for (size_t i = 0; i < row->n; i++)
		attr_write(d, &row->attrs[i], type_content(type, row->attrs[i].what));
	doc_text(d, "\n");
	if (row->parts) {
		doc_list(d, row->parts->list);
		for (unsigned i = 0; i < btf_vlen_of(type); i++, p += row->parts->size)
			part_write(t, type, row->parts, p, d);
		doc_end(d);
	}
	doc_end(d);
}
