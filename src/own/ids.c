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

int ids_open(struct ids_walk *w, struct own *own, unsigned kind)
{
	int err = programs[kind].elf ? own_load(own, &programs[kind], NULL, -1, &w->loaded) : -ENOENT;

	if (err)
		return err;
	w->link = iter_link(w->loaded.prog, NULL);
	err = w->link < 0 ? w->link : own_note(own, OBJECT_LINK, w->link);
	if (err)
		ids_close(w);
	return err;
}

void ids_close(struct ids_walk *w)
{
	if (!w->loaded.open)
		return;
	clean_fd(&w->link);
	own_close(&w->loaded);
}

int ids_run(const struct ids_walk *w, const struct own *own, unsigned kind, struct str *ret)
{
	STR raw = { 0 };
	uint32_t id;
	int err = iter_run(w->link, NULL, NULL, &raw);

	for (size_t at = 0; !err && own_record(&raw, &at, &id, sizeof(id));)
		if (kind >= OBJECT_KINDS || !own_has(own, (enum object_kind)kind, id))
			str_add(ret, &id, sizeof(id));
	return err;
}
