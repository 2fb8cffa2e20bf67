/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "cli/env.h"
#include "host/pins.h"
#include "kernel/abi.h"
#include "prog/takeover/takeover.h"
#include "source/info.h"
#include "types/btf.h"
#include "types/library.h"
#include "types/same.h"

/* Old maps, and those of them that the file's programs can go on with. */

struct maps_search {
	struct takeover *r;
	struct btf_types *types;     /* of the file; NULL: it has none */
	struct abi_map_info *of_old; /* the maps of the old programs */
	size_t n, room;
};

static void search_end(struct maps_search *s)
{
	btf_release(&s->types);
}

static int old_maps_read(struct maps_search *s, struct err *e)
{
	struct machine *m = s->r->env->machine;
	struct arena *keep = s->r->env->keep;

	for (size_t i = 0; i < s->r->nprogs; i++) {
		const uint32_t *ids;
		struct abi_prog_info info;
		uint32_t n;
		int err = prog_info(m, keep, s->r->progs[i].id[0], &info, e);

		if (!err)
			err = prog_maps(m, keep, s->r->progs[i].id[0], &info, &ids, &n);
		if (err)
			return e->code ? err :
					 err_sys(e, err, "cannot read the maps of program %u", s->r->progs[i].id[0]);
		for (uint32_t k = 0; k < n; k++) {
			ARENA_MORE(keep, s->of_old, s->n, s->room);
			err = map_info(m, keep, ids[k], &s->of_old[s->n], e);
			if (err)
				return err;
			s->n++;
		}
	}
	return 0;
}

/* The kernel keeps 15 characters; before the dot of a section, libbpf writes the name of the object. */
static bool map_is_named(const struct bpf_map *m, const char *kernel)
{
	const char *name = bpf_map__name(m), *suffix = kernel;

	if (bpf_map__is_internal(m)) {
		name = strchr(name, '.');
		suffix = strchr(kernel, '.');
	}
	return name && suffix && !strncmp(name, suffix, BPF_OBJ_NAME_LEN - 1 - (size_t)(suffix - kernel));
}

static int pinned_map(const struct maps_search *s, const char *path, struct abi_map_info *ret, struct err *e)
{
	enum object_kind kind = OBJECT_MAP;
	uint32_t id;
	int err = path ? pins_read(path, &kind, &id) : -ENOENT;

	if (!err && kind != OBJECT_MAP)
		err = -EMEDIUMTYPE;
	if (err)
		return err == -ENOENT ? err : pins_explain(path, err, e);
	return map_info(s->r->env->machine, s->r->env->keep, id, ret, e);
}

/* Where `pinmaps` pins it; NULL: nowhere. */
static const char *map_pin_path(const struct maps_search *s, const struct bpf_map *m)
{
	const char *dir = s->r->pins->maps;

	return dir ? load_map_path(dir, m, s->r->env->keep) : NULL;
}

/* -ENOENT without @e set: there is none. */
static int old_map(const struct maps_search *s, const struct load_map *lm, struct abi_map_info *ret, struct err *e)
{
	int err = pinned_map(s, bpf_map__pin_path(lm->map), ret, e);

	if (err == -ENOENT && !e->code)
		err = pinned_map(s, map_pin_path(s, lm->map), ret, e);
	for (size_t i = 0; i < s->n && err == -ENOENT && !e->code; i++) {
		if (!map_is_named(lm->map, s->of_old[i].name))
			continue;
		*ret = s->of_old[i];
		err = 0;
	}
	return err;
}

static bool has_values(const struct bpf_map *m)
{
	size_t size;
	const char *p = bpf_map__is_internal(m) ? bpf_map__initial_value((struct bpf_map *)m, &size) : NULL;

	return p && size && (*p || memcmp(p, p + 1, size - 1) != 0);
}

