/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "record/field.h"

/*
 * References of a record: the objects whose ids are in its fields, lists and rows, the paths of its pins, the processes
 * that hold it open, and the places it is bound to. The units of fields alone decide which fields are references.
 */
enum edge_to {
	EDGE_PROG,
	EDGE_MAP,
	EDGE_LINK,
	EDGE_BTF,
	EDGE_PIN,
	EDGE_PROCESS,
	EDGE_DEVICE,
	EDGE_NETNS,
	EDGE_CGROUP, /* DEVICE, NETNS and CGROUP are places: they keep nothing loaded, and nothing keeps them */
	EDGE_KINDS
};
struct edge {
	enum edge_to to;
	bool holder;		   /* the other end holds the record: FIELD_HOLDER */
	uint64_t id;		   /* of the object, process, device, namespace (inode) or cgroup, not 0; 0 for a pin */
	uint64_t netns;		   /* of a device: inode of its namespace; 0: not in the record */
	const char *name;	   /* path of the pin, name of the process; NULL: unknown. Borrowed from the record */
	const struct field *field; /* the field that refers to it */
};
/* "prog", ... as the object is called; "pin", "process", "device", "netns", "cgroup"; then "attachment"
 * (relate/graph.h) */
extern const char *const edge_words[EDGE_KINDS + 1];

/* Nesting of rows in rows; tests/unit/tables.c checks that no schema exceeds it. */
#define EDGE_DEPTH 4
struct edge_iter {
	unsigned skip; /* enum need: fields that need one of these were not read, and are skipped */
	bool unknown;  /* a field that may be a reference could not be read */
	unsigned depth;
	struct edge_level {
		struct schema_iter it;
		const struct field *f; /* NULL: go to the next field */
		struct value v;
		uint32_t i; /* next element or row */
		bool holder;
	} level[EDGE_DEPTH];
};
void edge_begin(struct edge_iter *it, const struct schema *s, const void *rec, unsigned skip);
bool edge_next(struct edge_iter *it, struct edge *ret); /* false: no more */
/* Has the fixed part any reference, apart from fields that need one of @skip? */
bool edge_any(const struct schema *s, unsigned skip);
/* The needs of the fields of @s that are references, apart from fields that need one of @skip. */
unsigned edge_need(const struct schema *s, unsigned skip);
