/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_ELEM_COUNTED_H
#define MAP_ELEM_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "btf/value/leaves.h"
#include "map/elem/print.h"
#include "kernel/abi.h"

struct arena; struct err;
/* What a histogram of a map is made of. */
enum counted_form {
	COUNTED_INDEX,		/* an array of counters: the index is the slot */
	COUNTED_LIST,		/* a list of counters in each value: its index is the slot */
	COUNTED_MEMBER,		/* the numbers in a member of all elements */
};
struct counted {
	enum counted_form form;
	bool of_value;
	const struct leaf *leaf;	/* the number; of a list the first of n */
	uint32_t n;			/* slots; 0 for COUNTED_MEMBER */
	const char *name;		/* "value.slots" */
};

/*
 * @member: "value.x", "key.x" or "x", the same as value.x; NULL: the counters of an array of integers; else the list
 * `slots` of a value, or its only list of numbers of 4 bytes or more; else its only number. -EINVAL with a sentence. @form has types.
 */
int counted_find(struct counted *ret, const char *member, const struct abi_map_info *info, const struct elem_form *form,
		 struct arena *a, struct err *e);
/* Number @i of an element. */
bool counted_number(const struct counted *c, const struct elem_form *f, const unsigned char *key, uint32_t i, __int128 *ret);
/* A counter of an element; 0: it is not there. */
uint64_t counted_slot(const struct counted *c, const struct elem_form *f, const unsigned char *key, uint32_t i);

#endif
