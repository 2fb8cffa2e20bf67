/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/source.h"

struct prog_stats;
/*
 * Answers that stay the same as long as an object exists, kept for processes that read a machine one after another,
 * each a child of the one that has the store: what programs and maps are, and their memory where that does not depend
 * on elements; of an fdinfo, only the line "memlock". What a reading did not ask again is forgotten with it, so that an
 * id is never confused with its reuse. Objects are known if they are asked about in the order of their ids.
 */
struct known;
/* NULL: there is no memory, and everything is asked. The memory is shared with children; it takes 500 bytes for a
 * program or map. */
struct known *known_new(void);
void known_free(struct known **k);
/*
 * In the child: answers from @k, or from @inner, which it takes. One child at a time. What a program is contains
 * counters, which are those of @stats, by ascending id; a program that is not in it is asked about.
 */
struct source *source_known(struct source *inner, struct known *k, const struct prog_stats *stats, size_t n);
/* Is @s such a source, and does it keep the answer, so that nothing above it has to? */
bool known_keeps(const struct source *s, const struct asked *q);
/* In the parent, after a reading that is complete: the next one knows what it has asked. */
void known_end(struct known *k);
