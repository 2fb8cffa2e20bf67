/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_SEGMENTS_H
#define SOURCE_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

struct input;
/*
 * What the gzip members of a file unpack to, by place. The beginnings of the members that were asked last are kept:
 * at most SEGMENTS_KEPT bytes in all, SEGMENT_KEPT of one.
 */
#define SEGMENTS 16
#define SEGMENT_KEPT (10u << 20)
#define SEGMENTS_KEPT (32u << 20)

struct segments {
	const struct input *in;
	struct segment {
		uint64_t start;	  /* in the file */
		unsigned char *p; /* NULL: the slot is free */
		size_t n;
		uint64_t used; /* when it was last asked */
	} slot[SEGMENTS];
	uint64_t clock;
};
/*
 * @n bytes from unpacked byte @off on, counted from the beginning of the gzip member at @start; they may reach into the
 * next ones. 0, -EBADMSG: they are not there, or broken; -errno.
 */
int segments_read(struct segments *s, uint64_t start, uint64_t off, void *buf, size_t n);
void segments_release(struct segments *s);

#endif
