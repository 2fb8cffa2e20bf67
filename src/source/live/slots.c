/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/bpf.h>
#include "source/live/live.h"
#include "kernel/abi.h"
#include "kernel/hooks.h"
#include "kernel/query.h"

/* Programs attached to maps: in slots, or to all sockets of a map. */

#define INNER_KEY_MAX 512 /* the kernel's limit for keys of hash tables */
#define VALUE_MAX 8	  /* struct bpf_devmap_val, struct bpf_cpumap_val: a number, and the program */

/* An empty slot gives -ENOENT; with any other error its contents are unknown. */
static int slot_add(struct live *l, int fd, uint32_t key, uint32_t value_size)
{
	uint32_t value[VALUE_MAX / sizeof(uint32_t)] = { 0 }, id;
	int err = bpf_map_lookup_elem(fd, &key, value);

	if (err)
		return err == -ENOENT ? 0 : err;
	id = value[value_size / sizeof(*value) - 1];
	if (id)
		str_fmt(&l->text, "%u %u\n", key, id);
	return 0;
}

/* If the present key is deleted, the kernel starts again: limit the steps to the maximum number of elements. */
static int slots_by_key(struct live *l, int fd, const struct abi_map_info *info)
{
	uint32_t key = 0, next, *at = NULL;
	int err = 0;

	for (uint32_t i = 0; !err && i < info->max_entries; i++, key = next, at = &key) {
		err = bpf_map_get_next_key(fd, at, &next);
		if (!err)
			err = slot_add(l, fd, next, info->value_size);
		else if (err == -ENOENT)
			return 0;
	}
	return err;
}

int live_slots(struct live *l)
{
	struct abi_map_info info;
	int err = live_map_info(l, &info);
	uint32_t value_size;

	if (err)
		return err;
	if (info.type == ABI_MAP_PROG_ARRAY)
		value_size = sizeof(uint32_t);
	else if (info.type == ABI_MAP_DEVMAP || info.type == ABI_MAP_DEVMAP_HASH || info.type == ABI_MAP_CPUMAP)
		value_size = VALUE_MAX;
	else
		return -ENODATA;
	/* The older, shorter value has no program. */
	if (info.key_size != sizeof(uint32_t) || info.value_size != value_size)
		return 0;
	if (info.type == ABI_MAP_DEVMAP_HASH)
		err = slots_by_key(l, l->object->fd, &info);
	else
		for (uint32_t i = 0; !err && i < info.max_entries; i++)
			err = slot_add(l, l->object->fd, i, value_size);
	return err;
}

/* If the present key is deleted, the kernel starts again, as above. */
int live_inner(struct live *l)
{
	unsigned char key[2][INNER_KEY_MAX] = { 0 };
	struct abi_map_info info;
	int err = live_map_info(l, &info);

	if (err)
		return err;
	if (info.type != BPF_MAP_TYPE_ARRAY_OF_MAPS && info.type != BPF_MAP_TYPE_HASH_OF_MAPS)
		return -ENODATA;
	if (info.key_size > INNER_KEY_MAX)
		return -E2BIG;
	for (uint32_t i = 0; i < info.max_entries; i++) {
		uint32_t id = 0;

		err = bpf_map_get_next_key(l->object->fd, i ? key[i & 1] : NULL, key[~i & 1]);
		if (err)
			break;
		err = bpf_map_lookup_elem(l->object->fd, key[~i & 1], &id);
		if (!err && id)
			str_add(&l->text, &id, sizeof(id));
		if (err && err != -ENOENT)
			break;
	}
	return err && err != -ENOENT ? err : 0;
}

int live_map_progs(struct live *l)
{
	__attribute__((cleanup(prog_query_release))) struct prog_query_room room = { 0 };
	struct abi_map_info info;
	const struct hook *h = NULL;
	int err = live_map_info(l, &info);
	bool known = false;

	if (err)
		return err;
	if (info.type != ABI_MAP_SOCKMAP && info.type != ABI_MAP_SOCKHASH)
		return -ENODATA;
	/* The two stream verdicts share an attach point, which is busy for the other one. */
	while ((h = hook_next(h, HOOK_BIT(HOOK_SOCKETS)))) {
		err = prog_query_ask(&room, (uint32_t)l->object->fd, (uint32_t)h->type, 0, 0, false, &l->text);
		known |= !err || err == -EBUSY;
		if (err && err != -EBUSY && err != -EINVAL && err != -EOPNOTSUPP)
			return err;
	}
	/* A kernel may lack some hooks. Before Linux 5.18 it has hooks, but knows no query of any. */
	return known ? 0 : -EOPNOTSUPP;
}
