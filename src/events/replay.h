/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct stream;
/*
 * Prints the loads and unloads of programs in a recording, in order; @s has env, view, render or take, and count. 0, or
 * -ENODATA with a message: the machine is not a recording.
 */
int replay_print(struct stream *s, struct err *e);
