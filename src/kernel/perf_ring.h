/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_PERF_RING_H
#define KERNEL_PERF_RING_H

#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;
/*
 * The ring of a perf event (include/uapi/linux/perf_event.h, struct perf_event_mmap_page), which the kernel fills and
 * we empty. Positions only grow. What is behind the place where reading stopped stays there for the next time.
 */
struct perf_ring {
	struct perf_event_mmap_page *page; /* NULL: nothing */
	const unsigned char *data;
	size_t size;	     /* bytes, a power of two */
	uint64_t pos, end;   /* of the next record, and behind the last one */
	unsigned char *copy; /* of a record that goes over the end of the ring */
};
size_t perf_ring_size(size_t wanted); /* rounded up to a power of two of pages */
/* @size: of the data, as perf_ring_size() returns. 0 or -errno. */
int perf_ring_open(struct perf_ring *ret, int event, size_t size);
void perf_ring_close(struct perf_ring *r);

/* From here on what is in the ring at this moment. */
void perf_ring_begin(struct perf_ring *r);
/*
 * The next record: its bytes, which live until the next call or perf_ring_end(), at least as many as the header that it
 * begins with. 1; 0: there is none; -EBADMSG: a length that cannot be, the rest is passed over.
 */
int perf_ring_next(struct perf_ring *r, const void **ret, size_t *ret_n);
/* The record that came last stays there: it, of @n bytes, and all behind it. */
void perf_ring_back(struct perf_ring *r, size_t n);
/* The kernel may write over what was read. */
void perf_ring_end(struct perf_ring *r);
/* How many records a PERF_RECORD_LOST of @n bytes says there was no room for. 0; -EBADMSG: it is shorter than that. */
int perf_ring_lost(const void *p, size_t n, uint64_t *ret);

#endif
