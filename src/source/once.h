/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_ONCE_H
#define SOURCE_ONCE_H

#include "source/source.h"

/*
 * Asks @inner each question once and remembers the answers, refusals too: for a command that goes over the same objects
 * several times. What has no room is asked again: an answer of more than ONCE_ANSWER bytes, or any behind the first
 * ONCE_ALL bytes. So is a batch of elements that is not the last of its map, for its cursor may have an end. Takes
 * @inner.
 */
#define ONCE_ANSWER (1u << 20)
#define ONCE_ALL (64u << 20)
struct source *source_once(struct source *inner);

#endif
