/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/machine.h"

/*
 * A batch of the elements of a map: the answer to map/ID/elems/CURSOR.
 *
 *   struct elems_head
 *   next cursor, next_len bytes of text, not terminated; 0 bytes: this was the last batch
 *   count times: int32_t err (0, or -errno of the lookup of this key), key_size bytes of key, value_size bytes of value
 *
 * There is no padding: copy before reading integers. Cursors are opaque text of [0-9a-z.], at most ELEMS_CURSOR_MAX
 * bytes. The live source uses BPF_MAP_LOOKUP_BATCH if the map type has it, else BPF_MAP_GET_NEXT_KEY and
 * BPF_MAP_LOOKUP_ELEM. A batch has not much more than ELEMS_BATCH_BYTES bytes, unless a single element is larger. After
 * the second batch of a walk, the next one is read ahead (live/ahead.h). For a map that cannot be walked, the answer is
 * the kernel's errno.
 *
 * A walk returns no key twice, and it returns each key that is in the map from its beginning to its end, whatever is
 * inserted and deleted meanwhile, unless ELEMS_CUT reports that it was given up. (The kernel may skip keys of an LPM
 * trie if a neighbouring one is inserted or deleted at the moment of a step. If we can walk the trie ourselves,
 * own/trie.h, only the first batch is read in that way.)
 */
enum elems_flags {
	/* Keys were deleted during the walk: elements inserted or deleted meanwhile may be missing. */
	ELEMS_CHANGED = 1 << 0,
	/* The last batch: the map changes faster than it can be walked; keys are missing. */
	ELEMS_CUT = 1 << 1,
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
	/* private */
	uint64_t steps;
	char mark[ELEMS_CURSOR_MAX + 1]; /* the cursor after a number of batches that is a power of two */
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
 * -EBADMSG: sizes or count do not fit, or the cursors go in a circle; otherwise the answer's errno; -ENODATA: not saved
 * in this archive.
 */
int elems_get(struct machine *m, struct arena *a, uint32_t map_id, uint32_t key_size, uint32_t value_size,
	      struct elems *ret);
