/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GEN_COMMANDS_H
#define GEN_COMMANDS_H

/* The verbs, each in its own file. */
struct command;
extern const struct command gen_link, gen_min_core_btf;

#endif
