/* SPDX-License-Identifier: BSD-2-Clause */
#include "object/file.h"

#include <elf.h>

#include "base/infile.h"
#include "types/btf.h"
#include "types/declare.h"
#include "types/layout.h"
#include "types/types_ref.h"
#include "cli/env.h"
#include "code/xlated.h"

#define FILE_MAX (1ull << 30)
#define TEXT_MAX (64u << 20)

const char *object_data_kind(const char *section)
{
	static const char *const names[] = { ".data", ".rodata", ".bss" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_starts(section, names[i]) && (!section[strlen(names[i])] || section[strlen(names[i])] == '.'))
			return names[i];
	return NULL;
}

struct named {
	const char *name;
	uint32_t index;
};

static int by_section(const void *pa, const void *pb)
{
	const struct named *a = pa, *b = pb;

	return strcmp(a->name, b->name) ?: NUM_CMP(a->index, b->index);
}

/* The index of the first entry with that name; UINT32_MAX: none. */
static uint32_t named_find(const struct named *all, uint32_t n, const char *name)
{
	const size_t at = ARRAY_LOWER(n, i, strcmp(all[i].name, name) < 0);

	return at < n && !strcmp(all[at].name, name) ? all[at].index : UINT32_MAX;
}

static void names_sort(struct object *o)
{
	struct named *sects = arena_array(o->arena, o->elf.nsects, sizeof(*sects));
	struct named *symbols = arena_array(o->arena, o->elf.nsymbols, sizeof(*symbols));

	for (uint32_t i = 0; i < o->elf.nsects; i++)
		sects[i] = (struct named){ o->elf.sects[i].name, i };
	for (uint32_t i = 0; i < o->elf.nsymbols; i++)
		if (o->elf.symbols[i].bind != STB_LOCAL)
			symbols[o->nglobals++] = (struct named){ o->elf.symbols[i].name, i };
	qsort(sects, o->elf.nsects, sizeof(*sects), by_section);
	qsort(symbols, o->nglobals, sizeof(*symbols), by_section);
	o->sects = sects;
	o->globals = symbols;
}

uint32_t object_section(const struct object *o, const char *name)
{
	uint32_t i = named_find(o->sects, o->elf.nsects, name);

	return i == UINT32_MAX ? 0 : i;
}

const struct elf_symbol *object_symbol(const struct object *o, const char *name)
{
	uint32_t i = named_find(o->globals, o->nglobals, name);

	return i == UINT32_MAX ? NULL : &o->elf.symbols[i];
}

const char *object_type_text(const struct object *o, uint32_t id)
{
	const char *text = *o->text_left ? btf_type_text(o->btf, id, o->arena) : "...";
	size_t n = strlen(text);

	*o->text_left -= n < *o->text_left ? n : *o->text_left;
	return text;
}

/* Index the relocations of code by instruction. */
static void relocs_read(struct object *o)
{
	o->relocs = arena_array(o->arena, o->elf.nsects, sizeof(*o->relocs));
	for (uint32_t i = 1; i < o->elf.nsects; i++) {
		const struct elf_sect *table = &o->elf.sects[i];
		const struct elf_sect *s = table->info < o->elf.nsects ? &o->elf.sects[table->info] : NULL;
		size_t n = elf_nrelocs(table);
		uint32_t *at;

		if (!n || !s || !object_is_code(s) || o->relocs[table->info])
			continue;
		at = arena_array(o->arena, s->size / INSN_SIZE, sizeof(*at));
		o->relocs[table->info] = at;
		for (size_t k = 0; k < n; k++) {
			struct elf_reloc r = elf_reloc(&o->elf, table, k);

			if (r.symbol < o->elf.nsymbols && r.offset / INSN_SIZE < s->size / INSN_SIZE)
				at[r.offset / INSN_SIZE] = r.symbol + 1;
		}
	}
}

static struct code_ref func_ref(const struct object *o, uint32_t section, uint64_t off)
{
	struct code_ref ret = { .kind = CODE_REF_FUNC, .func = object_func_at(o, section, off), .off = off };

