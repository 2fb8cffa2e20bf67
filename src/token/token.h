/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The group `token`: mounts of bpffs that delegate rights to bpf(2) (since Linux 6.9). A process in another user
 * namespace creates a token from such a mount.
 */
struct command;
struct schema;
extern const struct command *const token_commands[];
extern const struct schema token_schema;
