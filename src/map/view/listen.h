/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "types/value/value.h"
#include "cli/command.h"
#include "render/doc.h"

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
	ARG("type", ARG_STR, T, m.type, "type of the records; shorter ones are printed as bytes", .metavar = "TYPE"), \
		ARG("from", ARG_TYPES, T, m.from, "source of the type, if not the map or a program that uses it"), \
		ARG("--count", ARG_U64, T, m.count, "end after N records", .metavar = "N", .flags = ARG_NONZERO)

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