	if (!ret.func || ret.func->off != off)
		ret.kind = CODE_REF_NONE;
	return ret;
}

/* A call counts instructions from the next one; a load adds the number in the instruction. */
struct code_ref object_code_ref(const struct object *o, uint32_t section, uint64_t off)
{
	const struct elf_sect *s = &o->elf.sects[section];
	uint32_t symbol = o->relocs[section] ? o->relocs[section][off / INSN_SIZE] : 0;
	struct code_ref ret = { .kind = CODE_REF_SYMBOL };
	struct insn i;
	bool call;

	insn_decode(&i, s->p + off, (s->size - off) / INSN_SIZE, o->elf.big);
	call = i.code == INSN_CALL;
	if (!call && i.code != INSN_LDIMM64)
		return (struct code_ref){ 0 };
	if (!symbol && ((call && i.src == INSN_CALL_SUBPROG) || (!call && i.src == INSN_SRC_FUNC)))
		return func_ref(o, section, off + ((uint64_t)(int64_t)i.imm + 1) * INSN_SIZE);
	if (!symbol)
		return (struct code_ref){ 0 };
	ret.symbol = &o->elf.symbols[symbol - 1];
	ret.off = ret.symbol->value + (call ? ((uint64_t)(int64_t)i.imm + 1) * INSN_SIZE : (uint64_t)(uint32_t)i.imm);
	if (!object_is_code(&o->elf.sects[ret.symbol->section]))
		return ret;
	/* If the symbol is the function itself, the number in the instruction has no meaning. */
	return func_ref(o, ret.symbol->section, ret.symbol->type == STT_SECTION ? ret.off : ret.symbol->value);
}

void object_ignore(struct object *o, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!o->ignored)
		o->ignored = arena_str(o->arena, text, SIZE_MAX);
	else if (strlen(o->ignored) < 300)
		o->ignored = arena_fmt(o->arena, "%s; %s", o->ignored, text);
}

static void btf_free(void *p)
{
	btf_release(p);
}

static void datasecs_read(struct object *o)
{
	o->datasecs = arena_array(o->arena, o->elf.nsects, sizeof(*o->datasecs));
	for (uint32_t id = 1; o->btf && id < btf_count(o->btf); id++) {
		const struct btf_type *type = btf_type(o->btf, id);
		uint32_t section = btf_kind_of(type) == BTF_KIND_DATASEC ? object_section(o, btf_name(o->btf, id)) : 0;

		if (section && !o->datasecs[section])
			o->datasecs[section] = type;
	}
}

static int btf_section_read(struct object *o, struct err *e)
{
	uint32_t types = object_section(o, ".BTF"), ext = object_section(o, ".BTF.ext");
	const struct elf_sect *s = &o->elf.sects[types];
	struct btf_types **btf = arena_alloc(o->arena, sizeof(*btf));
	int err;

	if (!types)
		return 0;
	if (!s->p)
		return err_set(e, -EBADMSG, "its section .BTF is empty");
	o->btf_size = s->size;
	arena_defer(o->arena, btf_free, btf);
	err = btf_parse(btf, s->p, s->size, NULL, e);
	o->btf = *btf;
	return err || !ext ? err : ext_read(o, &o->elf.sects[ext], e);
}

int object_read(struct object *ret, const char *path, const void *p, size_t n, struct arena *a, struct err *e)
{
	const void *types;
	size_t types_size;
	int err;

	*ret = (struct object){ .path = path, .arena = a };
	err = elf_object(&ret->elf, p, n, a, e);
	if (err == -EINVAL && !elf_section(p, n, ".BTF", &types, &types_size))
		err_hint_word(e, "`bpflens btf dump file ", path, "` prints its types");
	if (!err) {
		ret->text_left = arena_alloc(a, sizeof(*ret->text_left));
		*ret->text_left = TEXT_MAX;
		names_sort(ret);
		if (ret->elf.nnameless)
			object_ignore(ret, "%u symbol%s without a valid name", ret->elf.nnameless,
				      plural(ret->elf.nnameless));
		err = funcs_read(ret, e);
	}
	if (!err) {
		relocs_read(ret);
		funcs_refuse_outside(ret);
		err = btf_section_read(ret, e);
	}
	if (!err)
		datasecs_read(ret);
	return err ? err_in(e, "%s", path) : 0;
}

