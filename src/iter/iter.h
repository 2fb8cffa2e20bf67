/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The group `iter`: programs that walk the kernel's objects (tasks, maps, sockets) and write text about each. A link
 * specifies what to walk; the text is read from its pin, or from a descriptor of BPF_ITER_CREATE.
 */
struct command;
struct schema;
extern const struct command *const iter_commands[];
extern const struct schema schema_iter;
