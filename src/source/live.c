/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/num.h"
#include "source/live.h"
#include "kernel/bpf.h"
#include "host/pins.h"

#define TEXT_GIVEN (64u << 10)		/* bytes of a text that are too many to be copied */

static void object_drop(struct live_object *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
	o->known.len = 0;
}

static int object_get(struct live *l, enum object_kind kind, uint32_t id, struct live_object **ret)
{
	struct live_object *o = &l->objects[kind];
	int fd;

	if (o->fd < 0 || o->id != id) {
		object_drop(o);
		fd = bpf_object_open(kind, id);
		if (fd < 0)
			return fd == -EAGAIN ? -ENOENT : fd;	/* a link that is being made */
		o->fd = fd;
		o->id = id;
	}
	*ret = o;
	return 0;
}

int live_map_info(struct live_object *o, struct abi_map_info *ret)
{
	int err = o->known.len ? 0 : info_fetch(o->fd, &o->known);

	*ret = (struct abi_map_info){ 0 };
	if (!err)
		memcpy(ret, o->known.info, o->known.len < sizeof(*ret) ? o->known.len : sizeof(*ret));
	return err;
}

int live_text(struct live *l, struct arena *a, struct blob *ret)
{
	const void *p = "";

	if (l->text.n >= TEXT_GIVEN) {
		arena_defer(a, free, l->text.p);
		*ret = (struct blob){ (const unsigned char *)l->text.p, l->text.n };
		l->text = (struct str){ 0 };
		return 0;
	}
	if (l->text.n)
		p = arena_dup(a, l->text.p, l->text.n);
	*ret = (struct blob){ p, l->text.n };
	return 0;
}

/* Loaded only to answer questions. */
static bool is_ours(const struct live *l, enum object_kind kind, uint32_t id)
{
	return (kind == OBJECT_PROG && id == l->ksym.prog_id) || (kind == OBJECT_MAP && id == l->ksym.map_id);
}

static int get_ids(struct live *l, enum object_kind kind, struct arena *a, struct blob *ret)
{
	uint32_t id = 0, next;
	int err;

	object_drop(&l->objects[kind]);
	live_walk_drop(&l->walk);
	live_kmem_drop(l);
	str_reset(&l->text);
	while (!(err = bpf_object_next_id(kind, id, &next)) && next > id) {
		if (!is_ours(l, kind, next))
			str_add(&l->text, &next, sizeof(next));
		id = next;
	}
	if (err && err != -ENOENT)
		return err;
	return live_text(l, a, ret);
}

static int get_info(struct live_object *o, struct arena *a, struct blob *ret)
{
	int err = info_fetch(o->fd, &o->known);

	if (!err)
		*ret = (struct blob){ arena_dup(a, o->known.info, o->known.len), o->known.len };
	return err;
}

/*
 * The file is kept: its name is a number, and whenever it is read from the start, it tells what has that number by then.
 * Objects that are opened one after the other all get the same.
 */
static int fdinfo_open(struct live *l, int of)
{
	char name[24];

	if (l->fdinfo >= 0 && l->fdinfo_of == of)
		return 0;
	if (l->fdinfo_dir < 0)
		return -ENODATA;
	clean_fd(&l->fdinfo);
	*num_dec(name, (uint64_t)of) = '\0';
	l->fdinfo = openat(l->fdinfo_dir, name, O_RDONLY | O_CLOEXEC);
	l->fdinfo_of = of;
	return l->fdinfo < 0 ? -errno : 0;
}

static int get_fdinfo(struct live *l, const struct live_object *o, struct arena *a, struct blob *ret)
{
	char small[4096];
	ssize_t n;
	int err = fdinfo_open(l, o->fd);

	if (err)
		return err;
	/* The kernel makes this text in one piece, so a read that is not full was all of it. */
	n = pread(l->fdinfo, small, sizeof(small), 0);
	if (n < 0)
		return -errno;
	if ((size_t)n < sizeof(small)) {
		*ret = (struct blob){ arena_dup(a, small, (size_t)n), (size_t)n };
		return 0;
	}
	str_reset(&l->text);
	err = lseek(l->fdinfo, 0, SEEK_SET) < 0 ? -errno : str_read_fd(&l->text, l->fdinfo, 64u << 20);
	return err ? err : live_text(l, a, ret);
}

static int get_buf(struct live_object *o, const char *spec, struct arena *a, struct blob *ret)
{
	struct info_buf bufs[INFO_BUFS];
	size_t n;

	if (info_spec_parse(spec, bufs, &n))
		return -ENODATA;
	for (size_t i = 0; i < n; i++)
		if (bufs[i].ptr > INFO_MAX - sizeof(uint64_t) || bufs[i].len > INFO_MAX - sizeof(uint32_t))
			return -ENODATA;
	return info_fetch_bufs(o->fd, &o->known, bufs, n, a, ret);
}

