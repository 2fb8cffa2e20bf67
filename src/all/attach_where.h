/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ALL_ATTACH_WHERE_H
#define ALL_ATTACH_WHERE_H

#include <stdbool.h>

struct env;
struct err;
/*
 * True: WHERE is of none of the sorts of places that have the hook; -ENOENT with a sentence, and similar names as a
 * hint. False, with nothing set: it is, or that cannot be told by its form.
 */
bool attach_where_missing(struct env *env, const char *where, const char *what, struct err *e);

#endif
