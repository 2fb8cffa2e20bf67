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
#include "host/elf.h"
#include "kernel/log.h"

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

/* Does the table in section @sect name this program? */
static bool refers(const struct elf_object *elf, uint32_t sect, const struct bpf_program *p)
{
	for (uint32_t i = 1; i < elf->nsects; i++) {
		const struct elf_sect *rel = &elf->sects[i];

		for (size_t k = 0; rel->info == sect && k < elf_nrelocs(rel); k++) {
			uint32_t nr = elf_reloc(rel, k).symbol;
			const struct elf_symbol *s = nr < elf->nsymbols ? &elf->symbols[nr] : NULL;

			if (!s || (s->type != STT_SECTION && strcmp(s->name, bpf_program__name(p)) != 0))
				continue;
			if (s->type != STT_SECTION || !strcmp(elf->sects[s->section].name, bpf_program__section_name(p)))
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
 * In the names of sections, their relocations (which end so) and types; @to is no longer than @from. The bytes are a copy of the
 * file that was looked at.
 */
static void rename_all(struct str *bytes, const struct str *file, const struct elf_object *elf, const char *from, const char *to)
{
	for (uint32_t i = 1; i < elf->nsects; i++) {
		const struct elf_sect *s = &elf->sects[i];

		if (s->p && (s->type == SHT_STRTAB || !strcmp(s->name, ".BTF")))
			rename_in(bytes->p + ((const char *)s->p - file->p), s->size, from, to);
	}
}

/* The programs of the other section's tables are left out: libbpf does not know what they are for. */
static void programs_choose(struct bpf_object *obj, const struct elf_object *elf, uint32_t sect)
{
	struct bpf_program *p;

	bpf_object__for_each_program(p, obj)
		if (bpf_program__type(p) == BPF_PROG_TYPE_STRUCT_OPS)
			bpf_program__set_autoload(p, refers(elf, sect, p));
}

static int part_open(struct ops_object *o, unsigned i, const char *path, const struct str *file, const struct elf_object *elf,
		     struct arena *a, struct err *e)
{
	uint32_t sect = section_find(elf, i ? LINKED : PLAIN);
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = arena_str(a, name, strcspn(name, ".")));
	struct bpf_map *m;

	if (!sect)
		return 0;
	str_add(&o->bytes[i], file->p, file->n);
	if (i)
		rename_all(&o->bytes[i], file, elf, PLAIN, ".struct_opz");
	rename_all(&o->bytes[i], file, elf, LINKED, i ? PLAIN : ".struct_opz.link");
	o->part[i] = bpf_object__open_mem(o->bytes[i].p, o->bytes[i].n, &opts);
	if (!o->part[i])
		return err_sys(e, log_error(-errno), "cannot open object file %s", path);
	programs_choose(o->part[i], elf, sect);
	bpf_object__for_each_map(m, o->part[i]) {
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
		if (!o->part[i])
			continue;
		bpf_object__for_each_map(m, o->part[i])
			if (bpf_map__type(m) == BPF_MAP_TYPE_STRUCT_OPS && n < o->n)
				o->maps[n++] = (struct ops_object_map){ m, i == 1 };
	}
}

/* Both parts are one file to its author: they share their data. */
static int maps_share(struct ops_object *o, struct err *e)
{
	struct bpf_map *m, *other;
	int err;

	bpf_object__for_each_map(m, o->part[1]) {
		if (bpf_map__type(m) == BPF_MAP_TYPE_STRUCT_OPS)
			continue;
		other = bpf_object__find_map_by_name(o->part[0], bpf_map__name(m));
		err = other ? bpf_map__reuse_fd(m, bpf_map__fd(other)) : -ENOENT;
		if (err)
			return err_sys(e, err, "cannot share map %s", bpf_map__name(m));
	}
	return 0;
}

static int part_load(struct ops_object *o, unsigned i, const char *path, struct err *e)
{
	int err = i && o->part[0] ? maps_share(o, e) : 0;

	if (err)
		return err;
	err = log_error(bpf_object__load(o->part[i]));
	if (!err)
		return 0;
	err_sys(e, err, "cannot load %s", path);
	if (i && err == -EINVAL)
		err_hint(e, "if the messages above say so of the map itself: links of struct_ops need Linux 6.4");
	return log_text()[0] ? err_hint(e, "why stands above, in the messages of libbpf and the kernel's verifier") : err;
}

int ops_object_load(struct ops_object *ret, const char *path, struct arena *a, ops_object_check *check, void *ctx, struct err *e)
{
	OPS_OBJECT o = { 0 };
	STR file = { 0 };
	struct elf_object elf;
	unsigned i;
	int err = str_read_file(&file, path, FILE_MAX);

	if (err)
		return err_sys(e, err, "cannot read object file %s", path);
	err = elf_object(&elf, file.p, file.n, a, e);
	if (err)
		return err_in(e, "%s", path);
	for (i = 0; i < 2 && !err; i++)
		err = part_open(&o, i, path, &file, &elf, a, e);
	if (!err && !o.n)
		return err_set(e, -ENOENT, "no struct_ops found in %s", path);
	if (err)
		return err;
	maps_collect(&o, a);
	err = check(ctx, &o, e);
	for (i = 0; i < 2 && !err; i++)
		err = o.part[i] ? part_load(&o, i, path, e) : 0;
	if (err)
		return err;
	*ret = o;
	o = (struct ops_object){ 0 };
	return 0;
}

void ops_object_close(struct ops_object *o)
{
	for (unsigned i = 0; i < 2; i++) {
		bpf_object__close(o->part[i]);
		str_release(&o->bytes[i]);
	}
}
