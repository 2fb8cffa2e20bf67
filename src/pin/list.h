/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct command;
/* `pin list`: pins and their objects, on any machine. */
struct pin_rec {
	const char *path, *kind, *type, *name;
	uint32_t id, pid;
};
extern const struct command command_pin_list;
/* Is @path equal to @dir or below it? @dir NULL or "": always true. */
bool pin_is_below(const char *path, const char *dir);
