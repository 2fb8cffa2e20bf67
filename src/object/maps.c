/* SPDX-License-Identifier: BSD-2-Clause */
#include <elf.h>
#include <linux/bpf.h>

#include "base/bytes.h"
#include "types/btf.h"
#include "types/map_types.h"
#include "object/dump.h"
#include "object/file.h"
#include "object/read.h"
#include "kernel/names.h"
#include "source/keys.h"

#define CHAIN 32
#define FLAG_LINK (1u << 13) /* BPF_F_LINK in newer headers */
#define MEMBERS_MAX 1024u    /* no table of functions has as many; a hostile one may have more, and many relocations */
#define LEGACY_MIN 20u	     /* type, sizes, max_entries, flags */

/* The maps found so far, in the arena; its room doubles. */
struct map_list {
	const struct object *o;
	struct hash outer, inner; /* by type id: const struct object_map *, as many maps may share a definition */
	struct object_map *maps;
	uint32_t n;
	size_t cap;
};

static struct object_map *map_add(struct map_list *l, const char *name, const char *section)
{
	ARENA_MORE(l->o->arena, l->maps, l->n, l->cap);
	l->maps[l->n] = (struct object_map){ .name = name, .section = section };
	return &l->maps[l->n++];
}

static const char *map_type_word(const struct object *o, uint64_t type)
{
	const char *word = names_of(&names_map_type, type);

	return word ? word : arena_fmt(o->arena, "unknown(%llu)", llu(type));
}

static const struct btf_type *type_of_kind(const struct btf_types *t, uint32_t id, unsigned kind)
{
	const struct btf_type *type = btf_resolved(t, id);

	return type && btf_kind_of(type) == kind ? type : NULL;
}

/*
 * A number in a map's definition is the length of the array that the member points to (__uint), or the value of the
 * only enumerator of its type (__ulong).
 */
static bool map_number(const struct btf_types *t, uint32_t id, uint64_t *ret)
{
	const struct btf_type *type = type_of_kind(t, btf_pointed_to(t, id), BTF_KIND_ARRAY);

	if (type) {
		*ret = btf_array_of(type)->nelems;
		return true;
	}
	type = type_of_kind(t, id, BTF_KIND_ENUM);
	if (type && btf_vlen_of(type)) {
		*ret = (uint32_t)btf_enums_of(type)->val;
		return true;
	}
	type = type_of_kind(t, id, BTF_KIND_ENUM64);
	if (type && btf_vlen_of(type))
		*ret = (uint64_t)btf_enums64_of(type)->val_hi32 << 32 | btf_enums64_of(type)->val_lo32;
	return type && btf_vlen_of(type);
}

static bool numbers_set(const struct object *o, struct object_map *m, const char *member, uint64_t v)
{
	const struct {
		const char *name;
		uint32_t *to;
	} numbers[] = {
		{ "max_entries", &m->max_entries },
		{ "map_flags", &m->flags },
		{ "numa_node", &m->numa_node },
		{ "key_size", &m->key_size },
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (strcmp(member, numbers[i].name))
			continue;
		*numbers[i].to = (uint32_t)v;
		return true;
	}
	if (!strcmp(member, "value_size"))
		m->value_size = v;
	else if (!strcmp(member, "map_extra"))
		m->map_extra = v;
	else if (!strcmp(member, "pinning"))
		m->pinning = v == 1 ? "by_name" : v ? arena_fmt(o->arena, "unknown(%llu)", llu(v)) : NULL;
	else if (!strcmp(member, "type"))
		m->type = map_type_word(o, v);
	else
		return false;
	return true;
}

static const struct object_map *definition_of(struct map_list *l, uint32_t id, bool inner);

/* The definition of inner maps: "values" is an array of pointers to definitions, or to programs. */
static void inner_read(struct map_list *l, uint32_t values, struct object_map *m)
{
	const struct btf_type *array = type_of_kind(l->o->btf, values, BTF_KIND_ARRAY);
	uint32_t id = array ? btf_pointed_to(l->o->btf, btf_array_of(array)->type) : 0;
	const struct object_map *in;

	/* Keys and values of a map of maps are 32-bit numbers. */
	if (!m->key_size)
		m->key_size = sizeof(uint32_t);
	if (!m->value_size)
		m->value_size = sizeof(uint32_t);
	in = definition_of(l, id, true);
	if (!in)
		return;
	m->inner = in;
	m->ninner = 1;
}

