/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "top/log.h"
#include "top/sampled.h"

/* What the screen shows in place of the list: one program, its code, the maps, or events. */
struct detail {
	struct map_seen { /* a map in the last read, ascending by id */
		uint32_t id;
		uint8_t has_entries, has_bytes; /* enum avail */
		uint64_t entries, bytes;
	} * map;
	size_t nmaps;
	uint64_t read_at, read_ns; /* when they were read (CLOCK_MONOTONIC), and the CPU time that it took */
	struct str maps;	   /* the table of that read */
	bool counts;		   /* with updates */
	struct event_log log;
	struct sampled sampled;
};
/* Writes the text of s->mode to @o; nothing for modes that are not read. What cannot be read is said in the text. */
void detail_read(struct detail *d, struct top *t, const struct screen *s, struct out *o);
void detail_release(struct detail *d);
