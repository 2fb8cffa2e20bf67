/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>

#include "cli/command.h"
#include "cli/env.h"
#include "cli/select.h"
#include "host/pins.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "kernel/elem.h"
#include "kernel/log.h"
#include "kernel/names.h"
#include "load/steps.h"

static int no_map(const struct load *l, const char *name, struct err *e)
{
	struct load_names names = { 0 };

	for (size_t i = 0; i < l->nmaps; i++)
		load_names_add(&names, bpf_map__name(l->maps[i].map));
	return load_unknown(l, "map", name, &names, e);
}

static int map_find(struct load *l, const struct arg_reuse *r, struct bpf_map **ret, struct err *e)
{
	*ret = r->name ? bpf_object__find_map_by_name(l->obj, r->name) : r->idx < l->nmaps ? l->maps[r->idx].map : NULL;
	if (load_has(l, *ret, r))
		return 0;
	return r->name ? no_map(l, r->name, e) :
			 err_set(e, -ENOENT, "map idx '%u' not used: %s has fewer maps", r->idx, l->q.path);
}

static const char *differs(const char *what, uint64_t has, uint64_t needs, struct arena *a)
{
	return arena_fmt(a, "its %s is %llu, the program needs %llu", what, llu(has), llu(needs));
}

const char *load_map_differs(const struct bpf_map *m, const struct abi_map_info *info, bool whole, struct arena *a)
{
	if (info->type != bpf_map__type(m))
		return arena_fmt(a, "its type is %s, the program needs %s", names_of(&names_map_type, info->type),
				 names_of(&names_map_type, bpf_map__type(m)));
	if (info->key_size != bpf_map__key_size(m))
		return differs("key size", info->key_size, bpf_map__key_size(m), a);
	if (info->value_size != bpf_map__value_size(m))
		return differs("value size", info->value_size, bpf_map__value_size(m), a);
	if (whole && bpf_map__max_entries(m) && info->max_entries != bpf_map__max_entries(m))
		return differs("max_entries", info->max_entries, bpf_map__max_entries(m), a);
	if (whole && (info->map_flags ^ bpf_map__map_flags(m)) & ~(uint32_t)BPF_F_RDONLY_PROG)
		return arena_fmt(a, "its flags are %#x, the program needs %#x", info->map_flags, bpf_map__map_flags(m));
	return NULL;
}

/* @whole: the user did not choose this map. */
static int check_fits(const struct load *l, const struct bpf_map *m, int fd, bool whole, struct err *e)
{
	struct abi_map_info info = { 0 };
	uint32_t len = sizeof(info);
	int err = sys_object_info(fd, &info, &len);
	const char *why = err ? NULL : load_map_differs(m, &info, whole, l->env->keep);

	if (err)
		return err_sys(e, err, "cannot read the info of the map for %s", bpf_map__name(m));
	return why ? err_set(e, -EINVAL, "map %u cannot be used for %s: %s", info.id, bpf_map__name(m), why) : 0;
}

static int map_reuse(struct load *l, const struct arg_reuse *r, bool whole, struct bpf_map *m, struct err *e)
{
	CLEAN_FD fd = select_open_rw(l->env, &kind_map, &r->with, NULL, e);
	int err;

	if (fd < 0)
		return fd;
	err = check_fits(l, m, fd, whole, e);
	if (err)
		return whole ? err_in(e, "%s", r->with.text) : err;
	err = bpf_map__reuse_fd(m, fd);
	if (err)
		return err_sys(e, err, "unable to set up map reuse for %s", bpf_map__name(m));
	for (size_t i = 0; i < l->nmaps; i++)
		l->maps[i].was |= l->maps[i].map == m;
	return 0;
}

static bool is_among(struct bpf_map *const *maps, size_t n, const struct bpf_map *m)
{
	while (n && maps[n - 1] != m)
		n--;
	return n;
}

