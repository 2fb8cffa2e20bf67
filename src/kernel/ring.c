/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/ring.h"

#include <linux/bpf.h>
#include <sys/mman.h>

enum { FLAG_OVERWRITE = 1 << 19 }; /* BPF_F_RB_OVERWRITE */

static uint64_t position_load(const void *p)
{
	return __atomic_load_n((const unsigned long *)p, __ATOMIC_ACQUIRE);
}

uint64_t ring_consumer(const struct ring *r)
{
	return position_load(r->mem);
}

uint64_t ring_producer(const struct ring *r)
{
	return position_load(r->mem + r->page);
}

static size_t mapped(const struct ring *r)
{
	return 2 * r->page + 2 * (size_t)r->size;
}

/* Position of the oldest record. An impossible position of the consumer is not used. */
static uint64_t oldest(const struct ring *r)
{
	uint64_t pos = ring_consumer(r), producer = ring_producer(r);

	if (r->overwrite) {
		uint64_t over = position_load(r->mem + r->page + 2 * sizeof(uint64_t));

		pos = pos > over ? pos : over;
	}
	return pos % 8 || pos > producer || producer - pos > r->size ? producer : pos;
}

int ring_open(struct ring *ret, int map_fd, uint32_t size, uint32_t flags)
{
	struct ring r = { .page = (size_t)sysconf(_SC_PAGESIZE), .size = size, .overwrite = flags & FLAG_OVERWRITE };
	void *mem;

	if (!size || size & (size - 1))
		return -EINVAL;
	mem = mmap(NULL, mapped(&r), PROT_READ, MAP_SHARED, map_fd, 0);
	if (mem == MAP_FAILED)
		return -errno;
	/* No child reads it, and each fork() would copy its page table: 2 ms for 64 MB. */
	madvise(mem, mapped(&r), MADV_DONTFORK);
	r.mem = mem;
	r.copy = malloc(r.size);
	if (!r.copy) {
		ring_close(&r);
		return -ENOMEM;
	}
	r.pos = oldest(&r);
	*ret = r;
	return 0;
}

void ring_close(struct ring *r)
{
	if (r->mem)
		munmap((void *)r->mem, mapped(r));
	free(r->copy);
	*r = (struct ring){ 0 };
}

static enum ring_next lost(struct ring *r, struct ring_record *ret)
{
	uint64_t now = oldest(r);

	/* Always move on, whatever the ring contains. */
	if (now <= r->pos)
		now = ring_producer(r);
	*ret = (struct ring_record){ .pos = r->pos, .lost = now > r->pos ? now - r->pos : 0 };
	r->pos = now;
	return RING_LOST;
}

/* Has nothing at pos been overwritten? The header after the last record is written before that record is announced. */
static bool intact(const struct ring *r)
{
	uint64_t producer = ring_producer(r);

	return producer >= r->pos && producer - r->pos <= r->size - BPF_RINGBUF_HDR_SZ;
}

enum ring_next ring_next(struct ring *r, struct ring_record *ret)
{
	uint64_t producer = ring_producer(r);

	while (r->pos < producer) {
		const unsigned char *p = r->mem + 2 * r->page + (r->pos & (r->size - 1));
		uint32_t head = __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);
		uint32_t n = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		uint64_t whole = ((uint64_t)n + BPF_RINGBUF_HDR_SZ + 7) & ~7ull, pos = r->pos;

		if (!intact(r))
			return lost(r, ret);
		if (head & BPF_RINGBUF_BUSY_BIT)
			return RING_NONE;
		if (whole > producer - pos)
			return lost(r, ret);
		if (!(head & BPF_RINGBUF_DISCARD_BIT)) {
			memcpy(r->copy, p + BPF_RINGBUF_HDR_SZ, n);
			__atomic_thread_fence(__ATOMIC_ACQUIRE);
			if (!intact(r))
				return lost(r, ret);
		}
		r->pos += whole;
		if (head & BPF_RINGBUF_DISCARD_BIT)
			continue;
		*ret = (struct ring_record){ .pos = pos, .data = r->copy, .n = n };
		return RING_RECORD;
	}
	return r->pos > producer ? lost(r, ret) : RING_NONE;
}

int ring_consume(const struct ring *r, int map_fd)
{
	unsigned long *page = mmap(NULL, r->page, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);

	if (page == MAP_FAILED)
		return -errno;
	__atomic_store_n(page, (unsigned long)r->pos, __ATOMIC_RELEASE);
	munmap(page, r->page);
	return 0;
}
