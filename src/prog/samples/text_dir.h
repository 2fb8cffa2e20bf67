/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
/*
 * Write the machine code of a recording into a new directory, for decoders of hardware traces: a file of bytes for each
 * piece and time, and `index`, a line for each: "ADDRESS SIZE FROM TO FILE NAME", written last. @when: --at: only the
 * code of that moment, and `text.elf` with it; NULL: all. 0 or -errno with a message.
 */
int text_dir_write(struct env *env, const char *dir, const char *when, struct err *e);
extern const struct schema text_dir_schema;
