/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/bpf.h>
#include <bpf/bpf.h>
#include "base/base.h"
#include "source/live/live.h"
#include "kernel/abi.h"
#include "kernel/ring.h"
#include "own/storage.h"
#include "own/xsk.h"

#define STRUCT_OPS_MAX (1u << 20) /* bytes; tables of operations have a few hundred */

int live_ring(struct live *l, struct live_object *o, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct abi_map_info info;
	int err = live_map_info(o, &info);
	RING ring = { 0 };
	CLEAN_FD fd = -1;

	if (err)
		return err;
	if (info.type != ABI_MAP_RINGBUF && info.type != ABI_MAP_USER_RINGBUF)
		return -EINVAL;
	/* A shared mapping, even a read-only one, needs a writable descriptor. */
	fd = held_open(&l->held, OBJECT_MAP, o->id, true);
	err = fd < 0 ? fd : ring_open(&ring, fd, info.max_entries, info.map_flags);
	if (err)
		return err;
	/* The consumer's position first, so that it is never ahead. */
	ret->p = (const unsigned char *)arena_fmt(a, "consumer_pos:\t%" PRIu64 "\n", ring_consumer(&ring));
	ret->p = (const unsigned char *)arena_fmt(a, "%sproducer_pos:\t%" PRIu64 "\n", (const char *)ret->p,
						  ring_producer(&ring));
	ret->n = strlen((const char *)ret->p);
	return 0;
}

int live_storage(struct live *l, struct live_object *o, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct abi_map_info info;
	int err = live_map_info(o, &info);

	if (err)
		return err;
	if (info.type != ABI_MAP_SK_STORAGE && info.type != ABI_MAP_TASK_STORAGE && info.type != ABI_MAP_CGRP_STORAGE)
		return -ENODATA;
	str_reset(&l->text);
	err = storage_read(&l->own, o->fd, info.type, info.value_size, &l->text);
	return err ? err : live_text(l, a, ret);
}

int live_struct_ops(struct live *l, struct live_object *o, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct abi_map_info info;
	const uint32_t key = 0;
	unsigned char *value;
	int err = live_map_info(o, &info);

	if (err)
		return err;
	if (info.type != ABI_MAP_STRUCT_OPS || info.key_size != sizeof(key))
		return -ENODATA;
	if (info.value_size > STRUCT_OPS_MAX)
		return -EFBIG;
	value = arena_alloc(a, info.value_size);
	err = bpf_map_lookup_elem(o->fd, &key, value);
	if (!err)
		*ret = (struct blob){ value, info.value_size };
	return err;
}

int live_sockets(struct live *l, struct live_object *o, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct abi_map_info info;
	int err = live_map_info(o, &info);

	if (err)
		return err;
	if (info.type != BPF_MAP_TYPE_SOCKMAP && info.type != BPF_MAP_TYPE_SOCKHASH)
		return -ENODATA;
	str_reset(&l->text);
	err = sockets_read(&l->own, o->fd, info.key_size, &l->text);
	return err ? err : live_text(l, a, ret);
}

int live_xsk(struct live *l, struct live_object *o, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct abi_map_info info;
	int err = live_map_info(o, &info);

	if (err)
		return err;
	if (info.type != BPF_MAP_TYPE_XSKMAP)
		return -ENODATA;
	err = live_kmem(l, o);
	if (err)
		return err;
	str_reset(&l->text);
	err = xsk_read(&l->kmem, info.max_entries, &l->text);
	return err ? err : live_text(l, a, ret);
}
