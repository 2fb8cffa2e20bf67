/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/source.h"

/*
 * Asks @inner each question once and keeps the answers, also refusals: for a command that reads the same objects
 * several times. An answer of more than ONCE_ANSWER bytes, or after ONCE_ALL bytes in all, is not kept and is asked
 * again. So is a batch of elements unless it is the last of its map, because its cursor may expire, and so are fdinfos,
 * which are asked for once, and what @inner keeps. Takes @inner.
 */
#define ONCE_ANSWER (1u << 20)
#define ONCE_ALL (64u << 20)
struct source *source_once(struct source *inner);
/*
 * The source below @s, which is also @s itself, for other use; *s can only be closed, and keeps its answers until then.
 */
struct source *source_once_take(struct source **s);
