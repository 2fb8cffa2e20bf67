/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* `feature probe`: what the kernel supports; `feature list_builtins`: names that bpflens knows. */
struct command;
struct schema;
extern const struct command *const feature_commands[];
extern const struct schema feature_schema;
