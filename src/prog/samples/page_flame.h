/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct out;
struct stack_names;
/*
 * A section of an HTML page: the stacks of all samples as a flame graph, outermost frames on top, functions of programs
 * in the colour of heat, with links to the code of programs that have @code, by their number in the index. A frame is
 * as wide as its share of the samples; frames narrower than FLAME_MIN percent of the page, or deeper than FLAME_DEPTH,
 * are left out, which the section says.
 */
#define FLAME_MIN 0.1
#define FLAME_DEPTH 100
void page_flame_write(struct stack_names *names, const bool *code, struct out *o);
