/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_RING_H
#define KERNEL_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A ring buffer (BPF_MAP_TYPE_RINGBUF, BPF_MAP_TYPE_USER_RINGBUF) looked at from beside: a page with the position that
 * its consumer has reached, one with its producers', then the data twice (Documentation/bpf/ringbuf.rst). Positions
 * only grow; size is a power of two. Records begin at multiples of 8 with a header of 8 bytes. Everything is mapped
 * read-only, and is checked before it is believed: user space can write parts of it.
 */
struct ring {
	const unsigned char *mem; /* NULL: nothing */
	size_t page;
	uint64_t size;
	bool overwrite;	     /* producers do not wait for a consumer (BPF_F_RB_OVERWRITE, 6.19) */
	uint64_t pos;	     /* of the next record to tell */
	unsigned char *copy; /* of a record */
};
struct ring_record {
	uint64_t pos;
	const unsigned char *data; /* until the next call */
	uint32_t n;
	uint64_t lost; /* RING_LOST: so many bytes from pos on were overwritten before we saw them */
};
/* @size and @flags are the map's max_entries and map_flags. Begins with the oldest record that is there. */
int ring_open(struct ring *ret, int map_fd, uint32_t size, uint32_t flags);
void ring_close(struct ring *r);
#define RING __attribute__((cleanup(ring_close))) struct ring

uint64_t ring_consumer(const struct ring *r);
uint64_t ring_producer(const struct ring *r);
/* RING_NONE: nothing more, or the next record is still being written. Discarded records are passed over. */
enum ring_next { RING_NONE, RING_RECORD, RING_LOST };
enum ring_next ring_next(struct ring *r, struct ring_record *ret);
/* Tell the kernel that everything up to our position was consumed. */
int ring_consume(const struct ring *r, int map_fd);

#endif
