/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_LISTEN_H
#define MAP_LISTEN_H

#include <stdbool.h>
#include <stdint.h>
#include "btf/value/value.h"
#include "cli/command.h"
#include "render/doc.h"

struct err;
struct schema;
/*
 * What programs send to user space, printed as it comes: bytes, or values of a type. Plain text: the headline of a
 * record, then the data. JSON: an array of objects, with --ndjson an object a line.
 */
struct listen_opts {
	const char *type; /* NULL: bytes */
	struct source_ref from;
	uint64_t count; /* end after so many; 0: never */
};
#define LISTEN_ARGS(T, m) \
	{ .name = "type", \
	  .metavar = "TYPE", \
	  .type = ARG_STR, \
	  .off = offsetof(T, m.type), \
	  .help = "type of the records; shorter ones are printed as bytes" }, \
		{ .name = "from", \
		  .type = ARG_SOURCE, \
		  .off = offsetof(T, m.from), \
		  .help = "source of the type, if not the map or a program that uses it" }, \
	{ \
		.name = "--count", .metavar = "N", .type = ARG_U64, .off = offsetof(T, m.count), \
		.help = "end after N records" \
	}

struct listen {
	struct env *env;
	const struct value_plan *plan; /* NULL: bytes */
	uint64_t size;		       /* of the type */
	uint64_t count, told;
	struct doc doc;
};
/* Finds the type and opens the document. @map_id, @map_btf: where to look for the type first; 0: there is no BTF. */
int listen_begin(struct listen *l, struct env *env, uint32_t map_id, uint32_t map_btf, const struct listen_opts *o,
		 struct err *e);
/*
 * A record, whose @head has the data as numbers for JSON, and then its data by type or, in text alone, as bytes; @data
 * NULL: it has none.
 */
void listen_record(struct listen *l, const struct schema *schema, const void *head, const unsigned char *data,
		   size_t n);
/* Everything that is told up to now gets out. True: nobody wants more. */
bool listen_flush(struct listen *l);
bool listen_done(const struct listen *l);
void listen_end(struct listen *l);

#endif
