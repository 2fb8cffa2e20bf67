/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_ELEM_BESIDE_H
#define MAP_ELEM_BESIDE_H

#include <stdint.h>

struct elem_form;
struct env;
struct jsonw;
struct out;
struct schema;
/* What is known of an element beside its bytes: a record. */
struct beside {
	const char
		*name; /* the member that it is, and its word in plain text; NULL: its fields are the element's own */
	const struct schema *schema;
	const void *rec;
};
/* All of them, at the end of a line, or as members of the open object. @key: the element; @err: of its lookup. */
void beside_plain(const struct elem_form *f, struct out *o, const unsigned char *key, int err);
void beside_json(const struct elem_form *f, struct jsonw *w, const unsigned char *key, int err);

#endif