static int map_resize(struct load *l, struct bpf_map *const *reused, const char *assignment, struct err *e)
{
	size_t n = strcspn(assignment, "=");
	const char *name = arena_str(l->env->keep, assignment, n);
	struct bpf_map *m = bpf_object__find_map_by_name(l->obj, name);
	uint64_t entries;
	int err;

	if (!load_has(l, m, assignment))
		return no_map(l, name, e);
	if (!assignment[n] || num_parse_size(assignment + n + 1, &entries) || !entries || entries > UINT32_MAX)
		return err_usage(e, "resize '%s': expected NAME=ENTRIES, entries from 1 to %u", assignment, UINT32_MAX);
	if (!m)
		return 0;
	if (is_among(reused, l->q.reuse.n, m))
		return err_usage(e, "cannot resize %s: the map already exists, and keeps its size", name);
	err = bpf_map__set_max_entries(m, (uint32_t)entries);
	return err ? err_sys(e, err, "cannot resize map %s", name) : 0;
}

static void fd_close(void *p)
{
	close(*(int *)p);
}

/*
 * libbpf before 1.5 refuses inner arrays of perf events without a size, and does not let one set it; so it gets a map
 * as the example of what is in the slots. The size is not compared.
 */
static int inner_make(const struct load *l, struct bpf_map *m, struct err *e)
{
	const struct bpf_map *in = bpf_map__inner_map(m);
	const struct map_attr attr = { .type = BPF_MAP_TYPE_PERF_EVENT_ARRAY,
				       .key_size = sizeof(uint32_t),
				       .value_size = sizeof(uint32_t),
				       .max_entries = 1,
				       .inner_fd = -1 };
	int *fd;

	if (!in || bpf_map__type(in) != BPF_MAP_TYPE_PERF_EVENT_ARRAY || bpf_map__max_entries(in) || l->q.loader.use ||
	    log_library_has(5))
		return 0;
	fd = arena_alloc(l->env->keep, sizeof(*fd));
	*fd = map_create(&attr);
	if (*fd < 0)
		return err_sys(e, *fd, "cannot create an inner map of %s", bpf_map__name(m));
	arena_defer(l->env->keep, fd_close, fd);
	return bpf_map__set_inner_map_fd(m, *fd);
}

/*
 * Add the maps that are pinned in q.maps_dir by the names of the file's, after the @n that the user chose. Constants
 * belong to the file's code, and are its own.
 */
static int dir_add(struct load *l, struct bpf_map ***maps, size_t n, struct err *e)
{
	struct arg_reuse *v = arena_array(l->env->keep, n + l->nmaps, sizeof(*v));
	struct bpf_map **all = arena_array(l->env->keep, n + l->nmaps, sizeof(struct bpf_map *));
	STR used = { 0 };

	if (access(l->q.maps_dir, F_OK))
		return err_sys(e, -errno, "cannot use the maps in %s", l->q.maps_dir);
	if (n) {
		memcpy(v, l->q.reuse.v, n * sizeof(*v));
		memcpy(all, *maps, n * sizeof(struct bpf_map *));
	}
	for (size_t i = 0; i < l->nmaps; i++) {
		struct bpf_map *m = l->maps[i].map;
		const char *path = load_map_path(l->q.maps_dir, m, l->env->keep);

		if (bpf_map__map_flags(m) & BPF_F_RDONLY_PROG || is_among(all, n, m))
			continue;
		if (access(path, F_OK) && errno == ENOENT)
			continue;
		v[n] = (struct arg_reuse){ .name = bpf_map__name(m), .with = { .by = SEL_PINNED, .text = path } };
		all[n++] = m;
		l->maps[i].in_dir = true;
		str_fmt(&used, "%s%s", used.n ? ", " : "", bpf_map__name(m));
	}
	report_note(l->env->report, used.n ? "maps of %s that are used: %s" : "%s has no map of the file%s",
		    l->q.maps_dir, used.n ? used.p : "");
	l->q.reuse = (struct arg_reuses){ v, n };
	*maps = all;
	return 0;
}

