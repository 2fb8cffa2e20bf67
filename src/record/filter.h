/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "record/operand.h"

struct schema;
struct field;
/*
 * Filter expressions: `type == "xdp" && (run_cnt > 1K || !jited) && name =~ "^drop_"`.
 *
 *   expr := or;  or := and {"||" and};  and := not {"&&" not};  not := "!" not | "(" expr ")" | field [op value]
 *   op   := == != < > <= >= =~ (POSIX extended regular expression)
 *   value := "string" with \" and \\, 'string', or a bare word; numbers take 0x and K M G T,
 *            times are those of when_parse(), also of several words
 *
 * A field alone is true if it is known and not zero. `FIELD == null` is true if the field does not apply, could not be
 * read or is an empty list, and `!= null` otherwise. Any other comparison with a field that does not apply or could not
 * be read is false (also with !=; use ! to negate it). A list matches if one of its elements does. Nesting is limited
 * to 64 levels, the text to 4096 bytes.
 */
struct filter;

/* The meaning of names in an expression that is not about records: values of types known only at run time. */
struct filter_terms {
	const char *name_chars; /* characters of names, which begin with a letter */
	const char *noun;	/* "a column": what is expected where a name is missing */
	/*
	 * Parse one "name" (@text NULL) or "name op value". *ret in the arena, for match(). 0, or -EINVAL with a
	 * message.
	 */
	int (*parse)(void *ctx, const char *name, enum operator op, const char *text, const void **ret, struct arena *a,
		     struct err *e);
	bool (*match)(const void *term, const void *thing);
};
int filter_parse_terms(struct filter **ret, const struct filter_terms *t, void *ctx, const char *text, struct arena *a,
		       struct err *e);
bool filter_match_terms(const struct filter *f, const struct filter_terms *t, const void *thing);

struct filter_word { /* a text that a field with names `among` is compared with */
	const struct field *field;
	const char *text;
};
struct filter_uses { /* what a filter is about */
	unsigned need;
	const char **fields; /* a name for each comparison */
	size_t n;
	const struct filter_word *words;
	size_t nwords;
};
/* *ret_uses may be NULL. */
int filter_parse(struct filter **ret, const struct schema *s, const struct schema *const *parts, const char *text,
		 struct filter_uses *ret_uses, struct arena *a, struct err *e);
/* @now: seconds since the epoch, if the need had NEED_NOW: the present, which times such as -5m depend on. */
bool filter_match(const struct filter *f, const struct schema *s, const void *rec, uint64_t now);
