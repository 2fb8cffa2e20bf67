/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_FILTER_H
#define RECORD_FILTER_H

#include <stdbool.h>
#include <stdint.h>
#include "record/operand.h"

struct schema;
struct arena;
struct err;
/*
 * Filter expressions: `type == "xdp" && (run_cnt > 1K || !jited) && name =~ "^drop_"`.
 *
 *   expr := or;  or := and {"||" and};  and := not {"&&" not};  not := "!" not | "(" expr ")" | field [op value]
 *   op   := == != < > <= >= =~ (POSIX extended regular expression)
 *   value := "string" with \" and \\, 'string', or a bare word; numbers take 0x and K M G T,
 *            times are also so long ago: -90s -5m -1h30m -2d -1w
 *
 * A field alone is true when it is there and not zero; `== null`, when it is not there, could not be read or is an
 * empty list, and
 * `!= null` otherwise. A comparison with a field that does not apply or could not be
 * read is false (so is !=; use ! to turn it round). A list matches when one of its elements does. Nesting is limited to
 * 64 levels, the text to 4096 bytes.
 */
struct filter;

/* What the names in an expression mean where there are no records: values of types that are known at run time only. */
struct filter_terms {
	const char *name_chars; /* that names are made of; they begin with a letter */
	const char *noun;	/* "a column": what is expected where no name stands */
	/* One "name" (@text NULL) or "name op value". *ret in the arena, for match(). -EINVAL with a sentence. */
	int (*parse)(void *ctx, const char *name, enum operator op, const char *text, const void **ret, struct arena *a,
		     struct err *e);
	bool (*match)(const void *term, const void *thing);
};
int filter_parse_terms(struct filter **ret, const struct filter_terms *t, void *ctx, const char *text, struct arena *a,
		       struct err *e);
bool filter_match_terms(const struct filter *f, const struct filter_terms *t, const void *thing);

int filter_parse(struct filter **ret, const struct schema *s, const struct schema *const *parts, const char *text,
		 unsigned *ret_need, struct arena *a, struct err *e);
/* @now: seconds since the epoch, where *ret_need had NEED_NOW: times are compared with a moment so long before it. */
bool filter_match(const struct filter *f, const struct schema *s, const void *rec, uint64_t now);

#endif