/* All maps are looked up first, because libbpf gives a map the name of the map that it reuses. */
int load_maps(struct load *l, struct err *e)
{
	const struct arg_reuses *reuse = &l->q.reuse;
	const size_t chosen = reuse->n;
	struct bpf_map **maps = arena_array(l->env->keep, reuse->n, sizeof(struct bpf_map *));
	int err = 0;

	for (size_t i = 0; i < l->nmaps && !err; i++)
		err = inner_make(l, l->maps[i].map, e);
	for (size_t i = 0; i < reuse->n && !err; i++) {
		err = map_find(l, &reuse->v[i], &maps[i], e);
		if (!err && maps[i] && is_among(maps, i, maps[i]))
			err = err_usage(e, "replacement for map %s specified more than once", bpf_map__name(maps[i]));
	}
	if (!err && l->q.maps_dir)
		err = dir_add(l, &maps, chosen, e);
	for (size_t i = 0; i < l->q.resize.n && !err; i++)
		err = map_resize(l, maps, l->q.resize.word[i], e);
	for (size_t i = 0; i < reuse->n && !err; i++)
		err = maps[i] ? map_reuse(l, &reuse->v[i], i >= chosen, maps[i], e) : 0;
	return err;
}

static void maps_unpin(const void *ctx)
{
	const struct load *l = ctx;

	for (size_t i = 0; i < l->nmaps; i++)
		if (!l->maps[i].was && bpf_map__is_pinned(l->maps[i].map))
			bpf_map__unpin(l->maps[i].map, NULL);
}

/*
 * The kernel adds BPF_F_RDONLY_PROG to the flags of a devmap, which libbpf before 1.7 takes for a mismatch with the
 * file. It does not compare a map that was given to it.
 */
static int devmap_reuse(struct bpf_map *m, const char *pin, struct err *e)
{
	enum object_kind kind;
	uint32_t id;
	CLEAN_FD fd = pins_open(pin, true, &kind, &id);
	struct abi_map_info info = { 0 };
	uint32_t len = sizeof(info);
	int err;

	if (fd < 0 || kind != OBJECT_MAP || sys_object_info(fd, &info, &len) || info.type != bpf_map__type(m) ||
	    info.max_entries != bpf_map__max_entries(m) || info.key_size != bpf_map__key_size(m) ||
	    info.value_size != bpf_map__value_size(m) || (info.map_flags ^ bpf_map__map_flags(m)) != BPF_F_RDONLY_PROG)
		return 0; /* libbpf reports it */
	err = bpf_map__reuse_fd(m, fd);
	if (!err)
		err = bpf_map__set_pin_path(m, NULL);
	return err ? err_sys(e, err, "cannot use the map that is pinned at %s", pin) : 0;
}

static bool is_devmap(const struct bpf_map *m)
{
	return bpf_map__type(m) == BPF_MAP_TYPE_DEVMAP || bpf_map__type(m) == BPF_MAP_TYPE_DEVMAP_HASH;
}

/* libbpf maps an arena at the address that the file asks for, in place of what is mapped there. */
static int arena_check(const struct bpf_map *m, const char *path, struct err *e)
{
	const uint64_t at = (int)bpf_map__type(m) == ABI_MAP_ARENA ? bpf_map__map_extra(m) : 0;

	if (!at || !sys_mapped(at, bpf_map__max_entries(m)))
		return 0;
	err_set(e, -EADDRINUSE,
		"cannot load %s: its arena '%s' is for address %#" PRIx64 ", where bpflens has other memory", path,
		bpf_map__name(m), at);
	return err_hint(e, "try again, because the addresses are chosen anew, or change map_extra in the source");
}

int load_maps_note(struct load *l, struct err *e)
{
	int err = 0;

	for (size_t i = 0; i < l->nmaps && !err; i++) {
		struct bpf_map *m = l->maps[i].map;
		const char *pin = bpf_map__pin_path(m);

		l->maps[i].was |= pin && !access(pin, F_OK);
		if (pin && !l->maps[i].was)
			err = load_mount(l, pin, e);
		if (!err && pin && l->maps[i].was && is_devmap(m))
			err = devmap_reuse(m, pin, e);
		if (!err)
			err = arena_check(m, l->q.path, e);
	}
	load_did(l, maps_unpin, l);
	return err;
}
