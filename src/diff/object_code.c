/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/xlated.h"
#include "cli/env.h"
#include "diff/code.h"
#include "diff/compared.h"
#include "kernel/hooks.h"
#include "kernel/names.h"
#include "kernel/secname.h"
#include "object/file.h"
#include "types/btf.h"

static void func_text(struct objects *c, unsigned side, const struct object_func *f, struct edit_lines *ret)
{
	struct xlated x;

	object_code(c->o[side], &c->names[side], f, &x);
	if (c->plain)
		x.src = (struct code_info){ 0 };
	code_text(&x, NULL, c->env->keep, ret);
}

/* Does the verifier check it alone, for all arguments, or where it is called? As JSON; NULL: not known. */
static const char *global_json(const struct objects *c, unsigned side, const struct object_func *f)
{
	const struct btf_type *t = object_type_named(c, side, f->name);

	return !t || btf_kind_of(t) != BTF_KIND_FUNC ? NULL : btf_vlen_of(t) == BTF_FUNC_STATIC ? "false" : "true";
}

static const char *type_of(const struct object *o, const struct object_func *f)
{
	const struct secname_guess guess = secname_guess(o->elf.sects[f->section].name);

	return f->program && guess.hook ? names_of(&names_prog_type, guess.hook->progs[0]) : NULL;
}

static void func_compare(struct objects *c, const struct object_func *old, const struct object_func *new)
{
	struct object_difference d = {
		new->program ? "prog" : "func", type_of(c->o[1], new), new->name, true, true, "global"
	};
	struct edit_lines a = { 0 }, b = { 0 };

	d.before = global_json(c, 0, old);
	d.after = global_json(c, 1, new);
	if (d.before && d.after && strcmp(d.before, d.after))
		c->fn(c->ctx, &d);
	func_text(c, 0, old, &a);
	func_text(c, 1, new, &b);
	edits_find(&a, &b, c->env->keep, &d.code);
	d.field = "insns";
	d.before = arena_fmt(c->env->keep, "%llu", llu(old->size / INSN_SIZE));
	d.after = arena_fmt(c->env->keep, "%llu", llu(new->size / INSN_SIZE));
	if (d.code.n)
		c->fn(c->ctx, &d);
}

void object_code_compare(struct objects *c)
{
	uint64_t *key[2];
	struct pairs p;

	pairs_init(&p, c->env->keep, c->o[0]->nfuncs, c->o[1]->nfuncs);
	for (unsigned side = 0; side < 2; side++) {
		key[side] = arena_array(c->env->keep, p.n[side], sizeof(**key));
		for (uint32_t i = 0; i < p.n[side]; i++)
			key[side][i] = hash_text(HASH_TEXT, c->o[side]->funcs[i].name);
	}
	pairs_find(&p, (const uint64_t *const[]){ key[0], key[1] });
	for (unsigned side = 0; side < 2; side++)
		for (uint32_t i = 0; i < p.n[side]; i++) {
			const struct object_func *f = &c->o[side]->funcs[i];
			const uint32_t other = p.other[side][i];

			if (other && side)
				func_compare(c, &c->o[0]->funcs[other - 1], f);
			else if (!other && !f->program)
				c->fn(c->ctx, &(struct object_difference){ "func", NULL, f->name, !side, side });
		}
}
