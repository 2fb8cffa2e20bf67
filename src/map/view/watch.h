/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_VIEW_WATCH_H
#define MAP_VIEW_WATCH_H

#include <stddef.h>
#include <stdint.h>
#include "map/view/changes.h"
#include "map/elem/print.h"
#include "render/frame.h"

struct out; struct jsonw; struct map_rec; struct arena;
#define WATCH_COLUMNS 5
/* The changes between two looks at a map, for people and for programs. */
struct watch {
	const struct map_rec *map;
	struct elem_form form;		/* of the elements; types of key and value or NULL */
	struct leaves key, value;	/* their members; none: bytes */
	struct changes changes;
	size_t elems;			/* in the map now */
	uint64_t lap;			/* nanoseconds between the looks */
	uint32_t limit;			/* changes to show; 0: all */
	struct frame frame;
	struct arena *arena;		/* scratch of watch_draw(), which its caller rewinds */
	size_t width[WATCH_COLUMNS];	/* of the columns in the last picture */
};
/* A picture of them on the terminal: those that there is room for. */
void watch_draw(struct watch *w);
/* An object for each: time, change, key, and value or members with old, value, delta and rate. */
void watch_json(const struct watch *w, const char *time, const struct change *c, struct jsonw *to);

#endif
