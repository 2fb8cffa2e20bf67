/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct perf_event_mmap_page;
/*
 * The ring of a perf event (include/uapi/linux/perf_event.h, struct perf_event_mmap_page), which the kernel fills and
 * we empty. Positions only increase. What has not been read stays in the ring for the next time.
 */
struct perf_ring {
	struct perf_event_mmap_page *page; /* NULL: closed */
	const unsigned char *data;
	size_t size;	     /* bytes, a power of two */
	uint64_t pos, end;   /* of the next record, and after the last one */
	unsigned char *copy; /* of a record that is split at the end of the ring */
};
size_t perf_ring_size(size_t wanted); /* rounded up to a power of two of pages */
/* @size: of the data, as perf_ring_size() returns. 0 or -errno. */
int perf_ring_open(struct perf_ring *ret, int event, size_t size);
void perf_ring_close(struct perf_ring *r);

/* Start reading what is in the ring at this moment. */
void perf_ring_begin(struct perf_ring *r);
/*
 * The next record: at least a header, valid until the next call or perf_ring_end(). 1; 0: no more; -EBADMSG: an
 * impossible length; the rest is skipped.
 */
int perf_ring_next(struct perf_ring *r, const void **ret, size_t *ret_n);
/* Put back the last record, of @n bytes: it and all that follow stay in the ring. */
void perf_ring_back(struct perf_ring *r, size_t n);
/* Release what was read; the kernel may overwrite it. */
void perf_ring_end(struct perf_ring *r);
/* The number of lost records that a PERF_RECORD_LOST of @n bytes reports. 0; -EBADMSG: the record is too short. */
int perf_ring_lost(const void *p, size_t n, uint64_t *ret);
