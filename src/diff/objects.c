/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/objects.h"

#include "base/infile.h"
#include "btf/diff.h"
#include "cli/env.h"
#include "code/xlated.h"
#include "diff/code.h"
#include "host/elf/elf.h"
#include "object/dump.h"
#include "object/file.h"
#include "object/needs.h"
#include "object/read.h"
#include "record/field.h"
#include "render/jsonw.h"
#include "render/render.h"

struct objects {
	struct env *env;
	struct object *o[2];
	struct data_names names[2];
	bool plain; /* only one file has BTF: code is compared without source lines */
	object_differs *fn;
	void *ctx;
};

bool objects_are(const char *path)
{
	return infile_is(path, elf_is);
}

/* What changes whenever a line is added, and what follows from the instructions, which are compared themselves. */
static bool follows(const char *field)
{
	static const char *const names[] = { "file", "line", "offset", "insns", "total_insns" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], field))
			return true;
	return false;
}

/* Records of one kind of part; their first field is the name. */
struct object_parts {
	const char *kind;
	const struct schema *s;
	bool sections; /* parts in different sections may have one name */
	const void *rows[2];
	uint32_t n[2];
	struct hash by_name[2];
};

static const char *row_text(const struct object_parts *p, const void *row, const char *field)
{
	const struct schema *in;
	const struct field *f = schema_find(p->s, row, field, &in);
	struct value v;

	if (!f)
		return "";
	v = field_get(in, f, row);
	return v.avail == AVAIL_YES && v.type == FT_STR && v.s ? v.s : "";
}

static uint64_t row_key(const struct object_parts *p, const void *row)
{
	const uint64_t key = hash_text(HASH_TEXT, row_text(p, row, "name"));

	return p->sections ? hash_text(key, row_text(p, row, "section")) : key;
}

static const void *row_at(const struct object_parts *p, unsigned side, uint32_t i)
{
	return (const char *)p->rows[side] + (size_t)i * p->s->rec_size;
}

static const char *row_value(struct objects *c, const struct object_parts *p, const struct field *f, const void *row)
{
	const struct value v = field_get(p->s, f, row);
	struct jsonw_text t;
	struct jsonw *w;

	if (v.avail != AVAIL_YES)
		return "null";
	w = jsonw_text_begin(&t);
	render_json_value(w, f, &v);
	return jsonw_text_end(&t, c->env->keep);
}

static void rows_compare(struct objects *c, const struct object_parts *p, const void *a, const void *b)
{
	struct object_difference d = { p->kind, row_text(p, b, "type"), row_text(p, b, "name"), true, true };

	for (const struct field *f = p->s->fields + 1; f < p->s->fields + p->s->n; f++) {
		d.field = f->name;
		d.before = row_value(c, p, f, a);
		d.after = row_value(c, p, f, b);
		if (!follows(f->name) && strcmp(d.before, d.after) != 0)
			c->fn(c->ctx, &d);
	}
}

static void parts_compare(struct objects *c, struct object_parts *p)
{
	for (unsigned side = 0; side < 2; side++) {
		hash_init(&p->by_name[side], c->env->keep);
		for (uint32_t i = 0; i < p->n[side]; i++)
			*hash_put(&p->by_name[side], row_key(p, row_at(p, side, i))) =
				(void *)(uintptr_t)row_at(p, side, i);
	}
	for (unsigned side = 0; side < 2; side++)
		for (uint32_t i = 0; i < p->n[side]; i++) {
			const void *row = row_at(p, side, i), *other = hash_get(&p->by_name[!side], row_key(p, row));

			if (!other)
				c->fn(c->ctx, &(struct object_difference){ p->kind, row_text(p, row, "type"),
									   row_text(p, row, "name"), !side, side });
			else if (side)
				rows_compare(c, p, other, row);
		}
}

static void func_text(struct objects *c, unsigned side, const struct object_func *f, struct text_lines *ret)
{
	struct xlated x;

	object_code(c->o[side], &c->names[side], f, &x);
	if (c->plain)
		x.src = (struct code_info){ 0 };
	code_text(&x, NULL, c->env->keep, ret);
}

static void funcs_compare(struct objects *c)
{
	struct hash by_name, kept;

	hash_init(&by_name, c->env->keep);
	hash_init(&kept, c->env->keep);
	for (uint32_t i = 0; i < c->o[0]->nfuncs; i++)
		*hash_put(&by_name, hash_text(HASH_TEXT, c->o[0]->funcs[i].name)) = &c->o[0]->funcs[i];
	for (uint32_t i = 0; i < c->o[1]->nfuncs; i++)
		*hash_put(&kept, hash_text(HASH_TEXT, c->o[1]->funcs[i].name)) = &c->o[1]->funcs[i];
	for (uint32_t i = 0; i < c->o[0]->nfuncs; i++)
		if (!c->o[0]->funcs[i].program && !hash_get(&kept, hash_text(HASH_TEXT, c->o[0]->funcs[i].name)))
			c->fn(c->ctx, &(struct object_difference){ "func", NULL, c->o[0]->funcs[i].name, true, false });
	for (uint32_t i = 0; i < c->o[1]->nfuncs; i++) {
		const struct object_func *new = &c->o[1]->funcs[i],
					 *old = hash_get(&by_name, hash_text(HASH_TEXT, new->name));
		struct object_difference d = { new->program ? "prog" : "func", NULL, new->name, true, true, "insns" };
		struct text_lines a = { 0 }, b = { 0 };

		if (!old && !new->program)
			c->fn(c->ctx, &(struct object_difference){ "func", NULL, new->name, false, true });
		if (!old)
			continue;
		func_text(c, 0, old, &a);
		func_text(c, 1, new, &b);
		edits_find(&a, &b, c->env->keep, &d.code);
		d.before = arena_fmt(c->env->keep, "%llu", llu(old->size / INSN_SIZE));
		d.after = arena_fmt(c->env->keep, "%llu", llu(new->size / INSN_SIZE));
		if (d.code.n)
			c->fn(c->ctx, &d);
	}
}