static void type_set(const struct object *o, uint32_t id, const char **ret_type, uint64_t *ret_size)
{
	uint64_t size;

	*ret_type = object_type_text(o, id);
	if (!btf_size(o->btf, id, &size))
		*ret_size = size;
}

static void definition_read(struct map_list *l, const struct btf_type *def, struct object_map *m, bool inner)
{
	const struct object *o = l->o;

	for (unsigned i = 0; i < btf_vlen_of(def); i++) {
		const struct btf_member *member = &btf_members_of(def)[i];
		const char *name = btf_str(o->btf, member->name_off);
		uint64_t v = m->key_size;

		if (!strcmp(name, "key")) {
			type_set(o, btf_pointed_to(o->btf, member->type), &m->key_type, &v);
			m->key_size = (uint32_t)v;
		} else if (!strcmp(name, "value")) {
			type_set(o, btf_pointed_to(o->btf, member->type), &m->value_type, &m->value_size);
		} else if (!strcmp(name, "values") && !inner) {
			inner_read(l, member->type, m);
		} else if (map_number(o->btf, member->type, &v)) {
			numbers_set(o, m, name, v);
		}
	}
}

/* A map's definition, a struct with a member for each property; NULL: not a struct. */
static const struct object_map *definition_of(struct map_list *l, uint32_t id, bool inner)
{
	const struct btf_type *def = type_of_kind(l->o->btf, id, BTF_KIND_STRUCT);
	struct hash *known = inner ? &l->inner : &l->outer;
	struct object_map *m;

	if (!def)
		return NULL;
	id = btf_resolve(l->o->btf, id);
	m = hash_get(known, id);
	if (m)
		return m;
	m = arena_alloc(l->o->arena, sizeof(*m));
	m->name = btf_name(l->o->btf, id);
	definition_read(l, def, m, inner);
	*hash_put(known, id) = m;
	return m;
}

static const struct btf_type *datasec(const struct object *o, const char *name)
{
	uint32_t id = o->btf ? btf_find(o->btf, name, BTF_KIND_DATASEC) : 0;

	return id ? btf_type(o->btf, id) : NULL;
}

static void defined_read(struct map_list *l)
{
	const struct btf_type *sec = datasec(l->o, ".maps");

	for (unsigned i = 0; sec && i < btf_vlen_of(sec); i++) {
		const struct btf_type *var = type_of_kind(l->o->btf, btf_vars_of(sec)[i].type, BTF_KIND_VAR);
		const struct object_map *def = var ? definition_of(l, var->type, false) : NULL;
		const char *name = var ? btf_str(l->o->btf, var->name_off) : NULL;
		struct object_map *m;

		if (!var)
			continue;
		m = map_add(l, name, ".maps");
		if (!def)
			continue;
		*m = *def;
		m->name = name;
		m->section = ".maps";
	}
}

/* Section "maps": an array of struct bpf_map_def, each with a symbol as its name; for libbpf before 1.0. */
static void legacy_read(struct map_list *l)
{
	const struct object *o = l->o;
	uint32_t index = object_section(o, "maps");
	const struct elf_sect *s = &o->elf.sects[index];

	for (uint32_t i = 0; index && s->p && i < o->elf.nsymbols; i++) {
		const struct elf_symbol *sym = &o->elf.symbols[i];
		struct object_map *m;
		uint32_t word[LEGACY_MIN / sizeof(uint32_t)];

		if (sym->section != index || !*sym->name || sym->type == STT_SECTION || sym->value > s->size ||
		    s->size - sym->value < LEGACY_MIN)
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(word); k++)
			word[k] = (uint32_t)load_uint(s->p + sym->value + k * sizeof(*word), sizeof(*word), o->elf.big);
		m = map_add(l, sym->name, s->name);
		m->type = map_type_word(o, word[0]);
		m->key_size = word[1];
		m->value_size = word[2];
		m->max_entries = word[3];
		m->flags = word[4];
	}
}

