/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_ELEMS_H
#define SOURCE_ELEMS_H

#include <stdint.h>
#include "source/machine.h"

/*
 * One batch of the elements of a map: the answer to map/ID/elems/CURSOR.
 *
 *   struct elems_head
 *   next cursor, next_len bytes of text, not terminated; 0 bytes: this was the last batch
 *   count times: int32_t err (0, or -errno of the lookup of this key), key_size bytes of key, value_size bytes of value
 *
 * Padding: none; copy before reading integers. Cursors are opaque text of [0-9a-z.], at most ELEMS_CURSOR_MAX bytes.
 * The live source uses BPF_MAP_LOOKUP_BATCH where the map type has it, BPF_MAP_GET_NEXT_KEY and BPF_MAP_LOOKUP_ELEM
 * otherwise, and never returns a batch of more than about ELEMS_BATCH_BYTES bytes unless a single element is bigger.
 * Behind the second batch of a walk the next one is read ahead (live_ahead.h).
 * A map that cannot be walked answers with the kernel's errno.
 *
 * No key comes twice in a walk, and each key that is in the map from the beginning to the end of it comes once,
 * whatever else is inserted and deleted meanwhile, unless ELEMS_CUT says that the walk had to be given up. (The kernel
 * itself can pass over keys of an LPM trie when one beside them is inserted or deleted at the moment of a step. Only
 * the first batch is read that way where we can walk on our own, own/trie.h.)
 */
enum elems_flags {
	ELEMS_CHANGED = 1 << 0, /* keys were deleted under the walk: what came or went meanwhile may be missing */
	ELEMS_CUT = 1 << 1,	/* last batch: the map changes faster than it can be walked; some keys are missing */
};
#define ELEMS_BATCH_BYTES (512u << 10)
#define ELEMS_CURSOR_MAX 3072
struct elems_head {
	uint32_t count, key_size,
		value_size;	  /* value_size: as transferred; per-CPU: round_up(value_size, 8) * possible CPUs */
	uint16_t next_len, flags; /* flags: enum elems_flags */
};

/* A checked batch: stride bytes an element, the first at elems. */
struct elems {
	struct elems_head head;
	const unsigned char *elems;
	size_t stride;
	char cursor[ELEMS_CURSOR_MAX + 1]; /* "" at the end */
};
static inline int32_t elems_err(const unsigned char *elem)
{
	int32_t v;
	__builtin_memcpy(&v, elem, sizeof(v));
	return v;
}
static inline const unsigned char *elems_key(const unsigned char *elem)
{
	return elem + sizeof(int32_t);
}

/*
 * Ask for the batch at ret->cursor ("" or "start" for the first) and check it against the sizes the caller expects.
 * -EBADMSG: sizes or count do not fit; otherwise the answer's errno; -ENODATA: not saved in this archive.
 */
int elems_get(struct machine *m, struct arena *a, uint32_t map_id, uint32_t key_size, uint32_t value_size,
	      struct elems *ret);

#endif
