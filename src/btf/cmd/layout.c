/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/paint.h"
#include "types/btf.h"
#include "btf/cmd/commands.h"
#include "types/declare.h"
#include "types/layout.h"
#include "types/types_ref.h"
#include "record/field.h"
#include "render/doc.h"

static const struct field member_fields[] = {
	FIELD(layout_member, name, "name", "name of the member, empty if it is anonymous"),
	FIELD(layout_member, path, "member", "member, with the names of the members that contain it"),
	FIELD(layout_member, type, "type", "type of the member"),
	FIELD(layout_member, type_id, "type_id", "number of the type (of the member)"),
	FIELD(layout_member, depth, "depth", "number of types in between (anonymous types that contain it)"),
	FIELD(layout_member, offset, "offset", "offset in bytes, for a bit field that of its unit"),
	FIELD(layout_member, size, "size", "size in bytes, for a bit field that of its unit"),
	FIELD(layout_member, bit_offset, "bit_offset", "first bit within its unit", .flags = FIELD_NONZERO),
	FIELD(layout_member, bits, "bits", "size of a bit field in bits", .flags = FIELD_NONZERO),
	FIELD(layout_member, hole, "hole", "unused bytes before it"),
	FIELD(layout_member, bit_hole, "bit_hole", "unused bits before it"),
	FIELD(layout_member, overlap, "overlap", "bytes that it shares with members before it", .flags = FIELD_NONZERO),
	FIELD(layout_member, padding, "padding", "unused bytes at the end of the type"),
};
static const struct schema member_schema = SCHEMA("member", layout_member, member_fields);

static const struct field layout_fields[] = {
	FIELD(layout, id, "id", "number of the type", .also = "type_id", .flags = FIELD_DEFAULT),
	FIELD(layout, kind, "kind", "kind: struct or union", .role = ROLE_KIND, .flags = FIELD_DEFAULT),
	FIELD(layout, name, "name", "name of the type, or of the typedef of an anonymous one", .role = ROLE_NAME,
	      .flags = FIELD_DEFAULT),
	FIELD(layout, size, "size", "size in bytes", .flags = FIELD_DEFAULT),
	FIELD(layout, nmembers, "nr_members", "members, without those of anonymous types", .title = "MEMBERS",
	      .flags = FIELD_DEFAULT),
	FIELD(layout, holes, "holes", "gaps between members with unused bytes", .flags = FIELD_DEFAULT),
	FIELD(layout, sum_holes, "sum_holes", "unused bytes between members", .flags = FIELD_DEFAULT, .drop = 2),
	FIELD(layout, padding, "padding", "unused bytes at the end of the type", .flags = FIELD_DEFAULT, .drop = 1),
	FIELD(layout, sum_members, "sum_members", "bytes of members that are not bit fields"),
	FIELD(layout, sum_bits, "sum_bits", "bits of bit fields"),
	FIELD(layout, bit_holes, "bit_holes", "gaps between members with unused bits"),
	FIELD(layout, sum_bit_holes, "sum_bit_holes", "unused bits between members"),
	FIELD(layout, bit_padding, "bit_padding", "unused bits after the last bit field"),
	FIELD(layout, paddings, "paddings", "members whose type ends with unused bytes"),
	FIELD(layout, sum_paddings, "sum_paddings", "unused bytes at the end of types of members"),
	FIELD(layout, excess, "excess", "bytes by which members exceed the type", .flags = FIELD_NONZERO),
	FIELD(layout, cachelines, "cachelines", "cache lines of 64 bytes"),
	FIELD_ROWS(layout, members, listed, &member_schema, "layout", "members, including those of anonymous types"),
};
#define NFIELDS ARRAY_SIZE(layout_fields)
const struct schema layout_schema = SCHEMA("layout", layout, layout_fields);
const struct schema sizes_schema = {
	.name = "type",
	.fields = layout_fields,
	.n = NFIELDS - 1,
	.rec_size = sizeof(struct layout),
};

#define COMMENT_COLUMN 56u /* column of the offsets, as in pahole */

struct printer {
	struct out *o;
	const struct btf_types *t;
	uint64_t lines;		     /* cache lines begun so far */
	uint32_t open[LAYOUT_DEPTH]; /* members whose braces are open */
	unsigned depth;
};

static void indent(struct printer *p, unsigned n)
{
	while (n--)
		out_char(p->o, '\t');
}

/* Prints offset and size after a declaration that ends in column @at. */
static void place_print(struct printer *p, const struct layout_member *m, size_t at)
{
	out_fmt(p->o, "%*s/* ", at < COMMENT_COLUMN ? (int)(COMMENT_COLUMN - at) : 1, "");
	if (m->bits)
		out_fmt(p->o, "%5llu:%2u  %llu */\n", llu(m->offset), m->bit_offset, llu(m->size));
	else
		out_fmt(p->o, "%5llu %5llu */\n", llu(m->offset), llu(m->size));
}