static void struct_ops_read(struct map_list *l)
{
	static const char *const sections[] = { ".struct_ops", ".struct_ops.link", "?.struct_ops",
						"?.struct_ops.link" };

	for (size_t k = 0; k < ARRAY_SIZE(sections); k++) {
		const struct btf_type *sec = datasec(l->o, sections[k]);

		for (unsigned i = 0; sec && i < btf_vlen_of(sec); i++) {
			const struct btf_type *var = type_of_kind(l->o->btf, btf_vars_of(sec)[i].type, BTF_KIND_VAR);
			struct object_map *m;

			if (!var)
				continue;
			m = map_add(l, btf_str(l->o->btf, var->name_off), sections[k]);
			m->type = "struct_ops";
			m->key_size = sizeof(uint32_t);
			m->max_entries = 1;
			m->flags = strstr(sections[k], ".link") ? FLAG_LINK : 0;
			type_set(l->o, var->type, &m->value_type, &m->value_size);
		}
	}
}

/* libbpf maps the section into user space if it has variables that are not static. */
static bool has_globals(const struct object *o, const struct btf_type *sec)
{
	for (unsigned i = 0; sec && i < btf_vlen_of(sec); i++) {
		const struct btf_type *var = type_of_kind(o->btf, btf_vars_of(sec)[i].type, BTF_KIND_VAR);

		if (var && ((const struct btf_var *)(var + 1))->linkage != BTF_VAR_STATIC)
			return true;
	}
	return false;
}

static void internal_add(struct map_list *l, const char *section, const struct btf_type *sec, uint64_t size,
			 bool read_only)
{
	struct object_map *m = map_add(l, object_data_map_name(l->o, section), section);

	m->type = "array";
	m->key_size = sizeof(uint32_t);
	m->value_size = size;
	m->max_entries = 1;
	m->internal = true;
	m->flags = (read_only ? BPF_F_RDONLY_PROG : 0) | (has_globals(l->o, sec) ? BPF_F_MMAPABLE : 0);
}

/* In the order in which libbpf creates them. Variables in .kconfig have no gaps: their size is their alignment. */
static void internal_read(struct map_list *l)
{
	const struct object *o = l->o;
	const struct btf_type *kconfig = datasec(o, ".kconfig");
	uint64_t sum = 0, size;

	for (uint32_t i = 1; i < o->elf.nsects; i++) {
		const struct elf_sect *s = &o->elf.sects[i];
		const char *kind = object_data_kind(s->name);

		if (kind && s->size && s->flags & SHF_ALLOC && (s->type == SHT_PROGBITS || s->type == SHT_NOBITS))
			internal_add(l, s->name, o->datasecs[i], s->size, !strcmp(kind, ".rodata"));
	}
	for (unsigned i = 0; kconfig && i < btf_vlen_of(kconfig); i++)
		if (!btf_size(o->btf, btf_vars_of(kconfig)[i].type, &size) && size <= UINT32_MAX)
			sum += size;
	if (kconfig)
		internal_add(l, ".kconfig", kconfig, sum, true);
}