static int get_object(struct live *l, enum object_kind kind, uint32_t id, const char *what, struct arena *a, struct blob *ret)
{
	struct live_object *o;
	int err = object_get(l, kind, id, &o);

	if (err)
		return err;
	if (!strcmp(what, "info"))
		return get_info(o, a, ret);
	if (!strcmp(what, "fdinfo"))
		return get_fdinfo(l, o, a, ret);
	if (!strncmp(what, "buf/", 4))
		return get_buf(o, what + 4, a, ret);
	switch (kind) {
	case OBJECT_PROG:
		return live_prog_array(o, what, a, ret);
	case OBJECT_MAP:
		if (!strcmp(what, "count"))
			return live_count(l, o, a, ret);
		if (!strcmp(what, "ring"))
			return live_ring(o, a, ret);
		if (!strcmp(what, "storage"))
			return live_storage(l, o, a, ret);
		if (!strcmp(what, "slots"))
			return live_slots(l, o, a, ret);
		if (!strcmp(what, "progs"))
			return live_map_progs(l, o, a, ret);
		if (!strcmp(what, "xsk"))
			return live_xsk(l, o, a, ret);
		if (!strncmp(what, "pages/", 6))
			return live_pages(l, o, what + 6, a, ret);
		if (!strcmp(what, "struct_ops"))
			return live_struct_ops(o, a, ret);
		if (!strcmp(what, "sockets"))
			return live_sockets(l, o, a, ret);
		return strncmp(what, "elems/", 6) ? -ENODATA : live_elems(l, o, what + 6, a, ret);
	case OBJECT_BTF:
		return live_btf(o, what, a, ret);
	default:
		return -ENODATA;
	}
}

static int get_pin(const char *path, struct arena *a, struct blob *ret)
{
	enum object_kind kind;
	uint32_t id;
	int err = pins_read(path, &kind, &id);

	if (err)
		return err;
	ret->p = (const unsigned char *)arena_fmt(a, "%s %u\n", object_kind_names[kind], id);
	ret->n = strlen((const char *)ret->p);
	return 0;
}

/* "KIND/": the position behind it, or NULL. */
static const char *key_kind(const char *key, enum object_kind *kind)
{
	for (int i = 0; i < OBJECT_KINDS; i++) {
		size_t n = strlen(object_kind_names[i]);

		if (!strncmp(key, object_kind_names[i], n) && key[n] == '/') {
			*kind = (enum object_kind)i;
			return key + n + 1;
		}
	}
	return NULL;
}

/* "ID/": the position behind it, or NULL. Only the canonical spelling, so that an object has one key. */
static const char *key_id(const char *p, uint32_t *id)
{
	uint64_t v = 0;
	const char *start = p;

	for (; *p >= '0' && *p <= '9'; p++) {
		v = v * 10 + (uint64_t)(*p - '0');
		if (v > UINT32_MAX)
			return NULL;
	}
	if (p == start || *p != '/' || (*start == '0' && p - start > 1))
		return NULL;
	*id = (uint32_t)v;
	return p + 1;
}

static int live_get(struct source *s, const char *key, struct arena *a, struct blob *ret)
{
	struct live *l = (struct live *)s;
	enum object_kind kind;
	const char *p = key_kind(key, &kind);
	uint32_t id;
	int err;

	if (p) {
		if (!strcmp(p, "ids"))
			return get_ids(l, kind, a, ret);
		p = key_id(p, &id);
		return p ? get_object(l, kind, id, p, a, ret) : -ENODATA;
	}
	if (!strncmp(key, "pin/", 4))
		return get_pin(key + 4, a, ret);
	if (!strncmp(key, "cgroup/", 7))
		return live_cgroup(l, key + 7, a, ret);
	if (!strncmp(key, "cgroup_at/", 10))
		return live_cgroup_at(key + 10, a, ret);
	if (!strncmp(key, "net/", 4)) {
		str_reset(&l->text);
		err = live_net_get(&l->net, key + 4, &l->text);
		return err ? err : live_text(l, a, ret);
	}
	if (!strncmp(key, "func/", 5))
		return live_func(l, key + 5, a, ret);
	if (!strncmp(key, "sys/", 4))
		return live_sys(l, key + 4, a, ret);
	return -ENODATA;
}

static void live_idle(struct source *s)
{
	struct live *l = (struct live *)s;

	live_walk_drop(&l->walk);
	live_kmem_drop(l);
	for (int i = 0; i < OBJECT_KINDS; i++)
		object_drop(&l->objects[i]);
	live_cgroup_idle(&l->cgroup);
}

static void live_close(struct source *s)
{
	struct live *l = (struct live *)s;

	live_idle(s);
	ksym_close(&l->ksym);
	clean_fd(&l->fdinfo);
	clean_fd(&l->fdinfo_dir);
	str_release(&l->text);
	live_walk_release(&l->walk);
	live_net_release(&l->net);
	elf_funcs_free(&l->file.funcs);
	free(l);
}

static const struct source_ops live_ops = {
	.name = "live", .get = live_get, .idle = live_idle, .close = live_close,
};

int source_live(struct source **ret, int debug, struct err *e)
{
	struct live *l = calloc(1, sizeof(*l));

	if (!l)
		return err_sys(e, -ENOMEM, "cannot start");
	l->source.ops = &live_ops;
	l->debug = debug;
	l->fdinfo_dir = open("/proc/self/fdinfo", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	l->fdinfo = -1;
	l->ksym.map = l->ksym.prog = -1;
	l->cgroup.mount = -1;
	l->net = (struct live_net)LIVE_NET_NONE;
	for (int i = 0; i < OBJECT_KINDS; i++)
		l->objects[i].fd = -1;
	*ret = &l->source;
	return 0;
}
