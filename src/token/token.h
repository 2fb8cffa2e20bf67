/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TOKEN_TOKEN_H
#define TOKEN_TOKEN_H

/*
 * The group `token`: mounts of bpffs that hand rights on bpf(2) on to who can open them (Linux 6.9). A process in
 * another user namespace makes a token of such a mount.
 */
struct command;
struct schema;
extern const struct command *const token_commands[];
extern const struct schema token_schema;

#endif
