/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps that are tables of operations (kernel/bpf/bpf_struct_ops.c): a value begins with refcnt and state. */
#include "fake.h"

enum { INIT, INUSE, TOBEFREE, READY };

static uint32_t state_of(const unsigned char *value)
{
	uint32_t ret;

	memcpy(&ret, value + 4, sizeof(ret));
	return ret;
}

static void state_set(unsigned char *value, uint32_t state)
{
	memcpy(value + 4, &state, sizeof(state));
}

/* The descriptors of programs become ids. Which members are functions, only their types say: here, those that hold one.
 */
int table_register(struct object *map, unsigned char *to, const unsigned char *value)
{
	const bool by_link = map->info.map.map_flags & ABI_MAP_LINK;
	int err;

	if (state_of(to) != INIT)
		return -EBUSY;
	memcpy(to, value, map->info.map.value_size);
	for (uint32_t at = 8; at + 8 <= map->info.map.value_size; at += 8) {
		const struct object *prog;
		uint64_t v;

		memcpy(&v, value + at, sizeof(v));
		prog = v && v < 1024 ? object_of((int)v, OBJECT_PROG, &err) : NULL;
		if (!prog || prog->info.prog.type != ABI_PROG_STRUCT_OPS)
			continue;
		v = prog->id;
		memcpy(to + at, &v, sizeof(v));
		object_hold(map, prog);
	}
	map->registered = !by_link;
	state_set(to, by_link ? READY : INUSE);
	*(int *)(void *)to = !by_link;
	return 0;
}

int table_unregister(struct object *map, unsigned char *value)
{
	if (map->info.map.map_flags & ABI_MAP_LINK)
		return -EOPNOTSUPP;
	if (state_of(value) != INUSE)
		return state_of(value) == INIT ? -ENOENT : -EINPROGRESS;
	map->registered = false;
	state_set(value, TOBEFREE);
	return 0;
}
