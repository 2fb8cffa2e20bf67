/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GEN_GEN_H
#define GEN_GEN_H

/* The verbs of the group `gen`: headers, objects and types made of BPF object files. Nothing is loaded, no privilege is
 * needed. */
struct command;
extern const struct command *const gen_commands[];

#endif
