/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct input;
/*
 * The unpacked data of the gzip members of a file. The beginnings of the members used last are kept: at most
 * SEGMENTS_KEPT bytes in all, SEGMENT_KEPT of each.
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
		uint64_t used; /* time of its last use */
	} slot[SEGMENTS];
	uint64_t clock;
};
/*
 * Reads @n bytes from unpacked byte @off, counted from the start of the gzip member at @start; they may extend into the
 * next members. 0; -EBADMSG: missing or damaged; -errno.
 */
int segments_read(struct segments *s, uint64_t start, uint64_t off, void *buf, size_t n);
void segments_release(struct segments *s);
