/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Defined also in memory.c. */

#include "cli/kind.h"

/* The objects of all kinds on a machine, with their names and records, in env->keep. */
struct item {
	const struct kind *kind;
	uint32_t id;
	struct object_label label;
	const void *rec; /* of kind->schema; NULL: it could not be read */
};
struct inventory {
	unsigned need[OBJECT_KINDS]; /* enum need: what to read, by kind; set by the caller */
	struct item *v;		     /* ascending by kind and id */
	size_t n, cap;
	bool unlisted[OBJECT_KINDS]; /* the kernel refused the list (an old one has no links) */
	bool unread[OBJECT_KINDS];   /* some objects could not be read */
	bool refused[OBJECT_KINDS];  /* for another reason than that the file has no answer */
};
/*
 * Refusals are reported. -errno: no kind can be listed. With @pinned, it then has the objects whose pins can be read,
 * and fails if there are none.
 */
int inventory_read(struct env *env, bool pinned, struct inventory *ret, struct err *e);

/* False: it could not be read, or is memory of no user: the kernel's own BTF, or a program that a recording saw
 * unloaded. */
bool item_uses_memory(const struct item *it);
/* Its memory in bytes, as its fields have it. False: a part could not be read, and is 0. */
enum mem_sort { MEM_PROGRAM, MEM_CODE, MEM_MAP, MEM_TYPES, MEM_SORTS };
bool item_memory(const struct item *it, uint64_t ret[MEM_SORTS]);
