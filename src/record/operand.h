/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_OPERAND_H
#define RECORD_OPERAND_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

struct field;
struct value;
struct arena;
struct err;
/* The right side of a comparison in a filter: one text, and what it is as a number or a regular expression. */
enum operator{ OP_EQ, OP_NE, OP_LT, OP_GT, OP_LE, OP_GE, OP_MATCH };
/* @order: of the left side to the right, as strcmp() returns it. OP_MATCH never holds: it does not compare. */
bool operator_holds(enum operator op, int order);
struct operand {
	const char *text;
	regex_t *re; /* OP_MATCH only */
	bool is_num, negative;
	bool ago;     /* FT_TIME: num is so many seconds before now */
	uint64_t num; /* the magnitude */
	double real;  /* FT_REAL: all of it */
};

/* -EINVAL with a sentence where @text cannot be compared with such a field. @text is kept; it lives in the arena. */
int operand_parse(struct operand *ret, const struct field *f, enum operator op, const char *text, struct arena *a,
		  struct err *e);
/* The same where o->ago is a moment; itself where it is not set. */
struct operand operand_at(const struct operand *o, uint64_t now);
/* False for every value that is not AVAIL_YES. Not of one with ago. */
bool operand_match(const struct operand *o, const struct field *f, enum operator op, const struct value *v);

#endif
