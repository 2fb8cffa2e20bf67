/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FEATURE_FEATURE_H
#define FEATURE_FEATURE_H

/* What the kernel can do: `feature probe`, and the words that we know: `feature list_builtins`. */
struct command;
struct schema;
extern const struct command *const feature_commands[];
extern const struct schema feature_schema;

#endif
