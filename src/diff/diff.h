/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* `diff A B`: differences of a machine between two times, or between two machines. */
struct command;
struct schema;
extern const struct command command_diff;
extern const struct schema diff_schema;
