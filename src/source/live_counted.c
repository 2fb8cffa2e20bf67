/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "kernel/bpf.h"
#include "own/ids.h"
#include "source/live.h"

static void put(struct live *l, const char *way, enum object_kind kind, uint32_t id)
{
	str_fmt(&l->text, "%s %s %u\n", way, object_kind_names[kind], id);
}

static void put_refused(struct live *l, const char *way, enum object_kind kind, int err)
{
	str_fmt(&l->text, "? %s %s %d\n", way, object_kind_names[kind], -err);
}

/* What was made of our own for the walks is younger than all that was there before: the kernel gives numbers in order. */
static void put_before(struct live *l)
{
	uint32_t last[OBJECT_KINDS] = { 0 };

	for (size_t i = 0; i < l->own.n; i++)
		if (l->own.all[i].id > last[l->own.all[i].kind])
			last[l->own.all[i].kind] = l->own.all[i].id;
	for (unsigned kind = 0; kind < OBJECT_KINDS; kind++)
		if (last[kind])
			put(l, "before", (enum object_kind)kind, last[kind]);
}

static void list(struct live *l, enum object_kind kind)
{
	uint32_t id = 0, next;
	int err;

	while (!(err = bpf_object_next_id(kind, id, &next)) && next > id) {
		if (!own_has(&l->own, kind, next))
			put(l, "listed", kind, next);
		id = next;
	}
	if (err && err != -ENOENT)
		put_refused(l, "listed", kind, err);
}

static void walk(struct live *l, const struct ids_walk *w, enum object_kind kind)
{
	STR ids = { 0 };
	uint32_t id;
	int err = ids_run(w, &l->own, kind, &ids);

	if (err)
		put_refused(l, "walked", kind, err);
	for (size_t at = 0; own_record(&ids, &at, &id, sizeof(id)); )
		put(l, "walked", kind, id);
}

/* The walks behind the lists: what they find and what the lists lack was there before, or is younger. */
int live_counted(struct live *l)
{
	struct ids_walk w[OBJECT_KINDS] = { 0 };
	int err[OBJECT_KINDS];

	for (unsigned kind = 0; kind < OBJECT_KINDS; kind++) {
		err[kind] = ids_open(&w[kind], &l->own, (enum object_kind)kind);
		if (err[kind])
			put_refused(l, "walked", (enum object_kind)kind, err[kind]);
	}
	put_before(l);
	for (unsigned kind = 0; kind < OBJECT_KINDS; kind++)
		list(l, (enum object_kind)kind);
	for (unsigned kind = 0; kind < OBJECT_KINDS; kind++) {
		if (!err[kind])
			walk(l, &w[kind], (enum object_kind)kind);
		ids_close(&w[kind]);
	}
	return 0;
}
