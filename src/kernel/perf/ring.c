/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/perf/ring.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#define RECORD_MAX (1 << 16) /* the length has 16 bits */

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

size_t perf_ring_size(size_t wanted)
{
	size_t size = page_size();

	while (size < wanted && size <= SIZE_MAX / 4)
		size *= 2;
	return size;
}

int perf_ring_open(struct perf_ring *ret, int event, size_t size)
{
	struct perf_ring r = { .size = size, .copy = malloc(RECORD_MAX) };
	void *mem;

	if (!r.copy)
		return -ENOMEM;
	mem = mmap(NULL, page_size() + size, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
	if (mem == MAP_FAILED) {
		free(r.copy);
		return -errno;
	}
	r.page = mem;
	r.data = (unsigned char *)mem + page_size();
	*ret = r;
	return 0;
}

void perf_ring_close(struct perf_ring *r)
{
	if (r->page)
		munmap(r->page, page_size() + r->size);
	free(r->copy);
	*r = (struct perf_ring){ 0 };
}

void perf_ring_begin(struct perf_ring *r)
{
	r->pos = r->page->data_tail;
	r->end = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
}

int perf_ring_next(struct perf_ring *r, const void **ret, size_t *ret_n)
{
	size_t at = (size_t)(r->pos & (r->size - 1)), left = r->size - at;
	const struct perf_event_header *h = (const void *)(r->data + at);

	if (r->pos == r->end)
		return 0;
	/* Lengths are multiples of 8, so a header is never split at the end of the ring. */
	if (r->end - r->pos > r->size || r->pos % 8 || h->size < sizeof(*h) || h->size % 8 ||
	    h->size > r->end - r->pos) {
		r->pos = r->end;
		return -EBADMSG;
	}
	*ret = h;
	*ret_n = h->size;
	r->pos += h->size;
	if (*ret_n > left) {
		memcpy(r->copy, h, left);
		memcpy(r->copy + left, r->data, *ret_n - left);
		*ret = r->copy;
	}
	return 1;
}

void perf_ring_back(struct perf_ring *r, size_t n)
{
	r->pos -= n;
}

void perf_ring_end(struct perf_ring *r)
{
	__atomic_store_n(&r->page->data_tail, r->pos, __ATOMIC_RELEASE);
}

int perf_ring_lost(const void *p, size_t n, uint64_t *ret)
{
	struct {
		struct perf_event_header h;
		uint64_t id, lost;
	} r;

	if (n < sizeof(r))
		return -EBADMSG;
	memcpy(&r, p, sizeof(r));
	*ret = r.lost;
	return 0;
}
