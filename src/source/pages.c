/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/pages.h"

#define PAGE_MAX (1u << 20)
#define PAGE_MIN 512u

static bool head_fits(const struct pages_head *h, size_t n, uint32_t from)
{
	if (h->page_size < PAGE_MIN || h->page_size > PAGE_MAX || h->page_size & (h->page_size - 1) ||
	    (uint64_t)h->pages * h->page_size > 1ull << 32)
		return false;
	if (h->next && (h->next <= from || h->next >= h->pages))
		return false;
	return h->count <= h->pages && n == h->count * (sizeof(uint32_t) + (uint64_t)h->page_size);
}

int pages_get(struct machine *m, struct arena *a, uint32_t map_id, uint32_t from, struct pages *ret)
{
	struct pages p;
	struct blob b;
	uint64_t low = from;
	int err = ask(m, a, &b, Q_MAP_PAGES, map_id, from);

	if (err)
		return err;
	if (b.n < sizeof(p.head))
		return -EBADMSG;
	memcpy(&p.head, b.p, sizeof(p.head));
	if (!head_fits(&p.head, b.n - sizeof(p.head), from))
		return -EBADMSG;
	p.numbers = b.p + sizeof(p.head);
	p.bytes = p.numbers + p.head.count * sizeof(uint32_t);
	for (uint32_t i = 0; i < p.head.count; i++) {
		uint32_t number = pages_number(&p, i);

		if (number < low || number >= (p.head.next ? p.head.next : p.head.pages))
			return -EBADMSG;
		low = (uint64_t)number + 1;
	}
	*ret = p;
	return 0;
}
