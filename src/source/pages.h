/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/machine.h"

/*
 * The existing pages of an arena: the answer to map/ID/pages/N, N a decimal number, is
 *
 *   struct pages_head
 *   count times uint32_t: numbers of pages, ascending, from N on
 *   count times page_size bytes: their contents
 *
 * An answer has at most about PAGES_BYTES and covers at most PAGES_LOOK pages, so it may have no page and still not be
 * the last one. Reading allocates no page.
 */
#define PAGES_BYTES (512u << 10)
#define PAGES_LOOK (64u << 10)
struct pages_head {
	uint64_t user;		   /* address of page 0; 0: the arena was never mapped */
	uint32_t page_size, pages; /* pages: maximum number */
	uint32_t count, next;	   /* next: the next N; 0: the end */
};

struct pages {
	struct pages_head head;
	const unsigned char *numbers, *bytes;
};
static inline uint32_t pages_number(const struct pages *p, uint32_t i)
{
	uint32_t v;
	__builtin_memcpy(&v, p->numbers + 4 * (size_t)i, 4);
	return v;
}
static inline const unsigned char *pages_bytes(const struct pages *p, uint32_t i)
{
	return p->bytes + (size_t)i * p->head.page_size;
}

/* The answer, checked: numbers ascend and are in the arena; else -EBADMSG. Otherwise its errno; -ENODATA: not saved. */
int pages_get(struct machine *m, struct arena *a, uint32_t map_id, uint32_t from, struct pages *ret);
