/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/source.h"

/*
 * Answers that stay the same as long as an object exists, kept for processes that read a machine one after another,
 * each a child of the one that has the store: what maps are, their memory where that does not depend on elements, and
 * the memory of programs; of an fdinfo, only the line "memlock". What a reading did not ask again is forgotten with it,
 * so that an id is never confused with its reuse. Objects are known if they are asked about in the order of their ids.
 */
struct known;
/* NULL: there is no memory, and everything is asked. The memory is shared with children; it takes 300 bytes for a map.
 */
struct known *known_new(void);
void known_free(struct known **k);
/* In the child: answers from @k, or from @inner, which it takes. One child at a time. */
struct source *source_known(struct source *inner, struct known *k);
/* Is @s such a source, and does it keep the answer, so that nothing above it has to? */
bool known_keeps(const struct source *s, const struct asked *q);
/* In the parent, after a reading that is complete: the next one knows what it has asked. */
void known_end(struct known *k);
