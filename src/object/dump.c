/* SPDX-License-Identifier: BSD-2-Clause */
#include "object/dump.h"

#include <elf.h>

#include "types/btf.h"
#include "cli/command.h"
#include "object/file.h"
#include "object/read.h"
#include "code/xlated.h"
#include "record/field.h"
#include "render/doc.h"
#include "render/jsonw.h"

/* A variable or defined map, by its offset in a section. */
struct data_name {
	uint32_t section;
	uint64_t off, size;
	const char *name;
};

static int place_order(const void *pa, const void *pb)
{
	const struct data_name *a = pa, *b = pb;

	return NUM_CMP(a->section, b->section) ?: NUM_CMP(a->off, b->off);
}

void object_data_names(const struct object *o, struct data_names *ret)
{
	struct data_name *all;
	uint32_t n = 0;

	for (uint32_t s = 1; s < o->elf.nsects; s++)
		n += o->datasecs[s] ? btf_vlen_of(o->datasecs[s]) : 0;
	all = arena_array(o->arena, n, sizeof(*all));
	n = 0;
	for (uint32_t s = 1; s < o->elf.nsects; s++) {
		for (unsigned i = 0; o->datasecs[s] && i < btf_vlen_of(o->datasecs[s]); i++) {
			const struct btf_var_secinfo *v = &btf_vars_of(o->datasecs[s])[i];
			const char *name = btf_name(o->btf, v->type);
			const struct elf_symbol *symbol = object_symbol(o, name);
			bool here = symbol && symbol->section == s;

			all[n++] = (struct data_name){ s, here ? symbol->value : v->offset, v->size, name };
		}
	}
	qsort(all, n, sizeof(*all), place_order);
	*ret = (struct data_names){ all, n };
}

const char *object_data_name(const struct data_names *all, uint32_t section, uint64_t off, uint64_t *ret_off)
{
	const struct data_name *p = all->p;
	const size_t end =
		ARRAY_LOWER(all->n, i, p[i].section < section || (p[i].section == section && p[i].off <= off));

	if (!end)
		return NULL;
	p += end - 1;
	if (p->section != section || off - p->off >= p->size)
		return NULL;
	*ret_off = off - p->off;
	return p->name;
}

/* A text in a section of texts, quoted; NULL: it is none. */
static const char *literal_of(const struct object *o, uint32_t section, uint64_t off)
{
	const struct elf_sect *s = &o->elf.sects[section];

	if (!(s->flags & SHF_STRINGS) || !s->p || off >= s->size || !memchr(s->p + off, '\0', s->size - off))
		return NULL;
	return jsonw_text_str((const char *)s->p + off, o->arena);
}

static const char *symbol_text(const struct object *o, const struct data_names *places, const struct code_ref *t,
			       bool call)
{
	const struct elf_symbol *s = t->symbol;
	const char *section = o->elf.sects[s->section].name, *name = s->type == STT_SECTION ? NULL : s->name;
	uint64_t off = t->off - s->value;

	if (call)
		return s->name;
	if (s->undefined)
		return arena_fmt(o->arena, "&%s", s->name);
	if (!name)
		name = object_data_name(places, s->section, t->off, &off);
	if (name && (!strcmp(section, ".maps") || !strcmp(section, "maps")))
		return arena_fmt(o->arena, "map[%s]", name);
	if (!name && literal_of(o, s->section, t->off))
		return arena_fmt(o->arena, "&%s", literal_of(o, s->section, t->off));
	if (!name)
		name = section;
	return off ? arena_fmt(o->arena, "&%s+%llu", name, llu(off)) : arena_fmt(o->arena, "&%s", name);
}

static const char *const *refs_read(const struct object *o, const struct data_names *places,
				    const struct object_func *f)
{
	const char **ret = arena_array(o->arena, f->size / INSN_SIZE, sizeof(*ret));

	for (uint64_t at = 0; at < f->size; at += INSN_SIZE) {
		struct code_ref t = object_code_ref(o, f->section, f->off + at);
		bool call = o->elf.sects[f->section].p[f->off + at] == INSN_CALL;

		if (t.kind == CODE_REF_FUNC)
			ret[at / INSN_SIZE] = call ? t.func->name : arena_fmt(o->arena, "&%s", t.func->name);
		else if (t.kind == CODE_REF_SYMBOL)
			ret[at / INSN_SIZE] = symbol_text(o, places, &t, call);
	}
	return ret;
}

static const char *const *cores_read(const struct object *o, const struct object_func *f)
{
	struct ext_part cores = object_ext(o, EXT_CORE, f->section, f->off, f->size);
	const char **ret = cores.n ? arena_array(o->arena, f->size / INSN_SIZE, sizeof(*ret)) : NULL;

	for (uint32_t i = 0; i < cores.n; i++)
		ret[(ext_u32(&cores, i, 0) - f->off) / INSN_SIZE] = object_core_text(o, f->section, &cores, i);
	return ret;
}

