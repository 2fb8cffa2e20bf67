/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct doc;
struct env;
/* What a file of `perf record` is: the record of `info`. 0, or -errno with a message: it cannot be read. */
bool info_perf_is(const char *path);
int info_perf_print(struct env *env, const char *path, struct doc *to, struct err *e);
extern const struct schema info_perf_schema;