static void line_print(struct printer *p, const struct layout_member *m, const struct str *text)
{
	indent(p, p->depth + 1);
	out_textn(p->o, text->p, text->n);
	place_print(p, m, (p->depth + 1) * 8 + text->n);
}

static void brace_close(struct printer *p, const struct layout *l)
{
	const struct layout_member *m = &l->members[p->open[--p->depth]];
	STR base = { 0 };
	STR decl = { 0 };
	STR text = { 0 };

	btf_declare(p->t, m->type_id, m->name, &base, &decl);
	str_fmt(&text, "}%s%s;", decl.n ? " " : "", decl.n ? decl.p : "");
	line_print(p, m, &text);
}

static void hole_print(struct printer *p, const char *verb, uint64_t n, const char *unit, const char *what)
{
	if (!n)
		return;
	out_char(p->o, '\n');
	indent(p, p->depth + 1);
	out_paint(p->o, ROLE_HOLE);
	out_fmt(p->o, "/* XXX %s%" PRIu64 " %s%s %s */", verb, n, unit, plural(n), what);
	out_paint(p->o, ROLE_NONE);
	out_char(p->o, '\n');
}

static void holes_print(struct printer *p, const struct layout_member *m)
{
	hole_print(p, "", m->bit_hole, "bit", "hole");
	hole_print(p, "", m->hole, "byte", "hole");
	hole_print(p, "shares ", m->overlap, "byte", "with members before it");
	if (m->hole || m->bit_hole || m->overlap)
		out_char(p->o, '\n');
}

static void boundary_print(struct printer *p, const struct layout_member *m)
{
	uint64_t line = m->offset / CACHELINE;

	if (line <= p->lines)
		return;
	p->lines = line;
	indent(p, p->depth + 1);
	out_fmt(p->o, "/* --- cache line %llu (%llu bytes) ", llu(line), llu(line) * CACHELINE);
	if (m->offset % CACHELINE)
		out_fmt(p->o, "began %llu bytes ago ", llu(m->offset % CACHELINE));
	out_str(p->o, "--- */\n");
}

static void member_print(struct printer *p, const struct layout *l, uint32_t i)
{
	const struct layout_member *m = &l->members[i];
	STR base = { 0 };
	STR decl = { 0 };
	STR text = { 0 };

	while (p->depth > m->depth)
		brace_close(p, l);
	holes_print(p, m);
	boundary_print(p, m);
	btf_declare(p->t, m->type_id, m->name, &base, &decl);
	if (m->open) {
		indent(p, p->depth + 1);
		/* "struct {...}" */
		out_textn(p->o, base.p, base.n - strlen("...}"));
		out_char(p->o, '\n');
		p->open[p->depth++] = i;
		return;
	}
	str_fmt(&text, "%s%s%s", base.p, decl.n || m->bits ? " " : "", decl.n ? decl.p : "");
	if (m->bits)
		str_fmt(&text, ":%u", m->bits);
	str_puts(&text, ";");
	line_print(p, m, &text);
	if (m->padding) {
		indent(p, p->depth + 1);
		out_fmt(p->o, "/* XXX its type has %llu byte%s of padding */\n", llu(m->padding), plural(m->padding));
	}
}

/* If there are holes of either kind, the sums of both kinds of members are printed. */
static void holes_sum(struct out *o, const struct layout *l)
{
	bool any = l->holes || l->bit_holes;

	if (l->holes || (any && l->sum_members)) {
		out_fmt(o, "\t/* sum members: %llu", llu(l->sum_members));
		if (l->holes)
			out_fmt(o, ", holes: %u, sum holes: %llu", l->holes, llu(l->sum_holes));
		out_str(o, " */\n");
	}
	if (any && l->sum_bits) {
		out_fmt(o, "\t/* sum bitfield members: %llu bits", llu(l->sum_bits));
		if (l->bit_holes)
			out_fmt(o, ", bit holes: %u, sum bit holes: %llu bits", l->bit_holes, llu(l->sum_bit_holes));
		else
			out_fmt(o, " (%llu bytes)", llu(l->sum_bits / 8));
		out_str(o, " */\n");
	}
}

static void sums_print(struct out *o, const struct layout *l)
{
	out_fmt(o, "\n\t/* size: %llu, cachelines: %u, members: %u */\n", llu(l->size), l->cachelines, l->nmembers);
	holes_sum(o, l);
	if (l->padding)
		out_fmt(o, "\t/* padding: %llu */\n", llu(l->padding));
	if (l->bit_padding)
		out_fmt(o, "\t/* bit_padding: %llu bits */\n", llu(l->bit_padding));
	if (l->excess)
		out_fmt(o, "\t/* XXX members exceed it by %llu byte%s */\n", llu(l->excess), plural(l->excess));
	if (l->paddings)
		out_fmt(o, "\t/* paddings: %u, sum paddings: %llu */\n", l->paddings, llu(l->sum_paddings));
	if (l->size % CACHELINE)
		out_fmt(o, "\t/* last cacheline: %llu bytes */\n", llu(l->size % CACHELINE));
}

