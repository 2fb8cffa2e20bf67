/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct command;
struct globals;
/*
 * Check that no output file of a command (arg.output) is also one of its inputs or a file of --from: the input would be
 * lost. 0 or -EINVAL.
 */
int output_check(const struct command *c, const void *opts, const struct globals *g, struct err *e);
