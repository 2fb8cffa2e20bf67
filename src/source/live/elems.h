/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/trie.h"
#include "source/live/ahead.h"
#include "source/live/walked.h"

struct blob;
/*
 * Walks through the elements of a map (source/elems.h), a batch for each question:
 *
 *   cursor --> elems_batch.c: as many as fit, from the kernel --> elems.c: the answer --> next cursor
 *     |          |                                                  ^
 *     |          |  read ahead (ahead.h), or by our own program     |
 *     |          |  that walks a trie (own/trie.h)                  |
 *     |          v  the kernel has no batches for the type          |
 *     '----> elems_keys.c: one key after the other, without those that it returned before (walked.h)
 */

/* What is kept between batches. */
struct live_walk {
	unsigned char *keys, *values;
	int32_t *errs;
	size_t keys_cap, values_cap, errs_cap;
	/* The position of a walk whose key is too long for a cursor; only the latest token is valid. */
	unsigned char *last;
	size_t last_len, last_cap;
	uint32_t last_map;
	uint64_t token;
	/* For walks by key; two, because walks may be nested. next is replaced first. */
	struct walked walked[2];
	unsigned next;
	struct ahead ahead;
	/* The program that walks a trie; trie_map: its map, or the map for which it cannot be loaded; 0: none. */
	struct own *own;
	struct trie trie;
	uint32_t trie_map;
};

struct elems_walk {
	struct live_walk *mem;
	struct walked *walked; /* NULL: keys cannot be repeated, or are ordered */
	int fd;
	uint32_t map_id, type, key_size, value_size, max_entries;
	size_t stride, pos_size; /* pos_size: bytes of a position */
	char mode;
	bool first, lpm;
	uint64_t seen, again; /* elements returned, and repeated elements dropped from this batch */
	unsigned flags;	      /* enum elems_flags */
	uint32_t room;	      /* elements that fit in mem */
	unsigned char *pos;   /* in the arena */
	unsigned char *last;  /* LPM: the last key returned, in the arena; also where the batch begins */
};

void live_walk_release(struct live_walk *w);
/* Releases the kernel objects held for the next batch of a walk. */
void live_walk_drop(struct live_walk *w);
#define WALK_BYTES_MAX (1u << 30)		      /* of an answer, whatever the size of an element */
void *walk_buffer(void *p, size_t *cap, size_t need); /* with room for @need bytes */
void walk_room(struct elems_walk *w, uint32_t room);  /* for that many elements in w->mem */
/*
 * The answer, in the arena: @count elements of the keys and values in w->mem, and of its errors if @errs; @more: with a
 * cursor.
 */
void walk_answer(struct elems_walk *w, uint32_t count, bool errs, bool more, struct arena *a, struct blob *ret);

/*
 * elems_cursor.c. A cursor is MODE.SEEN.POSITION: b(atch) or k(ey), the number of elements so far in hex, and the
 * kernel's opaque batch position or the last key in hex, without trailing zero bytes. "tN" is a longer position, kept
 * in live_walk. -EINVAL: not a cursor; -ESTALE: its position is not kept any more.
 */
int walk_cursor_parse(struct elems_walk *w, const char *cursor);
size_t walk_cursor_print(struct elems_walk *w, char *ret); /* at most ELEMS_CURSOR_MAX bytes; returns their number */

/* elems_batch.c. 0 or -errno; 1: this kernel has no batches for this map. */
int walk_batch(struct elems_walk *w, struct arena *a, struct blob *ret);

/* elems_keys.c. 0 or -errno. */
int walk_keys(struct elems_walk *w, struct arena *a, struct blob *ret);
#define WALK_AGAIN_MAX 65536u /* repeated keys, in addition to a few times max_entries, before the walk is given up */
bool walk_tired(struct elems_walk *w); /* too many keys were repeated: the rest of the map is given up */
bool walk_key_is_new(struct elems_walk *w, const unsigned char *key); /* not yet returned? It counts as returned now. */
