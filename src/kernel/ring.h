/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Reading a ring buffer (BPF_MAP_TYPE_RINGBUF, BPF_MAP_TYPE_USER_RINGBUF) without being its consumer: a page with the
 * consumer's position, a page with the producers' position, then the data twice (Documentation/bpf/ringbuf.rst).
 * Positions only increase; size is a power of two. Records begin at multiples of 8, with a header of 8 bytes. All is
 * mapped read-only and checked before use: user space can write to parts of it. The data is mapped once, in chunks when
 * they are read, because a page table takes time, and most of a large ring may never be used.
 */
#define RING_CHUNKS 64
struct ring {
	const unsigned char *mem;		 /* the two pages; NULL: closed */
	const unsigned char *chunk[RING_CHUNKS]; /* NULL: not mapped */
	int map_fd;
	size_t page;
	uint64_t size;
	bool overwrite;	     /* producers do not wait for a consumer (BPF_F_RB_OVERWRITE, 6.19) */
	uint64_t pos;	     /* of the next record to return */
	unsigned char *copy; /* of the last record */
};
struct ring_record {
	uint64_t pos;
	const unsigned char *data; /* valid until the next call */
	uint32_t n;
	uint64_t lost; /* RING_LOST: this many bytes from pos on were overwritten before they could be read */
};
/*
 * @size and @flags are the map's max_entries and map_flags; @map_fd must stay open while records are read. Starts at
 * the oldest record in the ring. 0 or -errno.
 */
int ring_open(struct ring *ret, int map_fd, uint32_t size, uint32_t flags);
void ring_close(struct ring *r);
#define RING __attribute__((cleanup(ring_close))) struct ring

uint64_t ring_consumer(const struct ring *r);
uint64_t ring_producer(const struct ring *r);
/*
 * RING_NONE: no more records, or the next one is still being written, or there is no memory to map it. Discarded
 * records are skipped.
 */
enum ring_next { RING_NONE, RING_RECORD, RING_LOST };
enum ring_next ring_next(struct ring *r, struct ring_record *ret);
/* Tell the kernel that everything up to r->pos was consumed. */
int ring_consume(const struct ring *r, int map_fd);
