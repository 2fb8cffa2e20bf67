/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PIN_LIST_H
#define PIN_LIST_H

#include <stdbool.h>
#include <stdint.h>

struct command;
/* `pin list`: what is pinned where, live or saved. */
struct pin_rec {
	const char *path, *kind, *type, *name;
	uint32_t id, pid;
};
extern const struct command command_pin_list;
/* The path itself, or one below the directory; NULL or "": all. */
bool pin_is_below(const char *path, const char *dir);

#endif