/* libbpf's linker does not check what relocations refer to. */
static int relocs_check(const struct object *o, struct err *e)
{
	for (uint32_t i = 1; i < o->elf.nsects; i++) {
		const struct elf_sect *s = &o->elf.sects[i];
		const size_t n = elf_nrelocs(s);

		if (n &&
		    (s->link >= o->elf.nsects || o->elf.sects[s->link].type != SHT_SYMTAB || s->info >= o->elf.nsects))
			return err_set(e, -EBADMSG, "its section %.100s does not name symbols and a section", s->name);
		for (size_t k = 0; k < n; k++) {
			const struct elf_reloc r = elf_reloc(&o->elf, s, k);

			if (r.symbol >= o->elf.nsymbols || r.offset >= o->elf.sects[s->info].size)
				return err_set(e, -EBADMSG, "relocation %zu in its section %.100s is outside of the %s",
					       k, s->name, r.symbol >= o->elf.nsymbols ? "symbols" : "section");
		}
	}
	return 0;
}

int object_check(const char *path, const struct str *bytes, struct err *e)
{
	ARENA scratch = arena_new();
	struct object o;
	int err = object_read(&o, path, bytes->p ? bytes->p : "", bytes->n, scratch, e);

	if (err)
		return err;
	return relocs_check(&o, e) ? err_in(e, "%s", path) : 0;
}

#define CANDIDATES_MAX 4096u /* places in a file that look like the beginning of an object */

/* Find the @wanted-th object inside other bytes. Returns how many there are. */
static uint32_t embedded_find(const char *p, size_t n, uint32_t wanted, const char **ret, size_t *ret_n)
{
	const char *end = p + n;
	uint32_t found = 0, tried = 0;

	while ((p = memmem(p, (size_t)(end - p), ELFMAG, SELFMAG)) && tried++ < CANDIDATES_MAX) {
		size_t extent = elf_bpf_extent(p, (size_t)(end - p));

		if (extent && ++found == wanted) {
			*ret = p;
			*ret_n = extent;
		}
		p += extent > SELFMAG ? extent : SELFMAG;
	}
	return found;
}

/* Replace an executable of this machine by the object in it. Other files are left unchanged. */
static int embedded_pick(const struct object_path *path, const char **p, size_t *n, struct err *e)
{
	bool self = elf_bpf_extent(*p, *n);
	uint32_t found;

	if (!path->embedded && (self || !elf_is(*p, *n)))
		return 0;
	found = embedded_find(*p, *n, path->embedded ? path->embedded : 1, p, n);
	if (!path->embedded && found > 1) {
		err_usage(e, "%s holds %u BPF objects", path->path, found);
		return err_hint(e, "name one of them with --embedded 1 to --embedded %u", found);
	}
	if (path->embedded > found)
		return err_set(e, -ENOENT, "%s holds %u BPF objects", path->path, found);
	return 0;
}

static void text_release(void *p)
{
	str_release(p);
}

int object_bytes(struct str *ret, const char *path)
{
	return infile_read(ret, path, FILE_MAX, elf_is);
}

int object_open(struct env *env, const struct object_path *path, struct object **ret, struct err *e)
{
	struct object *o = arena_alloc(env->keep, sizeof(*o));
	struct str *text = arena_alloc(env->keep, sizeof(*text));
	const char *p;
	size_t n;
	int err;

	arena_defer(env->keep, text_release, text);
	err = object_bytes(text, path->path);
	if (err)
		return err_sys(e, err, "cannot read %s", path->path);
	p = text->p ? text->p : "";
	n = text->n;
	err = embedded_pick(path, &p, &n, e);
	if (!err)
		err = object_read(o, path->path, p, n, env->keep, e);
	if (err)
		return err;
	if (o->ignored)
		report_note(env->report, "%s: %s", path->path, o->ignored);
	if (o->btf)
		btf_types_whole(env, o->btf);
	*ret = o;
	return 0;
}