static const char *member_json(struct objects *c, const struct diff_side *s, bool there)
{
	struct arena *a = c->env->keep;

	if (!there)
		return "null";
	return jsonw_text_str(s->is_value ? s->text : arena_fmt(a, "%s at byte %llu", s->text, llu(s->offset / 8)), a);
}

static void types_compare(struct objects *c)
{
	struct diff *diff;
	struct diff_type t;

	if (c->plain)
		c->fn(c->ctx,
		      &(struct object_difference){ "btf", NULL, "types", c->o[0]->btf != NULL, c->o[1]->btf != NULL });
	if (!c->o[0]->btf || !c->o[1]->btf)
		return;
	diff = diff_begin(c->o[0]->btf, c->o[1]->btf, c->env->keep);
	while (diff_next(diff, &t)) {
		struct object_difference d = { "btf", t.kind, t.name, t.change != DIFF_ADDED,
					       t.change != DIFF_REMOVED };

		if (!strcmp(t.kind, "func"))
			continue;
		if (t.change != DIFF_CHANGED)
			c->fn(c->ctx, &d);
		for (uint32_t i = 0; i < t.nparts; i++) {
			d.field = t.parts[i].name;
			d.before = member_json(c, &t.parts[i].old, t.parts[i].has_old);
			d.after = member_json(c, &t.parts[i].new, t.parts[i].has_new);
			c->fn(c->ctx, &d);
		}
		if (t.change == DIFF_CHANGED && !t.nparts) {
			d.field = "type";
			d.before = t.old_text ? jsonw_text_str(t.old_text, c->env->keep) : "null";
			d.after = t.new_text ? jsonw_text_str(t.new_text, c->env->keep) : "null";
			c->fn(c->ctx, &d);
		}
	}
}

static uint64_t need_key(const struct needed *n)
{
	return hash_text(hash_text(HASH_TEXT, needed_words[n->kind]), n->name);
}

/* What only one of them needs from a kernel: helpers, kfuncs, members of types (CO-RE), features. */
static int needs_compare(struct objects *c, struct err *e)
{
	struct needs_rec r[2];
	struct hash has[2];
	int err = 0;

	for (unsigned side = 0; side < 2 && !err; side++) {
		struct need_kernel none = { .env = c->env, .name = "", .file = true };

		err = needs_read(c->o[side], &none, &r[side], e);
		hash_init(&has[side], c->env->keep);
		for (uint32_t i = 0; !err && i < r[side].nneeds; i++)
			*hash_put(&has[side], need_key(&r[side].needs[i])) = (void *)&r[side].needs[i];
	}
	for (unsigned side = 0; side < 2 && !err; side++)
		for (uint32_t i = 0; i < r[side].nneeds; i++) {
			const struct needed *n = &r[side].needs[i];

			if (hash_get(&has[side], need_key(n)) == n && !hash_get(&has[!side], need_key(n)))
				c->fn(c->ctx, &(struct object_difference){ "need", needed_words[n->kind], n->name,
									   !side, side });
		}
	return err;
}

/* The parts with names, in the order in which they are printed: programs first. */
enum { PROGS, MAPS, VARIABLES, EXTERNS, PARTS };

static int parts_read(const struct object *o, unsigned side, struct object_parts *p, struct err *e)
{
	const struct object_prog *progs;
	const struct object_map *maps;
	const struct object_var *vars;
	const struct object_extern *externs;

	if (object_progs(o, &progs, &p[PROGS].n[side], e))
		return e->code;
	object_maps(o, &maps, &p[MAPS].n[side]);
	object_vars(o, false, &vars, &p[VARIABLES].n[side]);
	object_externs(o, &externs, &p[EXTERNS].n[side]);
	p[PROGS].rows[side] = progs;
	p[MAPS].rows[side] = maps;
	p[VARIABLES].rows[side] = vars;
	p[EXTERNS].rows[side] = externs;
	return 0;
}

int objects_compare(struct env *env, const char *const path[2], object_differs *fn, void *ctx, struct err *e)
{
	struct objects c = { .env = env, .fn = fn, .ctx = ctx };
	struct object_parts parts[PARTS] = { { "prog", &object_prog_schema },
					     { "map", &object_map_schema },
					     { "variable", &object_var_schema, .sections = true },
					     { "extern", &object_extern_schema } };

	for (unsigned i = 0; i < 2; i++) {
		int err = object_open(env, &(struct object_path){ .path = path[i] }, &c.o[i], e);

		if (!err)
			err = parts_read(c.o[i], i, parts, e);
		if (err)
			return err;
		object_data_names(c.o[i], &c.names[i]);
	}
	c.plain = !c.o[0]->btf != !c.o[1]->btf;
	for (unsigned i = 0; i < PARTS; i++) {
		if (i == PROGS || !c.plain)
			parts_compare(&c, &parts[i]);
		if (i == PROGS)
			funcs_compare(&c);
	}
	if (c.plain)
		str_fit(env->report->note, sizeof(env->report->note),
			"%s has no BTF: maps, variables, externs and types are not compared",
			path[c.o[0]->btf != NULL]);
	types_compare(&c);
	return c.plain ? 0 : needs_compare(&c, e);
}