/* Records in the file count bytes of the section, those of loaded programs instructions. */
static struct info_array records_of(const struct object *o, enum ext_kind kind, const struct object_func *f)
{
	struct ext_part part = object_ext(o, kind, f->section, f->off, f->size);
	struct info_array ret = { .n = part.n, .size = part.size };
	unsigned char *copy;

	if (!part.n)
		return ret;
	ret.p = copy = arena_dup(o->arena, part.p, (size_t)part.n * part.size);
	for (uint32_t i = 0; i < part.n; i++) {
		uint32_t at = (ext_u32(&part, i, 0) - (uint32_t)f->off) / INSN_SIZE;

		memcpy(copy + (size_t)i * part.size, &at, sizeof(at));
	}
	return ret;
}

void object_code(const struct object *o, const struct data_names *places, const struct object_func *f,
		 struct xlated *ret)
{
	*ret = (struct xlated){
		.image = { o->elf.sects[f->section].p + f->off, f->size },
		.insns = f->size / INSN_SIZE,
		.big = o->elf.big,
		.src.btf = o->btf,
		.targets = refs_read(o, places, f),
		.relocations = cores_read(o, f),
	};
	if (!o->btf)
		return;
	ret->src.funcs = records_of(o, EXT_FUNCS, f);
	ret->src.lines = records_of(o, EXT_LINES, f);
}

struct object_dump_opts {
	struct object_path file;
	const char *function;
	bool opcodes, linum;
};
static const struct arg dump_args[] = {
	FILE_ARGS(struct object_dump_opts, file),
	ARG("function", ARG_STR, struct object_dump_opts, function, "only this program or subprogram",
	    .metavar = "NAME"),
	ARG("opcodes", ARG_FLAG, struct object_dump_opts, opcodes, "print the bytes of each instruction below it"),
	ARG("linum", ARG_FLAG, struct object_dump_opts, linum, "print file, line and column after each source line"),
};

struct func {
	const char *name, *section;
};
static const struct field func_fields[] = {
	FIELD(func, name, "name", "name of the function", .role = ROLE_NAME, .plain = "%", .col = 1),
	FIELD(func, section, "section", "section that it is in", .plain = "%: "),
};
static const struct schema schema_func = SCHEMA("object_function", func, func_fields);

static void func_print(struct doc *d, const struct object *o, const struct data_names *places,
		       const struct object_func *f, const struct xlated_style *style)
{
	const struct func rec = { f->name, o->elf.sects[f->section].name };
	ARENA a = arena_new(); /* of this function alone: the document keeps what is in the object's */
	struct object scratch = *o;
	struct xlated x;

	scratch.arena = a;
	object_code(&scratch, places, f, &x);
	if (doc_is_text(d) && !style->linum)
		code_info_fold(&x.src, NULL, false, a);
	doc_object(d, NULL);
	doc_fields(d, &schema_func, &rec);
	xlated_write(&x, style, d, "insns");
	doc_end(d);
}

static int object_dump_run(struct env *env, const void *opts, struct err *e)
{
	const struct object_dump_opts *opt = opts;
	struct xlated_style style = { .opcodes = opt->opcodes, .linum = opt->linum };
	uint32_t i, found = 0;
	struct data_names places;
	struct object *o;
	struct doc d;
	int err = object_open(env, &opt->file, &o, e);

	if (err)
		return err;
	for (i = 0; i < o->nfuncs && opt->function; i++)
		found += !strcmp(o->funcs[i].name, opt->function);
	if (opt->function && !found)
		return err_set(e, -ENOENT, "%s has no function '%s'", o->path, opt->function);
	object_data_names(o, &places);
	env_doc(env, &d);
	doc_list(&d, NULL);
	for (i = found = 0; i < o->nfuncs && !doc_dead(&d); i++) {
		if (opt->function && strcmp(o->funcs[i].name, opt->function))
			continue;
		if (found++)
			doc_text(&d, "\n");
		func_print(&d, o, &places, &o->funcs[i], &style);
	}
	doc_end(&d);
	return 0;
}

const struct command object_dump = {
	.name = "dump",
	.summary = "dump its instructions with their source lines",
	.help = "Prints every program and subprogram in the file, in the form in which `prog dump xlated` prints "
		"loaded programs. What the loader will fill in is printed by name: maps, variables, functions, "
		"externs. CO-RE relocations are printed after the instructions that they adapt to the kernel.",
	.example = "object dump trace.bpf.o function count_exits linum",
	ARGS(dump_args, struct object_dump_opts),
	.flags = CMD_NOSOURCE | CMD_OURS,
	.run = object_dump_run,
};
