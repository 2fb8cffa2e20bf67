/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/objects.h"

#include "base/infile.h"
#include "cli/env.h"
#include "diff/compared.h"
#include "host/elf/elf.h"
#include "object/file.h"
#include "object/needs.h"
#include "object/object.h"
#include "object/refusals.h"
#include "render/jsonw.h"
#include "render/render.h"
#include "types/btf.h"

bool objects_are(const char *path)
{
	return infile_is(path, elf_is);
}

/* Records of one kind of part; their first field is the name. */
struct object_parts {
	const char *kind;
	const struct schema *s;
	const char *const *follows; /* fields that follow from what else is compared, or change with each line added */
	bool sections;		    /* parts in different sections may have one name */
	const void *rows[2];
	uint32_t n[2];
};

/* What follows from the section's name, and from the instructions. */
static const char *const prog_follows[] = { "type",  "attach_type", "target",	   "sleepable",	       "autoload",
					    "insns", "total_insns", "subprograms", "core_relocations", "file",
					    "line",  NULL };
static const char *const var_follows[] = { "offset", "size", NULL };

static bool follows(const struct object_parts *p, const char *field)
{
	for (const char *const *f = p->follows; f && *f; f++)
		if (!strcmp(*f, field))
			return true;
	return false;
}

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

static const void *row_at(const struct object_parts *p, unsigned side, uint32_t i)
{
	return (const char *)p->rows[side] + (size_t)i * p->s->rec_size;
}

const char *object_value_json(struct objects *c, const struct field *f, const struct value *v)
{
	struct jsonw_text t;
	struct jsonw *w;

	if (v->avail != AVAIL_YES)
		return "null";
	w = jsonw_text_begin(&t);
	render_json_value(w, f, v);
	return jsonw_text_end(&t, c->env->keep);
}

static const char *row_value(struct objects *c, const struct object_parts *p, const struct field *f, const void *row)
{
	const struct value v = field_get(p->s, f, row);

	return object_value_json(c, f, &v);
}

static void rows_compare(struct objects *c, const struct object_parts *p, const void *a, const void *b)
{
	struct object_difference d = { p->kind, row_text(p, b, "type"), row_text(p, b, "name"), true, true };

	for (const struct field *f = p->s->fields + 1; f < p->s->fields + p->s->n; f++) {
		d.field = f->name;
		d.before = row_value(c, p, f, a);
		d.after = row_value(c, p, f, b);
		if (!follows(p, f->name) && strcmp(d.before, d.after) != 0)
			c->fn(c->ctx, &d);
	}
}

/* By name and section, then by name only: a variable whose value becomes 0 moves to .bss. */
static void rows_pair(struct objects *c, const struct object_parts *p, struct pairs *ret)
{
	uint64_t *key[2];

	pairs_init(ret, c->env->keep, p->n[0], p->n[1]);
	for (int sections = p->sections; sections >= 0; sections--) {
		for (unsigned side = 0; side < 2; side++) {
			key[side] = arena_array(c->env->keep, p->n[side], sizeof(**key));
			for (uint32_t i = 0; i < p->n[side]; i++) {
				const void *row = row_at(p, side, i);
				const uint64_t name = hash_text(HASH_TEXT, row_text(p, row, "name"));

				key[side][i] = sections ? hash_text(name, row_text(p, row, "section")) : name;
			}
		}
		pairs_find(ret, (const uint64_t *const[]){ key[0], key[1] });
	}
}

static void parts_compare(struct objects *c, const struct object_parts *p)
{
	struct pairs pairs;

	rows_pair(c, p, &pairs);
	for (unsigned side = 0; side < 2; side++)
		for (uint32_t i = 0; i < p->n[side]; i++) {
			const void *row = row_at(p, side, i);
			const uint32_t other = pairs.other[side][i];

			if (!other)
				c->fn(c->ctx, &(struct object_difference){ p->kind, row_text(p, row, "type"),
									   row_text(p, row, "name"), !side, side });
			else if (side)
				rows_compare(c, p, row_at(p, 0, other - 1), row);
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

			if (n->state != NEEDED_LOADER && hash_get(&has[side], need_key(n)) == n &&
			    !hash_get(&has[!side], need_key(n)))
				c->fn(c->ctx, &(struct object_difference){ "need", needed_words[n->kind], n->name,
									   !side, side });
		}
	return err;
}

