/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/ring.h"

#include <linux/bpf.h>
#include <sys/mman.h>

enum { FLAG_OVERWRITE = 1 << 19 }; /* BPF_F_RB_OVERWRITE */

#define CHUNK_LEAST (1u << 20) /* bytes */

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

static size_t chunk_size(const struct ring *r)
{
	const size_t size = (size_t)r->size / RING_CHUNKS;

	return size > CHUNK_LEAST ? size : r->size < CHUNK_LEAST ? (size_t)r->size : CHUNK_LEAST;
}

/* No child reads it, and each fork() would copy its page table. */
static const unsigned char *part_map(int map_fd, size_t at, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, map_fd, (off_t)at);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, size, MADV_DONTFORK);
	return p;
}

/* The byte at a position, and in *left how many follow it in its chunk; NULL: it cannot be mapped. */
static const unsigned char *data_at(struct ring *r, uint64_t pos, size_t *left)
{
	const size_t at = (size_t)(pos & (r->size - 1)), size = chunk_size(r), i = at / size;

	if (!r->chunk[i])
		r->chunk[i] = part_map(r->map_fd, 2 * r->page + i * size, size);
	*left = size - at % size;
	return r->chunk[i] ? r->chunk[i] + at % size : NULL;
}

/* Into r->copy. False: not all of it can be mapped. */
static bool data_copy(struct ring *r, uint64_t pos, size_t n)
{
	for (size_t done = 0, step; done < n; done += step) {
		const unsigned char *p = data_at(r, pos + done, &step);

		if (!p)
			return false;
		step = step < n - done ? step : n - done;
		memcpy(r->copy + done, p, step);
	}
	return true;
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
	struct ring r = { .page = (size_t)sysconf(_SC_PAGESIZE),
			  .map_fd = map_fd,
			  .size = size,
			  .overwrite = flags & FLAG_OVERWRITE };

	if (!size || size & (size - 1))
		return -EINVAL;
	r.mem = part_map(map_fd, 0, 2 * r.page);
	if (!r.mem)
		return -errno;
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
		munmap((void *)r->mem, 2 * r->page);
	for (size_t i = 0; i < RING_CHUNKS; i++)
		if (r->chunk[i])
			munmap((void *)r->chunk[i], chunk_size(r));
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
	size_t left;

	while (r->pos < producer) {
		const unsigned char *p = data_at(r, r->pos, &left);
		uint32_t head = p ? __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE) : BPF_RINGBUF_BUSY_BIT;
		uint32_t n = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		uint64_t whole = ((uint64_t)n + BPF_RINGBUF_HDR_SZ + 7) & ~7ull, pos = r->pos;

		if (!intact(r))
			return lost(r, ret);
		if (head & BPF_RINGBUF_BUSY_BIT)
			return RING_NONE;
		if (whole > producer - pos)
			return lost(r, ret);
		if (!(head & BPF_RINGBUF_DISCARD_BIT)) {
			if (!data_copy(r, pos + BPF_RINGBUF_HDR_SZ, n))
				return RING_NONE;
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
