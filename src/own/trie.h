/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "own/own.h"

struct trie_walk;
/*
 * Read the elements of an LPM trie in batches with a BPF program, which walks the trie once; BPF_MAP_LOOKUP_BATCH
 * descends from the root twice for each key. Requires Linux 5.17 and changes nothing. A zeroed struct is closed.
 */
struct trie {
	struct own_loaded loaded;
	struct trie_walk *walk; /* shared with the program; NULL: closed */
	uint32_t key_size, value_size;
};

/* @map_fd may be closed afterwards. 0, or -errno with nothing loaded: impossible on this kernel or for these sizes. */
int trie_open(struct trie *t, struct own *own, int map_fd, uint32_t key_size, uint32_t value_size);
void trie_close(struct trie *t);
/*
 * As BPF_MAP_LOOKUP_BATCH: read at most *count elements after the key @from, which may have been deleted. Sets *count
 * to their number, and @out to the last key. -ENOENT: no elements come after them. A key that is in the trie during the
 * whole call is not missed.
 */
int trie_read(struct trie *t, const unsigned char *from, unsigned char *out, unsigned char *keys, unsigned char *values,
	      uint32_t *count);
