/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct value_plan;
struct wide;
/*
 * The members of a value one by one, also those of structs in it and the elements of arrays, in the order of the type.
 * Text is one member. At most LEAVES_MAX; the rest is omitted.
 */
#define LEAVES_MAX 16384u
struct leaf {
	const char *path;   /* ".in.x", ".hist[3]" as in member.h; "" for a value without members */
	uint64_t off, size; /* in the value */
	uint32_t list;	    /* for the first number of an array: number of elements; else 0 */
	bool number;	    /* an integer; not an enum, bool, char, pointer, and not an address or id by its format */
	bool text;
	const struct value_plan *plan; /* prints it from the whole value */
};
struct leaves {
	struct leaf *leaf;
	size_t n;
};

void leaves_find(struct leaves *ret, const struct value_plan *p, struct arena *a);
/* For a leaf that is a number; false: it is not within the @n bytes of the value. */
bool leaf_number(const struct leaf *l, const void *bytes, size_t n, struct wide *ret);
/* True if it is the same in both values of @n bytes. */
bool leaf_equal(const struct leaf *l, const void *a, const void *b, size_t n);
