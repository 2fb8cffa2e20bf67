/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_ELEM_PORTABLE_H
#define MAP_ELEM_PORTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/command.h"
#include "btf/value/padding.h"
#include "map/elem/print.h"

struct jsonr;
struct jsonw;
struct out;
struct map_rec;
/*
 * The elements of a map as text that can be read back: what `map export` writes and `map import` reads. One JSON object
 * each:
 *
 *   {"map":{"type":"hash","name":"flows","bytes_key":4,"bytes_value":8,"max_entries":64,"key_type":"int"}}	first:
 * of what
 *   {"key":7,"value":{"packets":1}}	by type, if this text gives the same bytes again
 *   {"key":7,"value":["0x01","0x00"]}	else all bytes; a list of so many "0xNN" is never anything else
 *   {"key":7,"value":{"x":1},"value_padding":["0x7f"]}	by type, and the bytes that no member has, if they are not zero
 *   {"key":7,"values":[1,2]}		per-CPU: for each possible CPU; with them "values_padding":[["0x7f"],["0x00"]]
 *   {"key":7,"value":{"id":12}}	maps of maps, program arrays
 *   {"value":1}			maps without keys
 *
 * Read are also dumps, bpftool's and ours, plain and JSON: per-CPU values as {"cpu":0,"value":1}, ids as bytes, and
 * beside bytes a "formatted", which is not looked at.
 */
struct portable_form {
	const struct elem_form *map; /* its plans VALUE_FORMATTED for writing */
	uint32_t entries; /* max_entries: without a type, the key of a map of 1 may be missing (global data) */
	/* For writing; both are set by portable_form_init(). */
	bool key_exact, value_exact;		   /* no need to look whether text gives the same bytes */
	bool hex;				   /* all as bytes; the caller's */
	struct padding key_padding, value_padding; /* by portable_form_padding(); none: as if there were none */
};
void portable_form_init(struct portable_form *ret, const struct elem_form *map, uint32_t entries);
/* What no member of keys and values has, so that text can say it; into the arena. */
void portable_form_padding(struct portable_form *f, struct arena *a);
/* Is the value of an element an object of this kind? NULL: bytes. */
const struct kind *portable_object(const struct elem_form *f);

void portable_write_map(struct jsonw *w, const struct map_rec *rec);
/* @elem: key and value as transferred. @scratch: a memory output, for texts to be read back. */
void portable_write(const struct portable_form *f, struct jsonw *w, const unsigned char *elem, struct out *scratch);

/* If a list of n bytes like "0x1f" comes next, take it. */
bool portable_bytes(struct jsonr *r, unsigned char *bytes, size_t n);

struct portable {
	bool is_map;		  /* it describes a map, which fits; no element */
	bool has_key;		  /* the key's bytes are there, even after a failure */
	struct object_ref object; /* portable_object(): the value; its bytes are zero */
};
/*
 * Text to key and value as transferred (@elem: key_size + elem_value_bytes() bytes). Names go to @a. -EINVAL with the
 * sentence
 * ("value.in.x: 300 does not fit in 8 bits (0 to 255)"). -EBADMSG: the description is that of a map of other sizes.
 */
int portable_read(const struct portable_form *f, const char *text, size_t n, struct arena *a, unsigned char *elem,
		  struct portable *ret, struct err *e);

#endif
