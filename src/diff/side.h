/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIFF_SIDE_H
#define DIFF_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/object.h"

struct env;
struct kind;
struct err;
/* Inside the folder: one of the two machines, with the objects that are compared. */
struct diff_item {
	const struct kind *kind;
	uint32_t id;
	const void *rec;	       /* of kind->schema; NULL: it could not be read */
	const char *type, *name, *tag; /* "": it has none; of a link its type and the name of its program */
	/*
	 * Where it runs: "eth0 xdp", ascending, ", " between them; "": nowhere. Of a program without the places of its
	 * links, of a link its own. Ids, inode numbers and pids in it are replaced by names.
	 */
	const char *places;
	const char *pins;	 /* paths, likewise */
	const char *users;	 /* of a map the names of the programs that use it, likewise */
	struct diff_item *other; /* what it is on the other machine; NULL: it is not there */
};
struct diff_items {
	struct diff_item *v;
	size_t n;
};
struct side {
	struct env *env;
	struct diff_items of[OBJECT_KINDS]; /* ascending by id */
	bool unlisted[OBJECT_KINDS];	    /* they could not be listed, which was noted */
	bool unread[OBJECT_KINDS]; /* some could not be read: what is not among them may be there all the same */
	bool places_unknown;	   /* the same of places */
	uint64_t asked_at;	   /* seconds since the epoch; 0: unknown */
};
/* @counters: they are read, too. Lives in env->keep. Refusals are noted; -errno: nothing at all could be listed. */
int side_read(struct side *s, struct env *env, bool counters, struct err *e);
const struct diff_item *side_find(const struct side *s, enum object_kind kind, uint32_t id); /* NULL: there is none */

/* Pairs the items of both that are the same thing: by place, name, type and tag, then by less (match.c). */
void sides_match(struct side *a, struct side *b);

#endif
