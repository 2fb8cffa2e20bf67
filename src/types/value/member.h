/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in member_test.c. */

#include "record/operand.h"

struct value_plan;
/*
 * A part of the values of a plan, found once by its path and then read from each value: "in.x", "peers[1].port", "" for
 * the whole value. Members of anonymous members and the variables of a DATASEC are found by their own names.
 */
struct member {
	const struct value_plan *plan;
	uint32_t step;	    /* in the plan */
	uint64_t off, size; /* in the value; size 0: nothing to compare */
};
/* @root is the name of the value in messages: "value". -EINVAL with a message. */
int member_find(struct member *ret, const struct value_plan *p, const char *root, const char *path, struct err *e);

/*
 * Changes the names in a path of members, "IN.X" or ".in.x[2]", to those of members that differ from them in case only,
 * if there is just one; up to the first name that is unknown.
 */
void member_spell(const struct value_plan *p, char *path);

/* A plan of this member only, in the arena; it prints the value at *ret_base and after. */
const struct value_plan *member_plan(const struct member *m, uint64_t *ret_base, struct arena *a);
/* True for an integer of up to 64 bits, also with a format that is a number. */
bool member_is_int(const struct member *m, bool *ret_signed);
/* True for a number with names. */
bool member_is_enum(const struct member *m);
/* The value of a member that is an integer; all its bytes must be there. */
uint64_t member_int(const struct member *m, const void *bytes);
/*
 * Calls @fn for the members of a value with their paths, ".in.x" or "": also for members of structs in it, but not for
 * elements of arrays, nor for members that cannot be printed.
 */
typedef void member_fn(void *ctx, const char *path);
void members_each(const struct value_plan *p, member_fn *fn, void *ctx);

/*
 * A comparison: numbers with K M G T, names of enums, true and false, text with arrays of char; addresses (10.0.0.1,
 * 10.0.0.0/8, fe80::1, 02:00:00:00:00:01) with members of 4, 16 or 6 bytes, in network byte order; a regular expression
 * with text. @text NULL: true if it is not zero. A member beyond the @n bytes of a value is never read, and its
 * comparison is false.
 */
struct member_test;
int member_test_parse(const struct member_test **ret, const struct member *m, const char *name, enum operator op,
		      const char *text, struct arena *a, struct err *e);
bool member_match(const struct member_test *t, const void *bytes, size_t n);

/* Compares like memcmp(): numbers as numbers, everything else by its bytes. Both values have @n bytes. */
int member_cmp(const struct member *m, const void *a, const void *b, size_t n);
