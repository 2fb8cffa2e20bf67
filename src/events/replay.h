/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct stream;
/*
 * Prints the loads and unloads of programs in a recording, in order; @s has env, view, render or take, and count. 0, or
 * -ENODATA with a message: the machine is not a recording.
 */
/* The calls on a map that the recording has, which is @map unless that is 0. */
int replay_print_calls(struct stream *s, uint32_t map, struct err *e);
int replay_print(struct stream *s, struct err *e);
