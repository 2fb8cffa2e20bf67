/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/live/held.h"

#include <fcntl.h>

#include "host/pins.h"
#include "kernel/bpf.h"

#define KNOWN_MAX 65536u /* objects; a command that goes on for a long time meets many */
#define OPEN_MAX 256u	 /* descriptors; others are opened again when they are needed */

struct held_object {
	struct held_object *next; /* open */
	int fd;			  /* -1: none */
	const char *path;	  /* NULL: none */
};

static uint64_t key(enum object_kind kind, uint32_t id)
{
	return (uint64_t)kind << 32 | id;
}

static struct held_object *object_put(struct held *h, enum object_kind kind, uint32_t id, const char *path)
{
	struct held_object *o;
	void **slot;

	if (!h->arena) {
		h->arena = arena_new();
		hash_init(&h->objects, h->arena);
	}
	slot = hash_put(&h->objects, key(kind, id));
	if (!*slot) {
		*slot = o = arena_alloc(h->arena, sizeof(*o));
		*o = (struct held_object){ .fd = -1 };
	}
	o = *slot;
	if (path && !o->path)
		o->path = arena_str(h->arena, path, SIZE_MAX);
	return o;
}

void held_note(void *ctx, enum object_kind kind, uint32_t id, const char *path)
{
	object_put(ctx, kind, id, path);
}

void held_put(struct held *h, enum object_kind kind, uint32_t id, int fd, const char *path)
{
	struct held_object *o = object_put(h, kind, id, path);

	if (o->fd >= 0 || h->nopen >= OPEN_MAX)
		return;
	o->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (o->fd < 0)
		return;
	o->next = h->open;
	h->open = o;
	h->nopen++;
}

/* The pin may be another object's by now. */
static int open_path(const char *path, enum object_kind kind, uint32_t id, bool write)
{
	enum object_kind is;
	uint32_t its;
	CLEAN_FD fd = pins_open(path, write, &is, &its);

	return fd >= 0 && is == kind && its == id ? TAKE_FD(fd) : -EPERM;
}

static bool may_write(int fd)
{
	return (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
}

int held_open(const struct held *h, enum object_kind kind, uint32_t id, bool write)
{
	const struct held_object *o = h->arena ? hash_get(&h->objects, key(kind, id)) : NULL;
	int fd;

	if (o && o->fd >= 0 && (!write || may_write(o->fd))) {
		fd = fcntl(o->fd, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? -errno : fd;
	}
	fd = write ? sys_object_open_rw(kind, id) : sys_object_open(kind, id);
	return fd == -EPERM && o && o->path ? open_path(o->path, kind, id, write) : fd;
}

void held_idle(struct held *h)
{
	for (struct held_object *o = h->open; o; o = o->next) {
		close(o->fd);
		o->fd = -1;
	}
	h->open = NULL;
	h->nopen = 0;
	if (h->arena && h->objects.n > KNOWN_MAX) {
		arena_free(h->arena);
		h->arena = NULL;
	}
}

void held_release(struct held *h)
{
	held_idle(h);
	arena_free(h->arena);
	h->arena = NULL;
}
