/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_TRIE_H
#define OWN_TRIE_H

#include <stddef.h>
#include <stdint.h>
#include "own/own.h"

struct trie_walk;
/*
 * The elements of an LPM trie in batches, read by a BPF program that walks through it once; BPF_MAP_LOOKUP_BATCH comes
 * down from the root twice for each key. Needs Linux 5.17 and changes nothing. Zeroed is closed.
 */
struct trie {
	struct own_loaded loaded;
	struct trie_walk *walk; /* shared with the program; NULL: closed */
	uint32_t key_size, value_size;
};

/* @map_fd: need not stay open. 0, or -errno, with nothing loaded: not to be had here, or for elements of these sizes.
 */
int trie_open(struct trie *t, struct own *own, int map_fd, uint32_t key_size, uint32_t value_size);
void trie_close(struct trie *t);
/*
 * As BPF_MAP_LOOKUP_BATCH: the elements behind the key @from, which need not be there any more, at most *count of them;
 * then *count is how many they are, and @out the last key. -ENOENT: nothing comes behind them. A key that is in the
 * trie all the time of the call is not passed over.
 */
int trie_read(struct trie *t, const unsigned char *from, unsigned char *out, unsigned char *keys, unsigned char *values,
	      uint32_t *count);

#endif