/* Prints a layout as C with comments. */
struct drawing {
	const struct btf_types *t;
	const struct layout *l;
};
static void layout_draw(void *ctx, struct out *o)
{
	const struct drawing *d = ctx;
	const struct layout *l = d->l;
	struct printer p = { .o = o, .t = d->t };
	bool named = *btf_name(d->t, l->id), typedefed = !named && *l->name;
	uint32_t i;

	out_str(o, typedefed ? "typedef " : "");
	out_paint(o, ROLE_KIND);
	out_str(o, l->kind);
	out_paint(o, ROLE_NONE);
	if (named)
		out_char(o, ' ');
	out_paint(o, ROLE_NAME);
	out_text(o, named ? l->name : "");
	out_paint(o, ROLE_NONE);
	out_str(o, " {\n");
	for (i = 0; i < l->listed; i++)
		member_print(&p, l, i);
	while (p.depth)
		brace_close(&p, l);
	sums_print(o, l);
	out_str(o, typedefed ? "} " : "}");
	out_text(o, typedefed ? l->name : "");
	out_str(o, ";\n");
}

struct layout_opts {
	const char *type, *name;
	struct types_ref from;
};
static bool is_sort(const char *word)
{
	return !strcmp(word, "struct") || !strcmp(word, "union") || !strcmp(word, "typedef");
}

/* Only after the word struct, union or typedef. */
static void offer_named(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	if (before->n && is_sort(before->word[before->n - 1]))
		btf_offer_types(env, before, typed, offer, ctx);
}

static const struct arg layout_args[] = {
	OPERAND("TYPE", ARG_STR, struct layout_opts, type, "a struct, union, or typedef of one, by name or number",
		.offers = btf_offer_types),
	ARG("NAME", ARG_STR, struct layout_opts, name, "the name, if TYPE is struct, union or typedef, as in C",
	    .flags = ARG_FOLLOWS, .offers = offer_named),
	FROM_ARG(struct layout_opts, from),
};

/* All types with that name that are structs or unions; several typedefs may refer to the same one. */
static size_t layouts_read(struct env *env, struct layouts *ls, const uint32_t *ids, size_t n, struct layout *ret)
{
	struct hash seen;
	size_t found = 0;

	hash_init(&seen, env->keep);
	for (size_t i = 0; i < n; i++) {
		void **at;

		if (layout_read(ls, ids[i], env->keep, &ret[found]))
			continue;
		at = hash_put(&seen, ret[found].id);
		if (*at)
			continue;
		*at = ret;
		/* An anonymous type only has the name of the typedef. */
		if (!*ret[found].name)
			ret[found].name = btf_name(ls->t, ids[i]);
		found++;
	}
	return found;
}

static int layout_run(struct env *env, const void *opts, struct err *e)
{
	const struct layout_opts *o = opts;
	const struct btf_types *t;
	struct layouts ls;
	struct layout *all;
	struct doc d;
	const uint32_t *ids;
	size_t i, n;
	int err;

	if (o->name && !is_sort(o->type))
		return err_usage(e, "unexpected argument '%.64s'", o->name);
	err = btf_types_get(env, &o->from, &t, e);
	if (!err)
		err = btf_types_find(env, t, o->name ? arena_fmt(env->keep, "%s %s", o->type, o->name) : o->type, &ids,
				     &n, e);
	if (err)
		return err;
	btf_types_whole(env, t);
	all = arena_array(env->keep, n, sizeof(*all));
	layouts_init(&ls, t, env->keep);
	n = layouts_read(env, &ls, ids, n, all);
	if (!n)
		return err_set(e, -EINVAL, "'%s' is not a struct or union", o->type);
	env_doc(env, &d);
	if (n > 1)
		doc_stream(&d, NULL);
	for (i = 0; i < n && !doc_dead(&d); i++) {
		struct drawing drawing = { t, &all[i] };

		layout_words(t, &all[i], env->keep);
		doc_text(&d, i ? "\n" : "");
		doc_drawn(&d, &layout_schema, &all[i], layout_draw, &drawing);
	}
	if (n > 1)
		doc_end(&d);
	env_doc_end(env, &d);
	return 0;
}

const struct command btf_cmd_layout = {
	.name = "layout",
	.summary = "show offsets, sizes and holes of a type",
	.help = "Prints a struct or union like pahole(1): after each member its offset and size in bytes, for a bit "
		"field the offset, first bit and size of its integer; unused bytes and bits, the start of cache "
		"lines of 64 bytes, and totals. Members of anonymous types are printed with their offsets in the "
		"whole type. If several types have the name, all are printed.",
	.example = "btf layout value from map name maps.data",
	.schema = &layout_schema,
	ARGS(layout_args, struct layout_opts),
	.flags = CMD_READ | CMD_OURS,
	.run = layout_run,
};
