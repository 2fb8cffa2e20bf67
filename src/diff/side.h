/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "inventory/inventory.h"

/* Inside the folder: one of the two machines, with the objects that are compared. */
struct diff_item {
	const struct kind *kind;
	uint32_t id;
	const void *rec;	       /* of kind->schema */
	const char *type, *name, *tag; /* "": none. The name of a link is that of its program */
	/*
	 * Attach points: "eth0 xdp", sorted, separated by ", "; "": none. A program has only those without a link.
	 * Ids, inode numbers and pids are replaced by names.
	 */
	const char *places;
	const char *pins;	 /* paths, sorted and separated like places */
	const char *users;	 /* of a map: names of the programs that use it, also sorted and separated */
	struct diff_item *other; /* the same object on the other machine; NULL: there is none */
};
struct diff_items {
	struct diff_item *v;
	size_t n;
};
struct side {
	struct env *env;
	struct diff_items of[OBJECT_KINDS]; /* ascending by id */
	struct inventory all;
	bool places_unknown; /* some attach points could not be read */
	uint64_t asked_at;   /* seconds since the epoch; 0: unknown */
};
/* @counters: also read counters. Lives in env->keep. Refusals are noted; -errno: no objects at all could be listed. */
int side_read(struct side *s, struct env *env, bool counters, struct err *e);
const struct diff_item *side_find(const struct side *s, enum object_kind kind, uint32_t id); /* NULL: there is none */

/* Pairs the items of both sides that are the same: by place, name, type and tag, then by fewer of these (match.c). */
void sides_match(struct side *a, struct side *b);
