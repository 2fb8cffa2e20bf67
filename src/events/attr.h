/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct machine;
struct calls_record;
struct calls_command;
struct calls_map;
struct schema;
struct map_decode;
/* The commands of bpf(2) and the members of union bpf_attr that belong to each. */

/* Name of the command: "map_create", "unknown(99)". In the arena, or static. */
const char *attr_command(struct machine *m, uint32_t cmd, struct arena *a);
/* Fills @ret, an array of CALLS_COMMANDS, for calls_open(): which members of each command the BPF program reads. */
void attr_watch(struct calls_command *ret);
void attr_watch_map(const struct map_decode *d, struct calls_map *ret); /* the calls on this map */

/* One member of a call. */
struct attr_row {
	const char *name;  /* "map_type"; "+16": bytes from this offset on that belong to no known member */
	const char *value; /* JSON */
	const char *text;  /* in tables: "5<map 12>" */
};
extern const struct schema schema_attr; /* of struct attr_row */
/* Members of @r that are not zero, and those that are always shown; in the arena. */
struct attr_rows {
	struct attr_row *row;
	uint32_t n;
};
void attr_read(struct machine *m, const struct calls_record *r, struct arena *a, struct attr_rows *ret);
/* A member with a descriptor, and the object that it refers to. */
struct attr_object {
	const char *member, *kind;
	uint32_t id;
};
extern const struct schema schema_attr_object; /* of struct attr_object */
struct attr_objects {
	struct attr_object *row;
	uint32_t n;
};
void attr_objects(struct machine *m, const struct calls_record *r, struct arena *a, struct attr_objects *ret);
/* Key and value of the call as JSON, and the number of elements of a batch, as far as it has them. */
struct attr_elem {
	const char *key, *value, *next_key;
	uint32_t count;
	uint8_t has_key, has_value, has_next_key, has_count; /* enum avail */
};
/* @r: with the bytes of the element, of map @d. @ret is zeroed by the caller. */
void attr_elem_read(struct machine *m, const struct calls_record *r, const struct map_decode *d, struct arena *a,
		    struct attr_elem *ret);
/* NULL: the call has no such member. */
const char *attr_type(struct machine *m, const struct calls_record *r); /* type of the object, or attach type */
const char *attr_name(const struct calls_record *r, struct arena *a);	/* name of the new object; in the arena */
