/* SPDX-License-Identifier: BSD-2-Clause */
#include "object/file.h"

#include <elf.h>

#include "code/xlated.h"

/*
 * Functions are the code of executable sections. Symbols of type FUNC with a size divide it; where there are none, as
 * LLVM wrote objects before it knew the size of functions, other symbols do, each up to the next; the rest belongs to
 * no symbol.
 */
static const struct object_why is_static = { "it is static", "omit 'static': only functions in .text may be" };
static const struct object_why is_untyped = { "its symbol has no type or size, as old versions of LLVM wrote them",
					      "compile it with a newer clang" };
static const struct object_why is_outside = {
	"other functions call it, and it is not in .text",
	"omit its section: libbpf takes functions outside of .text for programs, which cannot be called",
};
static const struct object_why is_nameless = { "it has no symbol", "compile it without removing symbols" };

enum rank { SIZED, UNSIZED, GLOBAL, LOCAL, BEGINNING };
struct start {
	struct object_func func; /* name NULL: the beginning of a section; size 0: up to the next one */
	enum rank rank;
	uint32_t index;
};

bool object_is_code(const struct elf_sect *s)
{
	return s->type == SHT_PROGBITS && s->flags & SHF_EXECINSTR && s->p && s->size;
}

static int start_order(const void *pa, const void *pb)
{
	const struct start *a = pa, *b = pb;

	return NUM_CMP(a->func.section, b->func.section) ?:
		       NUM_CMP(a->func.off, b->func.off) ?:
		       NUM_CMP(a->rank, b->rank)	 ?:
							   NUM_CMP(a->index, b->index);
}

struct object_func *object_func_at(const struct object *o, uint32_t section, uint64_t off)
{
	const struct object_func *all = o->funcs;
	const size_t at =
		ARRAY_LOWER(o->nfuncs, i,
			    all[i].section < section || (all[i].section == section && all[i].off + all[i].size <= off));

	return at < o->nfuncs && all[at].section == section && all[at].off <= off ? &o->funcs[at] : NULL;
}

static bool is_label(const char *name)
{
	return !*name || str_starts(name, "LBB") || str_starts(name, ".L");
}

/* The function that begins at a symbol; false: none does. */
static bool start_of(const struct object *o, const struct elf_symbol *s, struct start *ret)
{
	const struct elf_sect *sect = &o->elf.sects[s->section];
	const bool func = s->type == STT_FUNC, text = !strcmp(sect->name, ".text");

	if (!object_is_code(sect) || (!func && s->type != STT_NOTYPE))
		return false;
	*ret = (struct start){ .func = { .name = s->name, .section = s->section, .off = s->value } };
	ret->rank = func && s->size ? SIZED : func ? UNSIZED : s->bind != STB_LOCAL ? GLOBAL : LOCAL;
	if (ret->rank == SIZED)
		ret->func.size = s->size;
	else if (is_label(s->name) || s->value % INSN_SIZE || s->value >= sect->size)
		return false;
	ret->func.refused = ret->rank != SIZED ? &is_untyped : s->bind == STB_LOCAL && !text ? &is_static : NULL;
	return true;
}

/* All starts, in order. */
static struct start *starts_read(const struct object *o, struct arena *a, uint32_t *ret_n)
{
	struct start *all = arena_array(a, (size_t)o->elf.nsymbols + o->elf.nsects, sizeof(*all));
	uint32_t n = 0;

	for (uint32_t i = 0; i < o->elf.nsymbols; i++)
		if (start_of(o, &o->elf.symbols[i], &all[n]))
			all[n++].index = i;
	for (uint32_t i = 1; i < o->elf.nsects; i++)
		if (object_is_code(&o->elf.sects[i]))
			all[n++] = (struct start){ .func = { .section = i }, .rank = BEGINNING };
	qsort(all, n, sizeof(*all), start_order);
	*ret_n = n;
	return all;
}

static int func_check(const struct object *o, const struct object_func *f, struct err *e)
{
	if (f->off % INSN_SIZE || f->size % INSN_SIZE)
		return err_set(e, -EBADMSG, "its function %.100s does not consist of complete instructions", f->name);
	if (f->off > o->elf.sects[f->section].size || f->size > o->elf.sects[f->section].size - f->off)
		return err_set(e, -EBADMSG, "its function %.100s is not inside its section", f->name);
	return 0;
}

