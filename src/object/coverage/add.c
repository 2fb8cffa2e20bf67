/* SPDX-License-Identifier: BSD-2-Clause */
#include "object/coverage/cover.h"

#include <elf.h>

#include "base/bytes.h"
#include "cli/command.h"
#include "object/read.h"
#include "render/report.h"

/* As many as the verifier processes at most. */
#define INSNS_MAX 1000000u

static int countable_check(const struct object *o, const char *section, struct err *e)
{
	if (o->elf.big != BIG_HERE) {
		err_set(e, -EINVAL, "counters can be added only to an object of this machine's byte order");
		return elf_hint_other_order(e);
	}
	if (o->elf.type != ET_REL)
		return err_set(e, -EINVAL, "it is linked, and relocations are needed to add counters");
	if (object_section(o, COVERAGE_SECTION))
		return err_set(e, -EEXIST, "it has counters already, in section " COVERAGE_SECTION);
	if (object_section(o, section))
		return err_set(e, -EEXIST, "it has a section %.100s, and the counters need one of their own", section);
	if (2 * o->elf.nsects + 1 >= SHN_LORESERVE)
		return err_set(e, -E2BIG, "it has too many sections");
	return o->nfuncs ? 0 : err_set(e, -ENOENT, "it has no code");
}

/* A section is changed as one thing only. */
static int role_check(const struct cover *c, uint32_t section, uint32_t type, struct err *e)
{
	const struct elf_sect *s = &c->o->elf.sects[section];

	if (!section || (s->type == type && s->p && !object_is_code(s)))
		return 0;
	return err_set(e, -EBADMSG, "its section %.100s is of an invalid type", s->name);
}

/* The table of symbols, which elf_object() has read. */
static int symtab_find(struct cover *c, struct err *e)
{
	for (uint32_t i = 1; i < c->o->elf.nsects; i++) {
		const struct elf_sect *s = &c->o->elf.sects[i];

		if (s->type == SHT_RELA)
			return err_set(e, -ENOTSUP, "its section %.100s has relocations with addends", s->name);
		if (s->type == SHT_SYMTAB && !c->symtab)
			c->symtab = i;
	}
	c->first_global = c->sects[c->symtab].info;
	if (!c->symtab || c->first_global > c->o->elf.nsymbols || c->sects[c->symtab].size % sizeof(Elf64_Sym) ||
	    !c->sects[c->symtab].link)
		return err_set(e, -EBADMSG, "it has no valid table of symbols");
	return 0;
}

static int roles_check(const struct cover *c, struct err *e)
{
	int err = role_check(c, c->sects[c->symtab].link, SHT_STRTAB, e);

	if (!err)
		err = role_check(c, c->o->elf.names, SHT_STRTAB, e);
	if (!err)
		err = role_check(c, object_section(c->o, ".BTF"), SHT_PROGBITS, e);
	return err ? err : role_check(c, object_section(c->o, ".BTF.ext"), SHT_PROGBITS, e);
}

static void names_leave(struct covered_func *funcs, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(funcs[i].name, name))
			funcs[i].why = "the verifier refuses its program with counters";
}

static int refused_leave(const struct object *o, const struct arg_list *refused, struct covered_func *funcs,
			 struct err *e)
{
	const struct object_prog *progs;
	uint32_t n = 0;
	int err = refused && refused->n ? object_progs(o, &progs, &n, e) : 0;

	for (uint32_t i = 0; i < n; i++) {
		bool is_refused = false;

		for (size_t k = 0; k < refused->n; k++)
			is_refused |= !strcmp(progs[i].name, refused->word[k]);
		for (uint32_t k = 0; is_refused && k < progs[i].nsubprograms; k++)
			names_leave(funcs, o->nfuncs, progs[i].subprograms[k]);
		if (is_refused)
			names_leave(funcs, o->nfuncs, progs[i].name);
	}
	return err;
}

/* Choose the counters of a function. */
static void func_cover(struct cover *c, const struct object_func *f, struct covered_func *ret)
{
	const size_t first = f->off / INSN_SIZE, insns = f->size / INSN_SIZE;
	ARENA scratch = arena_new();
	struct cover_slot *slots;

	if (insns > INSNS_MAX) {
		ret->why = "it is too large to be loaded";
		return;
	}
	if (!c->slots[f->section])
		c->slots[f->section] =
			arena_array(c->arena, cover_insns(c, f->section) + 1, sizeof(*c->slots[f->section]));
	slots = c->slots[f->section] + first;
	ret->why = cover_plan(c->o->elf.sects[f->section].p + f->off, insns, cover_args(c->o, f, scratch), scratch,
			      slots, &ret->blocks);
	if (ret->why)
		return;
	ret->has_counters = AVAIL_YES;
	ret->first = c->counters;
	c->counters += ret->blocks;
	for (size_t i = 0; i < insns; i++)
		ret->added += slot_more(&slots[i]);
}

