/* SPDX-License-Identifier: BSD-2-Clause */
#include "struct_ops/object.h"

#include <bpf/libbpf.h>
#include <elf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "kernel/abi.h"
#include "cli/env.h"
#include "host/elf.h"

#define FILE_MAX (64u << 20)
#define PLAIN ".struct_ops"
#define LINKED ".struct_ops.link"

static uint32_t section_find(const struct elf_object *elf, const char *name)
{
	for (uint32_t i = 1; i < elf->nsects; i++)
		if (!strcmp(elf->sects[i].name, name))
			return i;
	return 0;
}

/* Does a table in section @sect refer to this program? */
static bool refers(const struct elf_object *elf, uint32_t sect, const struct bpf_program *p)
{
	for (uint32_t i = 1; i < elf->nsects; i++) {
		const struct elf_sect *rel = &elf->sects[i];

		for (size_t k = 0; rel->info == sect && k < elf_nrelocs(rel); k++) {
			uint32_t nr = elf_reloc(elf, rel, k).symbol;
			const struct elf_symbol *s = nr < elf->nsymbols ? &elf->symbols[nr] : NULL;

			if (!s || (s->type != STT_SECTION && strcmp(s->name, bpf_program__name(p)) != 0))
				continue;
			if (s->type != STT_SECTION ||
			    !strcmp(elf->sects[s->section].name, bpf_program__section_name(p)))
				return true;
		}
	}
	return false;
}

static void rename_in(char *p, size_t n, const char *from, const char *to)
{
	size_t len = strlen(from) + 1;
	char *end = p + n;

	while ((p = memmem(p, (size_t)(end - p), from, len))) {
		memcpy(p, to, strlen(to) + 1);
		p += len;
	}
}

/*
 * Rename in the names of sections, of their relocation sections (the end of the name) and of types. @to is not longer
 * than @from. @bytes is a copy of @file, which @elf describes.
 */
static void rename_all(struct str *bytes, const struct str *file, const struct elf_object *elf, const char *from,
		       const char *to)
{
	for (uint32_t i = 1; i < elf->nsects; i++) {
		const struct elf_sect *s = &elf->sects[i];

		if (s->p && (s->type == SHT_STRTAB || !strcmp(s->name, ".BTF")))
			rename_in(bytes->p + ((const char *)s->p - file->p), s->size, from, to);
	}
}

/* Do not load the programs of the other section's tables: libbpf does not know what they attach to. */
struct choice {
	const struct elf_object *elf;
	uint32_t sect;
};
static int choose(void *ctx, struct bpf_object *obj, struct err *e)
{
	const struct choice *c = ctx;
	struct bpf_program *p;

	(void)e;
	bpf_object__for_each_program(p, obj)
		if (bpf_program__type(p) == BPF_PROG_TYPE_STRUCT_OPS)
			bpf_program__set_autoload(p, refers(c->elf, c->sect, p));
	return 0;
}

static int part_open(struct ops_object *o, unsigned i, struct env *env, const char *path, const struct str *file,
		     const struct elf_object *elf, struct err *e)
{
	struct choice choice = { elf, section_find(elf, i ? LINKED : PLAIN) };
	const struct load_request q = { .path = path, .bytes = &o->bytes[i], .choose = choose, .choose_ctx = &choice };
	struct bpf_map *m;
	int err;

	if (!choice.sect)
		return 0;
	str_add(&o->bytes[i], file->p, file->n);
	if (i)
		rename_all(&o->bytes[i], file, elf, PLAIN, ".struct_opz");
	rename_all(&o->bytes[i], file, elf, LINKED, i ? PLAIN : ".struct_opz.link");
	err = load_open(&o->part[i], env, &q, e);
	if (err)
		return err;
	bpf_object__for_each_map(m, o->part[i].obj) {
		if (bpf_map__type(m) != BPF_MAP_TYPE_STRUCT_OPS)
			continue;
		if (i)
			bpf_map__set_map_flags(m, bpf_map__map_flags(m) | ABI_MAP_LINK);
		o->n++;
	}
	return 0;
}

static void maps_collect(struct ops_object *o, struct arena *a)
{
	struct bpf_map *m;
	size_t n = 0;

	o->maps = arena_array(a, o->n, sizeof(*o->maps));
	for (unsigned i = 0; i < 2; i++) {
		if (!o->part[i].obj)
			continue;
		bpf_object__for_each_map(m, o->part[i].obj)
			if (bpf_map__type(m) == BPF_MAP_TYPE_STRUCT_OPS && n < o->n)
				o->maps[n++] = (struct ops_object_map){ m, i == 1 };
	}
}

/* Both parts are the same file to its author, so they share their maps. */
static int maps_share(struct ops_object *o, struct err *e)
{
	struct bpf_map *m, *other;
	int err;

	bpf_object__for_each_map(m, o->part[1].obj) {
		if (bpf_map__type(m) == BPF_MAP_TYPE_STRUCT_OPS)
			continue;
		other = bpf_object__find_map_by_name(o->part[0].obj, bpf_map__name(m));
		err = other ? bpf_map__reuse_fd(m, bpf_map__fd(other)) : -ENOENT;
		if (err)
			return err_sys(e, err, "cannot share map %s", bpf_map__name(m));
	}
	return 0;
}

/* Before Linux 6.4 the kernel refuses maps with links. Report that instead of libbpf's error. */
static int too_old(const struct ops_object *o, struct err *e)
{
	for (size_t i = 0; i < o->n; i++) {
		if (!o->maps[i].by_link || o->maps[i].map != o->part[1].refused)
			continue;
		err_clear(e);
		err_sys(e, -EINVAL, "cannot create map %s of %s", bpf_map__name(o->maps[i].map), o->part[1].q.path);
		return err_hint(e, "links of struct_ops require Linux 6.4");
	}
	return e->code;
}

int ops_object_load(struct ops_object *o, struct err *e)
{
	int err = o->part[0].obj ? load_load(&o->part[0], e) : 0;

	if (err || !o->part[1].obj)
		return err;
	err = o->part[0].obj ? maps_share(o, e) : 0;
	if (!err)
		err = load_load(&o->part[1], e);
	return err == -EINVAL ? too_old(o, e) : err;
}

int ops_object_open(struct ops_object *o, struct env *env, const char *path, struct err *e)
{
	STR file = { 0 };
	struct elf_object elf;
	int err = str_read_file(&file, path, FILE_MAX);

	if (err)
		return err_sys(e, err, "cannot read object file %s", path);
	err = elf_object(&elf, file.p, file.n, env->keep, e);
	if (err)
		return err_in(e, "%s", path);
	for (unsigned i = 0; i < 2 && !err; i++)
		err = part_open(o, i, env, path, &file, &elf, e);
	if (!err && !o->n)
		return err_set(e, -ENOENT, "no struct_ops found in %s", path);
	if (!err)
		maps_collect(o, env->keep);
	return err;
}

void ops_object_keep(struct ops_object *o)
{
	load_keep(&o->part[0]);
	load_keep(&o->part[1]);
}

void ops_object_close(struct ops_object *o)
{
	for (unsigned i = 2; i-- > 0;) {
		load_close(&o->part[i]);
		str_release(&o->bytes[i]);
	}
}
