/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * `pin OBJ PATH` and `unpin PATH…`: verbs of every kind that can be pinned, for the kind's array of commands. `unpin`
 * alone takes pins of every kind.
 */
struct command;
struct schema;
extern const struct command command_pin, command_unpin;

/* The verbs of the group `pin`, and the fields of its list. */
extern const struct command *const pin_commands[];
extern const struct schema pin_schema;
