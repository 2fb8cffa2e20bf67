/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "source/codes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct one_piece {
	struct source source;
	struct blob piece;
};

static int piece_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	if (q->q != Q_POKES || q->id)
		return -ENODATA;
	*ret = ((struct one_piece *)s)->piece;
	return 0;
}

/* Any bytes as changes of code: applied within the code, and the same at a moment between two of them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct source_ops ops = { .name = "fuzz", .get = piece_get };
	const struct poke_place p = { .addr = 0x1000, .n = 64, .from = 10, .to = 99 };
	struct one_piece s = { { .ops = &ops }, { data, size } };
	ARENA a = arena_new();
	struct pokes all;
	size_t n;

	if (pokes_read(&s.source, a, &all))
		return 0;
	const uint64_t *at = pokes_moments(&all, &p, a, &n);

	for (size_t i = 0; i < n && i < 64; i++) {
		const uint64_t next = i + 1 < n ? at[i + 1] : p.to, mid = at[i] + (next - at[i]) / 2;
		unsigned char *x = arena_alloc(a, p.n), *y = arena_alloc(a, p.n);
		const char *why = pokes_then(&all, &p, at[i], x);

		if (at[i] < p.from || next <= at[i] || pokes_then(&all, &p, mid, y) != why || memcmp(x, y, p.n))
			abort();
	}
	return 0;
}
