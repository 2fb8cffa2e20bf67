/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
/*
 * True: WHERE is not a name of any place that has the hook; sets -ENOENT with a message, and similar names as a hint.
 * False: it is one, or the form of the name does not decide that; *e is not changed.
 */
bool attach_where_missing(struct env *env, const char *where, const char *what, struct err *e);
