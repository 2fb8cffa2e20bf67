/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

/* `diff A B`: what is different on a machine from one time to another, or from one machine to another. */
struct command;
struct schema;
extern const struct command command_diff;
extern const struct schema diff_schema;

#endif
