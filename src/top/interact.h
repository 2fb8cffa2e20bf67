/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "host/pace.h"
#include "top/replay.h"

/*
 * Shows the screen until the user ends it: of the running kernel, read at each time of @pace, at most @count times (0:
 * no limit), or with @replay of a recording. 0, or -errno with a message: there is no terminal or library (-ENOTSUP,
 * with a hint), or programs cannot be listed.
 */
int interact(struct top *t, struct replay *replay, struct pace *pace, uint32_t count, struct err *e);
