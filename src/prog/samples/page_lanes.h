/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
struct out;
/*
 * A section of an HTML page: the lifetimes of the programs of a recording below an axis of time, a lane for each with
 * its loader, the longest first. Beyond LANES_OPEN they are folded; of those beyond LANES_MAX the number is printed.
 * Call it if page_has_lanes(): the machine is a recording with programs, whose end is known.
 */
#define LANES_OPEN 30
#define LANES_MAX 300
bool page_has_lanes(struct env *env);
void page_lanes_write(struct env *env, struct out *o);