const char *object_data_map_name(const struct object *o, const char *section)
{
	const char *slash = strrchr(o->path, '/'), *base = slash ? slash + 1 : o->path;
	size_t room = strlen(section) < 7 ? 8 : strlen(section) < 15 ? 15 - strlen(section) : 0;
	char *name, *p;

	/* The kernel keeps 15 characters. Custom sections keep their name, the others get the file's name. */
	if (strchr(section + 1, '.'))
		return section;
	name = arena_fmt(o->arena, "%.*s", (int)(strcspn(base, ".") < room ? strcspn(base, ".") : room), base);
	for (p = name; *p; p++)
		if (!((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')))
			*p = '_';
	return arena_fmt(o->arena, "%s%s", name, section);
}

/* The types of maps whose definition has sizes only. */
static void markers_read(struct map_list *l)
{
	const struct map_types *types;
	struct keys by_name;
	size_t n = 0;

	keys_init(&by_name, l->o->arena);
	for (uint32_t i = 0; i < l->n; i++) {
		void **slot = l->maps[i].key_type || l->maps[i].value_type ? NULL : keys_put(&by_name, l->maps[i].name);

		if (slot)
			*slot = &l->maps[i];
	}
	if (l->o->btf)
		btf_maps_find(l->o->btf, l->o->arena, &types, &n);
	for (size_t i = 0; i < n; i++) {
		struct object_map *m = keys_get(&by_name, types[i].name);

		if (m && types[i].key)
			m->key_type = object_type_text(l->o, types[i].key);
		if (m && types[i].value)
			m->value_type = object_type_text(l->o, types[i].value);
	}
}

/* The place in a map's definition or value: "init", "[3]". */
static const char *initial_place(const struct object *o, const struct btf_type *var, uint64_t off)
{
	const struct btf_type *def = var ? type_of_kind(o->btf, var->type, BTF_KIND_STRUCT) : NULL;
	const char *name = NULL;
	uint64_t at = 0;

	for (unsigned i = 0; def && i < btf_vlen_of(def) && i < MEMBERS_MAX; i++) {
		const struct btf_member *member = &btf_members_of(def)[i];
		const uint64_t from =
			(BTF_INFO_KFLAG(def->info) ? BTF_MEMBER_BIT_OFFSET(member->offset) : member->offset) / 8;

		if (from > off || (name && from < at))
			continue;
		name = btf_str(o->btf, member->name_off);
		at = from;
	}
	if (name && !strcmp(name, "values"))
		return arena_fmt(o->arena, "[%llu]", llu((off - at) / sizeof(uint64_t)));
	return name && off == at ? name : arena_fmt(o->arena, "+%llu", llu(off));
}

/* A map, and the variable that defines it. */
struct initial_map {
	uint32_t index;
	const struct btf_type *var;
};

static void initial_names(struct map_list *l, struct keys *by_name)
{
	struct initial_map *of = arena_array(l->o->arena, l->n, sizeof(*of));

	keys_init(by_name, l->o->arena);
	for (uint32_t i = 0; i < l->n; i++) {
		void **slot = l->maps[i].internal ? NULL : keys_put(by_name, l->maps[i].name);

		of[i].index = i;
		if (slot)
			*slot = &of[i];
	}
	for (uint32_t id = 1; id < btf_count(l->o->btf); id++) {
		struct initial_map *of_name = btf_kind_of(btf_type(l->o->btf, id)) == BTF_KIND_VAR ?
						      keys_get(by_name, btf_name(l->o->btf, id)) :
						      NULL;

		if (of_name)
			of_name->var = btf_type(l->o->btf, id);
	}
}

/* Relocations of the definitions of maps and of struct_ops. */
static void initial_read(struct map_list *l)
{
	const struct object *o = l->o;
	struct data_names names;
	struct keys by_name;

	if (!o->btf)
		return;
	initial_names(l, &by_name);
	object_data_names(o, &names);
	for (uint32_t i = 1; i < o->elf.nsects; i++) {
		const struct elf_sect *table = &o->elf.sects[i];
		const char *to = table->info < o->elf.nsects ? o->elf.sects[table->info].name : "";
		const size_t n = strcmp(to, ".maps") && !strstr(to, ".struct_ops") ? 0 : elf_nrelocs(table);

		for (size_t k = 0; k < n; k++) {
			const struct elf_reloc r = elf_reloc(&o->elf, table, k);
			uint64_t off = 0;
			const char *name = object_data_name(&names, table->info, r.offset, &off);
			const struct initial_map *of =
				name && r.symbol < o->elf.nsymbols ? keys_get(&by_name, name) : NULL;
			struct object_map *m = of ? &l->maps[of->index] : NULL;

			if (!m)
				continue;
			ARENA_MORE(o->arena, m->initial, m->ninitial, m->room);
			m->initial[m->ninitial++] = arena_fmt(o->arena, "%s = &%s", initial_place(o, of->var, off),
							      o->elf.symbols[r.symbol].name);
		}
	}
}

void object_maps(const struct object *o, const struct object_map **ret, uint32_t *ret_n)
{
	struct map_list l = { .o = o };

	hash_init(&l.outer, o->arena);
	hash_init(&l.inner, o->arena);
	defined_read(&l);
	legacy_read(&l);
	struct_ops_read(&l);
	internal_read(&l);
	markers_read(&l);
	initial_read(&l);
	*ret = l.maps;
	*ret_n = l.n;
}
