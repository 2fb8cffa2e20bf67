/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/bpf.h>
#include <bpf/bpf.h>
#include "source/live/live.h"
#include "kernel/abi.h"
#include "kernel/ring.h"
#include "own/storage.h"
#include "own/xsk.h"

#define STRUCT_OPS_MAX (1u << 20) /* bytes; tables of operations have a few hundred */

int live_ring(struct live *l)
{
	struct abi_map_info info;
	int err = live_map_info(l, &info);
	RING ring = { 0 };
	CLEAN_FD fd = -1;

	if (err)
		return err;
	if (info.type != ABI_MAP_RINGBUF && info.type != ABI_MAP_USER_RINGBUF)
		return -EINVAL;
	/* A shared mapping, even a read-only one, needs a writable descriptor. */
	fd = held_open(&l->held, OBJECT_MAP, l->object->id, true);
	err = fd < 0 ? fd : ring_open(&ring, fd, info.max_entries, info.map_flags);
	if (err)
		return err;
	/* The consumer's position first, so that it is never ahead. */
	str_fmt(&l->text, "consumer_pos:\t%" PRIu64 "\n", ring_consumer(&ring));
	str_fmt(&l->text, "producer_pos:\t%" PRIu64 "\n", ring_producer(&ring));
	return 0;
}

int live_storage(struct live *l)
{
	struct abi_map_info info;
	int err = live_map_info(l, &info);

	if (err)
		return err;
	if (info.type != ABI_MAP_SK_STORAGE && info.type != ABI_MAP_TASK_STORAGE && info.type != ABI_MAP_CGRP_STORAGE)
		return -ENODATA;
	return storage_read(&l->own, l->object->fd, info.type, info.value_size, &l->text);
}

int live_struct_ops(struct live *l)
{
	struct abi_map_info info;
	const uint32_t key = 0;
	int err = live_map_info(l, &info);

	if (err)
		return err;
	if (info.type != ABI_MAP_STRUCT_OPS || info.key_size != sizeof(key))
		return -ENODATA;
	if (info.value_size > STRUCT_OPS_MAX)
		return -EFBIG;
	str_reserve(&l->text, info.value_size);
	l->text.n = info.value_size;
	return bpf_map_lookup_elem(l->object->fd, &key, l->text.p);
}

int live_sockets(struct live *l)
{
	struct abi_map_info info;
	int err = live_map_info(l, &info);

	if (err)
		return err;
	if (info.type != BPF_MAP_TYPE_SOCKMAP && info.type != BPF_MAP_TYPE_SOCKHASH)
		return -ENODATA;
	return sockets_read(&l->own, l->object->fd, info.key_size, &l->text);
}

int live_xsk(struct live *l)
{
	struct abi_map_info info;
	int err = live_map_info(l, &info);

	if (err)
		return err;
	if (info.type != BPF_MAP_TYPE_XSKMAP)
		return -ENODATA;
	err = live_kmem(l);
	return err ? err : xsk_read(&l->kmem, info.max_entries, &l->text);
}