static bool types_differ(const struct maps_search *s, const struct bpf_map *m, const struct abi_map_info *info)
{
	const uint32_t key = bpf_map__btf_key_type_id(m), value = bpf_map__btf_value_type_id(m);
	const struct btf_types *old;
	struct err why = { 0 };

	if (!s->types || !info->btf_id || btf_get(s->r->env->machine, info->btf_id, &old, &why))
		return false;
	return (key && info->btf_key_type_id && !btf_is_same(old, info->btf_key_type_id, s->types, key)) ||
	       (value && info->btf_value_type_id && !btf_is_same(old, info->btf_value_type_id, s->types, value));
}

/* Why the old map cannot be kept; NULL: it can. */
static const char *why_new(const struct maps_search *s, const struct load_map *lm, const struct abi_map_info *info)
{
	const struct bpf_map *m = lm->map;
	const char *differs = load_map_differs(m, info, true, s->r->env->keep);

	if (differs)
		return differs;
	if (lm->filled)
		return "the file fills its slots";
	if (info->type == ABI_MAP_ARENA)
		return "arenas are not kept";
	if (has_values(m))
		return "the file has its values";
	if (info->map_extra != bpf_map__map_extra(m) || info->ifindex != bpf_map__ifindex(m))
		return "its map_extra or device differs";
	return types_differ(s, m, info) ? "the types of its elements differ" : NULL;
}

static int map_keep(struct takeover *r, struct load_map *lm, uint32_t id, struct err *e)
{
	int fd = takeover_keep_fd(r, source_open(r->env->machine->src, OBJECT_MAP, id, true));
	int err = fd < 0 ? fd : bpf_map__reuse_fd(lm->map, fd);

	lm->was = true;
	return err ? err_sys(e, err, "cannot keep map %u (%s)", id, bpf_map__name(lm->map)) : 0;
}

static bool is_pinned_at(const char *path, uint32_t id)
{
	enum object_kind kind;
	uint32_t there;

	return path && !pins_read(path, &kind, &there) && kind == OBJECT_MAP && there == id;
}

static int map_find(struct maps_search *s, size_t i, struct err *e)
{
	struct takeover *r = s->r;
	struct load_map *lm = &r->load->maps[i];
	struct abi_map_info info;
	struct swap *sw;
	int err = old_map(s, lm, &info, e);

	if (err)
		return err == -ENOENT && !e->code ? 0 : err;
	lm->taken = is_pinned_at(map_pin_path(s, lm->map), info.id);
	sw = &r->maps[r->nmaps++];
	*sw = (struct swap){
		.name = arena_str(r->env->keep, bpf_map__name(lm->map), SIZE_MAX), /* one that is kept is renamed */
		.map = i,
		.id[0] = info.id,
		.why = why_new(s, lm, &info),
		.constant = bpf_map__is_internal(lm->map) && info.map_flags & BPF_F_RDONLY_PROG,
	};
	if (!sw->why)
		return map_keep(r, lm, info.id, e);
	sw->fd[0] = takeover_keep_fd(r, source_open(r->env->machine->src, OBJECT_MAP, info.id, true));
	if (sw->fd[0] < 0)
		return err_sys(e, sw->fd[0], "cannot open map %u", info.id);
	err = bpf_map__pin_path(lm->map) ? bpf_map__set_pin_path(lm->map, NULL) : 0;
	return err ? err_sys(e, err, "cannot replace map %u", info.id) : 0;
}

int takeover_maps_find(struct takeover *r, struct err *e)
{
	__attribute__((cleanup(search_end))) struct maps_search s = { .r = r };
	int err = r->nprogs ? library_types(&s.types, bpf_object__btf(r->load->obj), e) : 0;

	if (!err)
		err = old_maps_read(&s, e);
	r->maps = arena_array(r->env->keep, r->load->nmaps, sizeof(*r->maps));
	for (size_t i = 0; i < r->load->nmaps && r->nprogs && !err; i++)
		if (!r->load->maps[i].was && bpf_map__type(r->load->maps[i].map) != BPF_MAP_TYPE_STRUCT_OPS)
			err = map_find(&s, i, e);
	return err;
}
