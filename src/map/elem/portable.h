/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"
#include "types/value/padding.h"
#include "map/elem/print.h"

struct map_rec;
/*
 * The elements of a map as text that can be read back: `map export` writes it, `map import` reads it. A JSON object
 * each:
 *
 *   first, the map          {"map":{"type":"hash","name":"flows","bytes_key":4,"bytes_value":8,"max_entries":64}}
 *   by type                 {"key":7,"value":{"packets":1}}
 *   its padding is not zero {"key":7,"value":{"x":1},"value_padding":["0x7f"]}
 *   as bytes                {"key":7,"value":["0x01","0x00"]}
 *   for each possible CPU   {"key":7,"values":[1,2]}   padding: "values_padding":[["0x7f"],["0x00"]]
 *   map or program          {"key":7,"value":{"id":12}}
 *   without a key           {"value":1}
 *
 * Bytes are written if the text by type would not read back as the same bytes; a list of as many "0xNN" always means
 * bytes. Dumps are also read, bpftool's and ours, plain and JSON: per-CPU values as {"cpu":0,"value":1}, ids as
 * bytes; a "formatted" beside bytes is ignored.
 */
struct portable_form {
	const struct elem_form *map; /* its plans VALUE_FORMATTED for writing */
	uint32_t entries; /* max_entries: without a type, the key of a map of 1 may be missing (global data) */
	/* For writing; both are set by portable_form_init(). */
	bool key_exact, value_exact; /* text always reads back as the same bytes */
	bool hex;		     /* set by the caller: everything as bytes */
	/* For writing: the plans of @map; portable_form_padding() makes the names in them unique. */
	const struct value_plan *key, *value;
	struct padding key_padding, value_padding; /* set by portable_form_padding(); else ignored */
};
void portable_form_init(struct portable_form *ret, const struct elem_form *map, uint32_t entries);
/* Finds the bytes of keys and values that no member has; into the arena. */
void portable_form_padding(struct portable_form *f, struct arena *a);
/* The kind of object that a value is; NULL: bytes. */
const struct kind *portable_object(const struct elem_form *f);

/* portable_write.c: the line about the map, and an element. */
void portable_write_map(struct jsonw *w, const struct map_rec *rec);
/* @elem: key and value as transferred. @scratch: a memory output, for texts that are read back. */
void portable_write(const struct portable_form *f, struct jsonw *w, const unsigned char *elem, struct out *scratch);

/* If a list of n bytes like "0x1f" comes next, take it. */
bool portable_bytes(struct jsonr *r, unsigned char *bytes, size_t n);

struct portable {
	bool is_map;		  /* it describes a map, and this one fits; there is no element */
	bool has_key;		  /* the bytes of the key were read, also after an error */
	struct object_ref object; /* portable_object(): the value; its bytes are zero */
};
/*
 * portable_read.c: converts text to key and value as transferred (@elem: key_size + elem_value_bytes() bytes). Names
 * are in @a. -EINVAL with a sentence ("value.in.x: 300 does not fit in 8 bits (0 to 255)"). -EBADMSG: the description
 * is of a map with other sizes.
 */
int portable_read(const struct portable_form *f, const char *text, size_t n, struct arena *a, unsigned char *elem,
		  struct portable *ret, struct err *e);
