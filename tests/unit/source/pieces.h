/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../fake.h"

/* A source with the pieces of an answer, texts, and no other answers: `struct pieces p = PIECES(Q_POKES, piece, n)`. */
struct pieces {
	struct source source;
	enum question q;
	const char *const *piece;
	size_t n;
};

static inline int pieces_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	const struct pieces *p = (const struct pieces *)s;

	(void)a;
	assert_int_equal(q->q, p->q);
	if (q->id >= p->n)
		return -ENODATA;
	*ret = (struct blob){ (const unsigned char *)p->piece[q->id], strlen(p->piece[q->id]) };
	return 0;
}

static const struct source_ops pieces_ops = { .name = "pieces", .get = pieces_get };
#define PIECES(q, piece, n) \
	{ \
		{ .ops = &pieces_ops }, q, piece, n \
	}
