/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "map/view/changes.h"
#include "map/elem/print.h"
#include "render/frame.h"

struct map_rec;
struct schema;
#define WATCH_COLUMNS 5
/* The changes between two readings of a map, as a picture and as records. */
struct watch {
	const struct map_rec *map;
	struct elem_form form;	  /* of the elements; types of key and value or NULL */
	struct leaves key, value; /* their members; none: bytes */
	bool *differs;		  /* for each member of the key: did it differ so far? The caller allocates it. */
	bool keys_differ;	  /* one of them does */
	struct changes changes;
	size_t elems;	/* in the map now */
	uint64_t lap;	/* nanoseconds between the readings */
	uint32_t limit; /* changes to show; 0: all */
	struct frame frame;
	struct arena *arena;	     /* scratch; the caller has the scope */
	size_t width[WATCH_COLUMNS]; /* of the columns in the last picture */
};
/* Draws the changes for which the terminal has room. */
void watch_draw(struct watch *w);
/* The same as records: values are JSON; NULL: does not apply. */
struct changed_member {
	const char *name, *old, *value, *delta, *rate;
};
struct watch_rec {
	const char *time, *change, *key, *old, *value;
	const struct changed_member *members;
	uint32_t nmembers;
	uint8_t has_members; /* enum avail */
};
extern const struct schema schema_change;
/* In w->arena. */
void change_read(const struct watch *w, const char *time, const struct change *c, struct watch_rec *ret);