static int funcs_cover(struct cover *c, const struct arg_list *refused, struct covered *ret, struct err *e)
{
	const struct object *o = c->o;
	struct covered_func *funcs = arena_array(c->arena, o->nfuncs, sizeof(*funcs));
	int err;

	for (uint32_t i = 0; i < o->nfuncs; i++) {
		funcs[i].name = arena_str(c->arena, o->funcs[i].name, SIZE_MAX);
		funcs[i].section = arena_str(c->arena, o->elf.sects[o->funcs[i].section].name, SIZE_MAX);
	}
	err = refused_leave(o, refused, funcs, e);
	for (uint32_t i = 0; i < o->nfuncs && !err; i++)
		if (!funcs[i].why)
			func_cover(c, &o->funcs[i], &funcs[i]);
	*ret = (struct covered){ funcs, o->nfuncs };
	if (err || c->counters)
		return err;
	return err_set(e, -ENOTSUP, "no counters can be added to its functions: of %.100s, %s", funcs[0].name,
		       funcs[0].why);
}

static void sections_cover(struct cover *c)
{
	const uint32_t old = c->o->elf.nsects;
	const size_t size = c->counters * sizeof(uint64_t);
	uint32_t number = 0;

	for (uint32_t i = 1; i < old; i++)
		if (c->slots[i])
			cover_place(c->slots[i], cover_insns(c, i) + 1, 0);
	for (uint32_t i = 1; i < old; i++)
		if (c->slots[i])
			cover_code(c, i, &number);
	c->sects[old] = (struct elf_sect){
		.name = c->section,
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC | SHF_WRITE,
		.align = sizeof(uint64_t),
		.size = size,
		.p = arena_alloc(c->arena, size),
	};
	c->nsects = old + 1;
}

static int object_cover(struct str *ret, struct covered *ret_covered, struct cover *c, const struct arg_list *refused,
			struct err *e)
{
	const struct object *o = c->o;
	struct elf_object new = o->elf;
	int err = countable_check(o, c->section, e);

	if (err)
		return err;
	c->slots = arena_array(c->arena, o->elf.nsects, sizeof(*c->slots));
	c->uses = arena_array(c->arena, o->elf.nsects, sizeof(*c->uses));
	c->nuses = arena_array(c->arena, o->elf.nsects, sizeof(*c->nuses));
	new.sects = c->sects = arena_array(c->arena, 2 * (size_t)o->elf.nsects + 1, sizeof(*c->sects));
	memcpy(c->sects, o->elf.sects, o->elf.nsects * sizeof(*c->sects));
	err = symtab_find(c, e);
	if (!err)
		err = roles_check(c, e);
	if (!err)
		err = funcs_cover(c, refused, ret_covered, e);
	if (err)
		return err;
	sections_cover(c);
	err = c->too_long ? err_set(e, -E2BIG, "jumps between its functions become too long") : cover_tables(c, e);
	new.nsects = c->nsects;
	return err ? err : elf_write(ret, &new, e);
}

int coverage_add(struct str *ret, struct covered *ret_covered, const struct coverage_ask *ask, const struct str *bytes,
		 struct arena *a, struct err *e)
{
	struct object o;
	struct cover c = { .o = &o, .section = ask->section ? ask->section : COVERAGE_SECTION, .arena = a };
	int err = object_read(&o, ask->path, bytes->p ? bytes->p : "", bytes->n, a, e);

	if (err)
		return err;
	err = object_cover(ret, ret_covered, &c, ask->refused, e);
	return err ? err_in(e, "%s", ask->path) : 0;
}

void coverage_note(const struct covered *c, const char *path, struct report *r)
{
	STR text = { 0 };
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->nfuncs; i++)
		if (c->funcs[i].why)
			str_fmt(&text, "%s%s (%s)", n++ ? ", " : "", c->funcs[i].name, c->funcs[i].why);
	if (n)
		report_note(r, "%s: no counters in %s", path, text.p);
}

static const struct field fields[] = {
	FIELD(covered_func, name, "name", "name of the function", .role = ROLE_NAME, .title = "FUNCTION",
	      .flags = FIELD_DEFAULT),
	FIELD(covered_func, section, "section", "section that it is in", .flags = FIELD_DEFAULT),
	FIELD_IF(covered_func, first, has_counters, "first_counter", "number of its first counter"),
	FIELD_IF(covered_func, blocks, has_counters, "counters", "number of its counters: one for each basic block",
		 .flags = FIELD_DEFAULT),
	FIELD_IF(covered_func, added, has_counters, "added_insns",
		 "number of instructions that were added; an 8-byte load counts as two", .flags = FIELD_DEFAULT),
	FIELD(covered_func, why, "why", "reason: why it has no counters",
	      .flags = FIELD_DEFAULT | FIELD_NONZERO | FIELD_PROSE),
};
const struct schema covered_func_schema = SCHEMA("covered_function", covered_func, fields);
