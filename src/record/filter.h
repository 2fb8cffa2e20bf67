/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_FILTER_H
#define RECORD_FILTER_H

#include <stdbool.h>

struct schema; struct arena; struct err;
/*
 * Filter expressions: `type == "xdp" && (run_cnt > 1K || !jited) && name =~ "^drop_"`.
 *
 *   expr := or;  or := and {"||" and};  and := not {"&&" not};  not := "!" not | "(" expr ")" | field [op value]
 *   op   := == != < > <= >= =~ (POSIX extended regular expression)
 *   value := "string" with \" and \\, 'string', or a bare word; numbers take 0x and K M G T
 *
 * A field alone is true when it is there and not zero. A comparison with a field that does not apply or could not be
 * read is false (so is !=; use ! to turn it round). A list matches when one of its elements does. Nesting is limited to
 * 64 levels, the text to 4096 bytes.
 */
struct filter;
int filter_parse(struct filter **ret, const struct schema *s, const struct schema *const *parts, const char *text,
		 unsigned *ret_need, struct arena *a, struct err *e);
bool filter_match(const struct filter *f, const struct schema *s, const void *rec);

#endif
