/* SPDX-License-Identifier: BSD-2-Clause */

#include "source/live/live.h"
#include "source/pages.h"
#include "kernel/abi.h"
#include "own/kmem.h"
#include "own/pages.h"

enum { PLACES = 8192 }; /* page table entries read at a time */

void live_kmem_drop(struct live *l)
{
	kmem_close(&l->kmem);
	l->kmem_map = 0;
}

int live_kmem(struct live *l)
{
	const struct live_object *o = l->object;
	int err;

	if (l->kmem_map == o->id)
		return 0;
	live_kmem_drop(l);
	err = kmem_open(&l->kmem, &l->own, o->fd);
	if (!err)
		l->kmem_map = o->id;
	return err;
}

/* Reads up to @most pages from h->next, which is then the next page to read. Their contents are appended to @bytes. */
static int pages_read(const struct kmem *k, const struct pages_place *p, struct pages_head *h, uint32_t most,
		      uint32_t *numbers, unsigned char *bytes)
{
	const uint32_t end = p->pages - h->next > PAGES_LOOK ? h->next + PAGES_LOOK : p->pages;
	unsigned char there[PLACES];
	uint32_t from = h->next;

	while (from < end) {
		/* The kernel's addresses wrap where the user's reach a multiple of 4 GiB. */
		const uint64_t round =
			((1ull << 32) - (uint32_t)(p->user + (uint64_t)from * p->page_size)) / p->page_size;
		uint32_t n = end - from < PLACES ? end - from : PLACES;
		int err;

		n = n < round ? n : (uint32_t)round;
		err = kmem_there(k, pages_addr(p, from), p->page_size, n, there);
		if (err)
			return err;
		for (uint32_t i = 0; i < n && h->count < most; i++, from++)
			if (there[i] &&
			    !kmem_read(k, pages_addr(p, from), bytes + (size_t)h->count * p->page_size, p->page_size))
				numbers[h->count++] = from;
		if (h->count == most)
			break;
	}
	h->next = from;
	return 0;
}

/* The kernel loads no program for an arena without an address; such an arena has no pages. */
static int place_find(struct live *l, const struct abi_map_info *info, struct pages_place *ret)
{
	int err = live_kmem(l);

	if (err == -EINVAL && !info->map_extra) {
		*ret = (struct pages_place){ .page_size = 4096 };
		return 0;
	}
	return err ? err : pages_find(&l->kmem, ret);
}

int live_pages(struct live *l, struct arena *a, struct blob *ret)
{
	struct abi_map_info info;
	struct pages_place place;
	struct pages_head head;
	unsigned char *bytes, *p;
	uint32_t first, most, *numbers;
	int err = live_map_info(l, &info);

	if (err)
		return err;
	if (l->asked->index > UINT32_MAX)
		return -ENODATA;
	first = (uint32_t)l->asked->index;
	if (info.type != ABI_MAP_ARENA)
		return -ENODATA;
	err = place_find(l, &info, &place);
	if (err)
		return err;
	if (first && first >= place.pages)
		return -ENODATA;
	head = (struct pages_head){
		.user = place.user, .page_size = place.page_size, .pages = place.pages, .next = first
	};
	most = PAGES_BYTES / place.page_size ? PAGES_BYTES / place.page_size : 1;
	numbers = arena_alloc(a, most * sizeof(*numbers));
	bytes = arena_room(a, (size_t)most * place.page_size);
	err = place.pages ? pages_read(&l->kmem, &place, &head, most, numbers, bytes) : 0;
	if (err)
		return err;
	if (head.next >= place.pages)
		head.next = 0;
	ret->n = sizeof(head) + head.count * (sizeof(*numbers) + (size_t)place.page_size);
	ret->p = p = arena_room(a, ret->n);
	memcpy(p, &head, sizeof(head));
	memcpy(p + sizeof(head), numbers, head.count * sizeof(*numbers));
	memcpy(p + sizeof(head) + head.count * sizeof(*numbers), bytes, (size_t)head.count * place.page_size);
	return 0;
}
