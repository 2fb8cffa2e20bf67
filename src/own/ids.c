/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/ids.h"

#include "own/iter.h"

#include "own/bpf/ids_prog.bpf.inc"
#include "own/bpf/ids_map.bpf.inc"
#include "own/bpf/ids_link.bpf.inc"
#include "own/bpf/ids_task.bpf.inc"
static const struct own_program programs[IDS_KINDS] = {
	[OBJECT_PROG] = OWN_PROGRAM(ids_prog),
	[OBJECT_MAP] = OWN_PROGRAM(ids_map),
	[OBJECT_LINK] = OWN_PROGRAM(ids_link),
	[IDS_PROCESS] = OWN_PROGRAM(ids_task),
};

int ids_open(struct own *own, unsigned kind)
{
	return programs[kind].elf ? own_iter_open(own, &programs[kind], NULL, -1, NULL) : -ENOENT;
}

int ids_run(int link, const struct own *own, unsigned kind, struct str *ret)
{
	STR raw = { 0 };
	uint32_t id;
	int err = iter_run(link, NULL, NULL, &raw);

	for (size_t at = 0; !err && own_record(&raw, &at, &id, sizeof(id));)
		if (kind >= OBJECT_KINDS || !own_has(own, (enum object_kind)kind, id))
			str_add(ret, &id, sizeof(id));
	return err;
}