static void object_func_add(struct object *o, const struct object_func *f, uint64_t off, uint64_t end)
{
	const char *section = o->elf.sects[f->section].name;
	struct object_func *to = &o->funcs[o->nfuncs];

	end -= end % INSN_SIZE;
	if (off >= end)
		return;
	*to = *f;
	to->off = off;
	to->size = end - off;
	if (!to->name)
		to->name = off ? arena_fmt(o->arena, "%s+0x%llx", section, llu(off)) : section;
	o->nfuncs++;
}

/* Code without a symbol. */
static void rest_add(struct object *o, uint32_t section, uint64_t off, uint64_t end)
{
	const struct object_func rest = { .section = section, .refused = &is_nameless };

	object_func_add(o, &rest, off, end);
}

/* The function of one start. @next: where the next one begins; *end: of the functions before. */
static int start_take(struct object *o, const struct start *s, uint64_t next, uint64_t *end, struct err *e)
{
	const struct object_func *f = &s->func, *before = o->nfuncs ? &o->funcs[o->nfuncs - 1] : NULL;
	int err = s->rank == SIZED ? func_check(o, f, e) : 0;

	if (err)
		return err;
	if (f->off < *end && s->rank == SIZED) {
		if (before->off != f->off || before->size != f->size)
			return err_set(e, -EBADMSG, "its functions %.100s and %.100s overlap", before->name, f->name);
		object_ignore(o, "symbol %s is another name of function %s", f->name, before->name);
	}
	if (f->off < *end)
		return 0;
	rest_add(o, f->section, *end, f->off);
	*end = s->rank == SIZED ? f->off + f->size : next;
	if (s->rank == BEGINNING)
		rest_add(o, f->section, f->off, *end);
	else
		object_func_add(o, f, f->off, *end);
	return 0;
}

/* libbpf's rule: functions in .text are subprograms, unless there are no others. */
static void programs_mark(struct object *o)
{
	for (uint32_t i = 0; i < o->nfuncs; i++)
		o->funcs[i].program = o->nfuncs == 1 || strcmp(o->elf.sects[o->funcs[i].section].name, ".text") != 0;
}

/* The functions of one section, of @n starts. */
static int section_take(struct object *o, const struct start *all, uint32_t n, struct err *e)
{
	const uint32_t section = all->func.section;
	const uint64_t size = o->elf.sects[section].size;
	uint64_t end = 0;
	uint32_t k = 0;
	int err = 0;

	for (uint32_t i = 0; i < n && !err; i++) {
		while (k < n && all[k].func.off <= all[i].func.off)
			k++;
		err = start_take(o, &all[i], k < n ? all[k].func.off : size, &end, e);
	}
	rest_add(o, section, end, size);
	if (size % INSN_SIZE)
		object_ignore(o, "the last %u bytes of section %s are not a complete instruction",
			      (unsigned)(size % INSN_SIZE), o->elf.sects[section].name);
	return err;
}

int funcs_read(struct object *o, struct err *e)
{
	ARENA scratch = arena_new();
	uint32_t n, k;
	const struct start *all = starts_read(o, scratch, &n);
	int err = 0;

	o->funcs = arena_array(o->arena, 2 * (size_t)n, sizeof(*o->funcs));
	for (uint32_t i = 0; i < n && !err; i = k) {
		for (k = i + 1; k < n && all[k].func.section == all[i].func.section; k++)
			;
		err = section_take(o, all + i, k - i, e);
	}
	programs_mark(o);
	return err;
}

void funcs_refuse_outside(struct object *o)
{
	for (uint32_t i = 0; i < o->nfuncs; i++)
		for (uint64_t at = 0; at < o->funcs[i].size; at += INSN_SIZE) {
			const struct code_ref to = object_code_ref(o, o->funcs[i].section, o->funcs[i].off + at);

			if (to.kind == CODE_REF_FUNC && to.func->program && !to.func->refused)
				to.func->refused = &is_outside;
		}
}
