/* SPDX-License-Identifier: BSD-2-Clause */

#include "types/btf.h"
#include "object/file.h"
#include "object/read.h"
#include "kernel/secname.h"
#include "kernel/hooks.h"
#include "kernel/names.h"
#include "code/xlated.h"

#define SUBPROGRAMS_MAX (1u << 20) /* of all programs together, because many programs may share many */

/* A search through the calls between functions. */
struct program_calls {
	const struct object *o;
	struct object_func **found; /* room for all functions; also the queue of the search */
	uint32_t n, left;
	struct object_func **callees; /* callees of all functions, in their order */
	uint32_t *first;	      /* by function: index of its first callee; one more at the end */
};

static uint32_t func_calls(const struct object *o, const struct object_func *f, struct object_func **ret)
{
	uint32_t n = 0;

	for (uint64_t at = f->off; at < f->off + f->size; at += INSN_SIZE) {
		struct code_ref t = object_code_ref(o, f->section, at);

		if (t.kind != CODE_REF_FUNC)
			continue;
		if (ret)
			ret[n] = t.func;
		n++;
	}
	return n;
}

static void calls_read(struct program_calls *c, const struct object *o)
{
	uint32_t i, n = 0;

	*c = (struct program_calls){ .o = o, .left = SUBPROGRAMS_MAX };
	c->found = arena_array(o->arena, o->nfuncs, sizeof(*c->found));
	c->first = arena_array(o->arena, (size_t)o->nfuncs + 1, sizeof(*c->first));
	for (i = 0; i < o->nfuncs; i++) {
		c->first[i] = n;
		n += func_calls(o, &o->funcs[i], NULL);
	}
	c->first[i] = n;
	c->callees = arena_array(o->arena, n, sizeof(*c->callees));
	for (i = 0; i < o->nfuncs; i++)
		func_calls(o, &o->funcs[i], c->callees + c->first[i]);
}

/* Find all functions that a program reaches, each once, in the order of the search. 0 or -E2BIG. */
static int calls_reach(struct program_calls *c, const struct object_func *start)
{
	const struct object_func *f = start;
	uint32_t i, done = 0;
	int err = 0;

	c->n = 0;
	do {
		uint32_t at = (uint32_t)(f - c->o->funcs);

		for (i = c->first[at]; i < c->first[at + 1]; i++) {
			struct object_func *to = c->callees[i];

			if (!c->left--) {
				err = -E2BIG;
				break;
			}
			if (to->seen || to == start)
				continue;
			to->seen = true;
			c->found[c->n++] = to;
		}
		f = done < c->n ? c->found[done++] : NULL;
	} while (f && !err);
	for (i = 0; i < c->n; i++)
		c->found[i]->seen = false;
	return err;
}

static void line_read(const struct object *o, const struct object_func *f, struct object_prog *p)
{
	struct ext_part lines = object_ext(o, EXT_LINES, f->section, f->off, f->size);

	if (!lines.n)
		return;
	p->file = btf_str(o->btf, ext_u32(&lines, 0, 1));
	p->line = ext_u32(&lines, 0, 3) >> 10;
}

static int prog_fill(struct program_calls *c, const struct object_func *f, struct object_prog *p, struct err *e)
{
	const struct object *o = c->o;
	struct secname_guess guess = secname_guess(o->elf.sects[f->section].name);
	const char **names;

	*p = (struct object_prog){
		.name = f->name,
		.section = o->elf.sects[f->section].name,
		.target = guess.target,
		.autoload = !guess.manual,
		.insns = f->size / INSN_SIZE,
		.total_insns = f->size / INSN_SIZE,
		.refused = f->refused ? f->refused->why : NULL,
		.func = f,
		.core_relocations = object_ext(o, EXT_CORE, f->section, f->off, f->size).n,
	};
	if (guess.hook) {
		p->type = names_of(&names_prog_type, guess.hook->progs[0]);
		p->attach_type = secname_attach_type(guess.hook);
		p->sleepable = guess.sleepable;
	}
	line_read(o, f, p);
	if (calls_reach(c, f))
		return err_set(e, -E2BIG, "%s: its programs call too many functions", o->path);
	p->nsubprograms = c->n;
	p->subprograms = names = arena_array(o->arena, c->n, sizeof(*names));
	for (uint32_t i = 0; i < c->n; i++) {
		names[i] = c->found[i]->name;
		p->total_insns += c->found[i]->size / INSN_SIZE;
	}
	return 0;
}

int object_progs(const struct object *o, const struct object_prog **ret, uint32_t *ret_n, struct err *e)
{
	struct object_prog *progs;
	struct program_calls c;
	uint32_t i, n = 0;
	int err = 0;

	for (i = 0; i < o->nfuncs; i++)
		n += o->funcs[i].program;
	progs = arena_array(o->arena, n, sizeof(*progs));
	calls_read(&c, o);
	n = 0;
	for (i = 0; i < o->nfuncs && !err; i++)
		if (o->funcs[i].program)
			err = prog_fill(&c, &o->funcs[i], &progs[n++], e);
	if (err)
		return err;
	*ret = progs;
	*ret_n = n;
	return 0;
}
