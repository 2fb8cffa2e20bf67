/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>

#include "cli/env.h"
#include "load/steps.h"
#include "object/file.h"

/*
 * Slots that the file fills: a relocation in .maps whose symbol is a program (of a prog_array) or a map, inside the
 * variable of the map.
 */
typedef int slot_visit(struct load *l, struct load_map *m, const char *prog, struct err *e);

static struct load_map *map_at(const struct load *l, uint32_t section, uint64_t off)
{
	for (size_t i = 0; i < l->nmaps; i++) {
		struct load_map *m = &l->maps[i];
		const struct elf_symbol *s = object_symbol(l->object, bpf_map__name(m->map));

		if (s && s->section == section && off >= s->value && off - s->value < s->size)
			return m;
	}
	return NULL;
}

static int slots_visit(struct load *l, slot_visit *visit, struct err *e)
{
	const struct object *o = l->object;
	const uint32_t maps = object_section(o, ".maps");
	int err = 0;

	for (uint32_t i = 1; i < o->elf.nsects && maps; i++) {
		const struct elf_sect *rel = &o->elf.sects[i];

		for (size_t k = 0; rel->info == maps && k < elf_nrelocs(rel) && !err; k++) {
			const struct elf_reloc r = elf_reloc(&o->elf, rel, k);
			struct load_map *m = r.symbol < o->elf.nsymbols ? map_at(l, maps, r.offset) : NULL;

			if (m)
				err = visit(l, m, o->elf.symbols[r.symbol].name, e);
		}
	}
	return err;
}

static int slot_check(struct load *l, struct load_map *m, const char *prog, struct err *e)
{
	const struct bpf_program *p = bpf_object__find_program_by_name(l->obj, prog);

	m->filled = true;
	if (bpf_map__type(m->map) != BPF_MAP_TYPE_PROG_ARRAY || !p || bpf_program__autoload(p))
		return 0;
	err_set(e, -EINVAL, "cannot load %s: its map %s has a slot for program %s, which is not loaded%s%s", l->q.path,
		bpf_map__name(m->map), prog, l->q.only ? " with only " : "", l->q.only ? l->q.only : "");
	return err_hint(e, "load all programs of the file%s", l->q.only ? ": omit 'only'" : "");
}

int load_slots_check(struct load *l, struct err *e)
{
	return slots_visit(l, slot_check, e);
}

static int slot_note(struct load *l, struct load_map *m, const char *prog, struct err *e)
{
	if (bpf_map__type(m->map) == BPF_MAP_TYPE_PROG_ARRAY && !m->taken && !m->was && !bpf_map__pin_path(m->map) &&
	    !l->pins->maps)
		report_note(l->env->report,
			    "the slots of map %s are emptied when this command ends, because nothing "
			    "pins it: 'pinmaps DIR' does",
			    bpf_map__name(m->map));
	return 0;
}

void load_slots_note(struct load *l)
{
	struct err none = { 0 };

	if (!l->env->opts->as_bpftool)
		slots_visit(l, slot_note, &none);
}
