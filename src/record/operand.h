/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <regex.h>

#include "base/when.h"

struct field;
struct value;
/* The right side of a comparison in a filter: a text, and its value as a number or regular expression. */
enum operator{ OP_EQ, OP_NE, OP_LT, OP_GT, OP_LE, OP_GE, OP_MATCH };
/* @order: the left side compared with the right, as by strcmp(). Always false for OP_MATCH, which is not an order. */
bool operator_holds(enum operator op, int order);
/* A POSIX extended regular expression of the user, in the arena. 0, or -EINVAL with a message. */
int regex_compile(regex_t **ret, const char *text, struct arena *a, struct err *e);
struct operand {
	const char *text;
	regex_t *re; /* OP_MATCH only */
	bool is_num, negative, is_time;
	uint64_t num;	  /* the absolute value */
	double real;	  /* FT_REAL: the whole value */
	struct when when; /* of a time */
};

/*
 * 0, or -EINVAL with a message if @text cannot be compared with this field. @text is referenced and must be in the
 * arena.
 */
int operand_parse(struct operand *ret, const struct field *f, enum operator op, const char *text, struct arena *a,
		  struct err *e);
/* False for every value that is not AVAIL_YES. @now: seconds since 1970, which times may depend on. */
bool operand_match(const struct operand *o, const struct field *f, enum operator op, const struct value *v,
		   uint64_t now);
