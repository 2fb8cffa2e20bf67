/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct env;
struct out;
/*
 * A section of an HTML page: the lifetimes of the programs of a recording, a lane for each. If there are more than
 * LANES_MAX, those with the longest lifetime are shown, and the number of the others is printed. Writes nothing without
 * a recording whose end is known.
 */
#define LANES_MAX 300
void page_lanes_write(struct env *env, struct out *o);
