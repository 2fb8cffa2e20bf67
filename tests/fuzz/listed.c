/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "source/lives.h"
#include "source/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct pieces {
	struct source source;
	const uint8_t *data;
	size_t size;
};

/* A NUL is between two pieces. */
static int piece_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	const struct pieces *p = (const struct pieces *)s;
	const uint8_t *piece = p->data, *end = p->data + p->size, *stop;

	for (uint64_t i = 0; piece; piece = stop ? stop + 1 : NULL, i++) {
		stop = memchr(piece, '\0', (size_t)(end - piece));
		if (i < q->id)
			continue;
		*ret = (struct blob){ piece, (size_t)((stop ? stop : end) - piece) };
		return 0;
	}
	return -ENODATA;
}

/* Any bytes as looks: an object that came does so after the first and before it has gone, until the last that is good.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct source_ops ops = { .name = "fuzz", .get = piece_get };
	struct pieces p = { { .ops = &ops }, data, size };
	ARENA a = arena_new();
	struct listed all;

	if (listed_read(&p.source, a, &all))
		return 0;
	for (size_t k = 0; k < OBJECT_KINDS; k++)
		for (size_t i = 0; i < all.of[k].cap; i++) {
			const struct presence *at = all.of[k].slots[i].used ? all.of[k].slots[i].val : NULL;

			if (at && !all.why && (at->from > all.to || at->gone_at > all.to))
				abort();
			if (at && (at->id != all.of[k].slots[i].key || (at->gone_at && at->gone_at < at->from) ||
				   (at->gone_at && presence_was_at(at, at->gone_at))))
				abort();
		}
	return 0;
}
