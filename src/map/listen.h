/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "types/value/value.h"
#include "cli/command.h"
#include "render/doc.h"

struct err;
struct schema;
/*
 * Records that programs send to user space, printed as they arrive: bytes, or values of a type. Plain text: the
 * headline of a record, then the data. JSON: an array of objects, with --ndjson a line for each object.
 */
struct listen_opts {
	const char *type; /* NULL: bytes */
	struct types_ref from;
	uint64_t count; /* end after this many; 0: never */
};
#define LISTEN_ARGS(T, m) \
	{ .name = "type", \
	  .metavar = "TYPE", \
	  .type = ARG_STR, \
	  .off = offsetof(T, m.type), \
	  .help = "type of the records; shorter ones are printed as bytes" }, \
		{ .name = "from", \
		  .type = ARG_TYPES, \
		  .off = offsetof(T, m.from), \
		  .help = "source of the type, if not the map or a program that uses it" }, \
	{ \
		.name = "--count", .metavar = "N", .type = ARG_U64, .flags = ARG_NONZERO, .off = offsetof(T, m.count), \
		.help = "end after N records" \
	}

struct listen {
	struct env *env;
	const struct value_plan *plan; /* NULL: bytes */
	uint64_t size;		       /* of the type */
	uint64_t count, nprinted;
	struct doc doc;
};
/* Finds the type and opens the document. @map_id, @map_btf: where the type is searched for first; 0: no BTF. */
int listen_begin(struct listen *l, struct env *env, uint32_t map_id, uint32_t map_btf, const struct listen_opts *o,
		 struct err *e);
/*
 * A record: @head, which for JSON contains the data as numbers, then the data by type or, in text only, as bytes; @data
 * NULL: no data.
 */
void listen_record(struct listen *l, const struct schema *schema, const void *head, const unsigned char *data,
		   size_t n);
/* Flushes the output. True: the reader has gone, or the count is reached. */
bool listen_flush(struct listen *l);
bool listen_done(const struct listen *l);
void listen_end(struct listen *l);
