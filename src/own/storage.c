/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/storage.h"

#include "kernel/abi.h"
#include "own/iter.h"
#include "own/own.h"

#include "own/bpf/storage_task.bpf.inc"
#include "own/bpf/storage_cgroup.bpf.inc"
#include "own/bpf/storage_socket.bpf.inc"
#include "own/bpf/sockmap.bpf.inc"
static const struct own_program by_task = OWN_PROGRAM(storage_task), by_cgroup = OWN_PROGRAM(storage_cgroup),
				by_socket = OWN_PROGRAM(storage_socket), in_sockmap = OWN_PROGRAM(sockmap);

/* @w NULL: walk the map itself. */
static int owners_collect(struct own *own, const struct own_program *p, const struct iter_walk *w, int map_fd,
			  uint32_t size, struct str *ret)
{
	const struct iter_walk of_map = { .of = ITER_MAP, .map_fd = (uint32_t)map_fd };

	return own_iter(own, p, (struct own_const[]){ { "size", size }, { NULL, 0 } }, map_fd, w ? w : &of_map, ret);
}

int storage_read(struct own *own, int map_fd, uint32_t type, uint32_t value_size, struct str *ret)
{
	const struct iter_walk all = { .of = ITER_ALL }, cgroups = { .of = ITER_CGROUP, .order = ITER_DESCENDANTS_PRE };

	switch (type) {
	case ABI_MAP_TASK_STORAGE:
		return owners_collect(own, &by_task, &all, map_fd, value_size, ret);
	case ABI_MAP_CGRP_STORAGE:
		return owners_collect(own, &by_cgroup, &cgroups, map_fd, value_size, ret);
	case ABI_MAP_SK_STORAGE:
		return owners_collect(own, &by_socket, NULL, map_fd, value_size, ret);
	default:
		return -EINVAL;
	}
}

int sockets_read(struct own *own, int map_fd, uint32_t key_size, struct str *ret)
{
	return owners_collect(own, &in_sockmap, NULL, map_fd, key_size, ret);
}
