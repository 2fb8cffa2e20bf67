/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "types/value/leaves.h"
#include "map/elem/print.h"
#include "kernel/abi.h"

/* The numbers that a histogram of a map counts. */
enum counters_form {
	COUNTERS_INDEX,	 /* an array of counters: the index is the slot */
	COUNTERS_LIST,	 /* a list of counters in each value: its index is the slot */
	COUNTERS_MEMBER, /* the numbers in a member of all elements */
};
struct elem_counters {
	enum counters_form form;
	bool of_value;
	const struct leaf *leaf; /* the number, or the first of n in a list */
	uint32_t n;		 /* slots; 0 for COUNTERS_MEMBER */
	const char *name;	 /* "value.slots" */
};

/*
 * @member: "value.x", "key.x" or "x" for value.x; NULL: the counters of an array of integers; else the list `slots` of
 * a value, or its only list of numbers of 4 bytes or more; else its only number. -EINVAL with a sentence. @form has
 * types.
 */
int counters_find(struct elem_counters *ret, const char *member, const struct abi_map_info *info,
		  const struct elem_form *form, struct arena *a, struct err *e);
/* Number @i of an element. */
bool counters_number(const struct elem_counters *c, const struct elem_form *f, const unsigned char *key, uint32_t i,
		     struct wide *ret);
/* A counter of an element; 0: it does not exist. */
uint64_t counters_slot(const struct elem_counters *c, const struct elem_form *f, const unsigned char *key, uint32_t i);
