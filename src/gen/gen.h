/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The verbs of the group `gen`: make headers, objects and types from BPF object files. Nothing is loaded into the
 * kernel, and no privilege is needed. */
struct command;
extern const struct command *const gen_commands[];
