/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <sys/mman.h>
#include "source/live/live.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"

#define ARRAY_TRIES 4
#define ARRAY_MAX (256u << 20)
#define NAME_GUESS 64
#define MAP_FROM (1u << 20) /* from this size in bytes, a mapping is cheaper than a copy */

static uint32_t get_u32(const unsigned char *info, uint16_t off)
{
	uint32_t v;

	memcpy(&v, info + off, sizeof(v));
	return v;
}

/*
 * Asks with room for *count records. -EAGAIN: there are more, *count is their number. The kernel clears the pointer or
 * the count if it does not show the array; that is an empty answer.
 */
static int array_try(struct live_object *o, const struct prog_array *w, uint32_t elem, uint32_t *count, struct arena *a,
		     struct blob *ret)
{
	unsigned char info[INFO_MAX] = { 0 };
	uint32_t len = sizeof(info), got;
	uint64_t size = (uint64_t)*count * elem, ptr;
	unsigned char *p;
	int err;

	if (size > ARRAY_MAX)
		return -EFBIG;
	p = arena_alloc(a, (size_t)size);
	ptr = (uintptr_t)p;
	memcpy(info + w->ptr, &ptr, sizeof(ptr));
	memcpy(info + w->count, count, sizeof(*count));
	if (w->rec_size)
		memcpy(info + w->rec_size, &elem, sizeof(elem));
	err = sys_object_info(o->fd, info, &len);
	if (err)
		return err;
	memcpy(&ptr, info + w->ptr, sizeof(ptr));
	got = ptr ? get_u32(info, w->count) : 0;
	if (got > *count) {
		*count = got;
		return -EAGAIN;
	}
	*ret = (struct blob){ p, (size_t)got * elem };
	return 0;
}

int live_prog_array(struct live *l, struct arena *a, struct blob *ret)
{
	const struct prog_array *w = &prog_arrays[l->asked->q - Q_PROG_XLATED];
	struct live_object *o = l->object;
	uint32_t count, elem;
	int err = o->known.len ? 0 : info_fetch(o->fd, &o->known);

	if (err)
		return err;
	*ret = (struct blob){ (const unsigned char *)"", 0 };
	count = get_u32(o->known.info, w->count);
	elem = w->rec_size ? get_u32(o->known.info, w->rec_size) : w->elem;
	if (!count || !elem) /* also an array that this kernel does not know: o->known.info is zero there */
		return 0;
	err = -EAGAIN;
	for (int i = 0; i < ARRAY_TRIES && err == -EAGAIN; i++)
		err = array_try(o, w, elem, &count, a, ret);
	return err;
}

static int btf_ask(struct live_object *o, struct abi_btf_info *info)
{
	uint32_t len = sizeof(*info);

	return sys_object_info(o->fd, info, &len);
}

static int kernel_btf_name(struct live_object *o, struct arena *a, struct blob *ret)
{
	uint32_t room = NAME_GUESS;
	int err = -ENOSPC;

	for (int i = 0; i < ARRAY_TRIES && err == -ENOSPC; i++) {
		char *name = arena_alloc(a, room);
		struct abi_btf_info info = { .name = (uintptr_t)name, .name_len = room };

		err = btf_ask(o, &info);
		if (!err)
			*ret = (struct blob){ (unsigned char *)name, strnlen(name, room) };
		room = 16 * NAME_GUESS;
	}
	return err;
}

struct mapping {
	void *p;
	size_t n;
};

static void mapping_end(void *p)
{
	const struct mapping *m = p;

	munmap(m->p, m->n);
}

/* Since Linux 6.16 the kernel's BTF can be mapped, which saves a copy of megabytes. False: it must be copied. */
static bool btf_map(struct live_object *o, uint32_t size, struct arena *a, struct blob *ret)
{
	CLEAN_FD fd = -1;
	struct mapping *m;
	struct blob name;
	void *p;

	if (size < MAP_FROM || kernel_btf_name(o, a, &name) || name.n != strlen("vmlinux") ||
	    memcmp(name.p, "vmlinux", name.n))
		return false;
	fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	p = fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return false;
	m = arena_alloc(a, sizeof(*m));
	*m = (struct mapping){ p, size };
	arena_defer(a, mapping_end, m);
	*ret = (struct blob){ p, size };
	return true;
}

int live_btf_data(struct live *l, struct arena *a, struct blob *ret)
{
	struct live_object *o = l->object;
	struct abi_btf_info info = { 0 };
	int err = btf_ask(o, &info);
	uint32_t room = info.btf_size;
	unsigned char *p;

	if (err)
		return err;
	if (room > ARRAY_MAX)
		return -EFBIG;
	if (info.kernel_btf && btf_map(o, room, a, ret))
		return 0;
	p = arena_alloc(a, room);
	info = (struct abi_btf_info){ .btf = (uintptr_t)p, .btf_size = room };
	err = btf_ask(o, &info);
	if (!err)
		*ret = (struct blob){ p, info.btf_size < room ? info.btf_size : room };
	return err;
}

int live_btf_name(struct live *l, struct arena *a, struct blob *ret)
{
	return kernel_btf_name(l->object, a, ret);
}