/* What is true of the file as a whole. */
static void files_compare(struct objects *c)
{
	static const char *const names[] = { "license", "kern_version", "arch" };
	const struct object_parts p = { "object", &object_schema };
	struct object_difference d = { "object", NULL, NULL, true, true };
	struct object_rec rec[2] = { 0 };

	for (unsigned side = 0; side < 2; side++) {
		rec[side].license = object_license(c->o[side]);
		rec[side].version = object_version(c->o[side]);
		rec[side].arch = object_arch(c->o[side]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct field *f = schema_find(p.s, NULL, names[i], NULL);

		d.field = f->name;
		d.before = row_value(c, &p, f, &rec[0]);
		d.after = row_value(c, &p, f, &rec[1]);
		if (strcmp(d.before, d.after))
			c->fn(c->ctx, &d);
	}
}

/* Maps that libbpf makes from data sections are compared by their variables. */
static void defined_maps(const struct object *o, struct arena *a, const struct object_map **ret, uint32_t *ret_n)
{
	const struct object_map *all;
	struct object_map *maps;
	uint32_t n;

	object_maps(o, &all, &n);
	maps = arena_array(a, n, sizeof(*maps));
	*ret_n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!all[i].internal)
			maps[(*ret_n)++] = all[i];
	*ret = maps;
}

/* The parts with names, in the order in which they are printed: programs first. */
enum { PROGS, MAPS, VARIABLES, EXTERNS, PARTS };

static int parts_read(struct objects *c, unsigned side, struct object_parts *p, struct err *e)
{
	const struct object *o = c->o[side];
	const struct object_prog *progs;
	const struct object_map *maps;
	const struct object_var *vars;
	const struct object_extern *externs;

	if (object_progs(o, &progs, &p[PROGS].n[side], e))
		return e->code;
	defined_maps(o, c->env->keep, &maps, &p[MAPS].n[side]);
	object_vars(o, false, &vars, &p[VARIABLES].n[side]);
	object_externs(o, &externs, &p[EXTERNS].n[side]);
	p[PROGS].rows[side] = progs;
	p[MAPS].rows[side] = maps;
	p[VARIABLES].rows[side] = vars;
	p[EXTERNS].rows[side] = externs;
	return 0;
}

static void types_index(struct objects *c, unsigned side)
{
	const struct btf_types *t = c->o[side]->btf;

	hash_init(&c->types[side], c->env->keep);
	for (uint32_t id = 1; t && id < btf_count(t); id++) {
		const struct btf_type *type = btf_type(t, id);

		if (btf_kind_of(type) == BTF_KIND_FUNC || btf_kind_of(type) == BTF_KIND_VAR)
			*hash_put(&c->types[side], hash_text(HASH_TEXT, btf_str(t, type->name_off))) =
				(void *)(uintptr_t)type;
	}
}

int objects_compare(struct env *env, const char *const path[2], object_differs *fn, void *ctx, struct err *e)
{
	struct objects c = { .env = env, .fn = fn, .ctx = ctx };
	struct object_parts parts[PARTS] = { { "prog", &object_prog_schema, prog_follows },
					     { "map", &object_map_schema },
					     { "variable", &object_var_schema, var_follows, .sections = true },
					     { "extern", &object_extern_schema } };
	struct object_parts *vars = &parts[VARIABLES];

	for (unsigned i = 0; i < 2; i++) {
		int err = object_open(env, &(struct object_path){ .path = path[i] }, &c.o[i], e);

		if (!err)
			err = parts_read(&c, i, parts, e);
		if (err)
			return err;
		object_data_names(c.o[i], &c.names[i]);
		types_index(&c, i);
	}
	c.plain = !c.o[0]->btf != !c.o[1]->btf;
	files_compare(&c);
	for (unsigned i = 0; i < PARTS; i++) {
		if (i == PROGS || !c.plain)
			parts_compare(&c, &parts[i]);
		if (i == PROGS)
			object_code_compare(&c);
	}
	if (c.plain)
		str_fit(env->report->note, sizeof(env->report->note),
			"%s has no BTF: maps, variables, externs and types are not compared",
			path[c.o[0]->btf != NULL]);
	else
		object_data_compare(&c, (const struct object_var *const[]){ vars->rows[0], vars->rows[1] }, vars->n);
	object_types_compare(&c);
	return c.plain ? 0 : needs_compare(&c, e);
}
