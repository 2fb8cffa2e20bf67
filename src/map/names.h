/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_NAMES_H
#define MAP_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct env; struct elem_form;
/* What the bytes of an element name, for map types whose bytes always name something; beside the bytes, not instead. */
struct elem_name {
	const char *name;		/* JSON key, and the word in plain text */
	bool is_number;
	uint32_t number;
	char text[64];
};
#define ELEM_NAMES 3
/* Returns how many there are. @key: the element, with a value. */
unsigned elem_names(const struct elem_form *f, struct env *env, const unsigned char *key, struct elem_name ret[ELEM_NAMES]);

#endif
