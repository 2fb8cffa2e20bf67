/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_EDGE_H
#define RECORD_EDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "record/field.h"

/*
 * What a record has to do with other things: the objects whose ids it holds, in fields, lists and rows, the paths that
 * it is pinned at, the processes that hold it open, and the places that it is bound to. Which fields these are follows
 * from their units; nothing else lists them.
 */
enum edge_to {
	EDGE_PROG,
	EDGE_MAP,
	EDGE_BTF,
	EDGE_LINK,
	EDGE_PIN,
	EDGE_PROCESS,
	EDGE_DEVICE,
	EDGE_NETNS,
	EDGE_CGROUP, /* places: they keep nothing, and nothing keeps them */
	EDGE_KINDS
};
struct edge {
	enum edge_to to;
	bool holder;		   /* the other one holds the record: FIELD_HOLDER */
	uint64_t id;		   /* of the object, process, device, namespace (inode) or cgroup, not 0; of a pin 0 */
	uint64_t netns;		   /* of a device: inode of its namespace, where the record says so; else 0 */
	const char *name;	   /* path of the pin, name of the process; NULL: not known. Borrowed from the record */
	const struct field *field; /* that says so */
};
const char *
edge_to_word(enum edge_to to); /* "prog", ... as the object is called; "pin", "process", "device", "netns", "cgroup" */

/* Rows inside of rows; tests/unit/tables.c knows that no schema has more. */
#define EDGE_DEPTH 4
struct edge_iter {
	unsigned skip; /* enum need: fields that need one of these were not read, and are passed over */
	bool unknown;  /* a field that would tell could not be read */
	unsigned depth;
	struct edge_level {
		struct schema_iter it;
		const struct field *f; /* NULL: the next one is due */
		struct value v;
		uint32_t i; /* next element or row */
		bool holder;
	} level[EDGE_DEPTH];
};
void edge_begin(struct edge_iter *it, const struct schema *s, const void *rec, unsigned skip);
bool edge_next(struct edge_iter *it, struct edge *ret); /* false: no more */
/* Is there one in the fixed part, but for fields that need one of @skip? */
bool edge_any(const struct schema *s, unsigned skip);
/* What the fields of @s need that say something of others, but for those that need one of @skip. */
unsigned edge_need(const struct schema *s, unsigned skip);

#endif
