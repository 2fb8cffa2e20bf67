/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <pthread.h>
#include "own/trie.h"

/*
 * The next batch of a map, read by a thread while the previous one is processed: reading and processing each take about
 * half of the time of a dump. At most one at a time. All zero: empty.
 */
struct ahead {
	bool running;
	pthread_t thread;
	struct trie *trie;	      /* the program that reads it; NULL: BPF_MAP_LOOKUP_BATCH */
	int fd;			      /* its own */
	uint32_t map_id, room, count; /* count: elements read, at most room */
	int err; /* result of BPF_MAP_LOOKUP_BATCH or trie_read(): 0 or -errno; -ENOENT: the last batch */
	unsigned char *keys, *values; /* room elements; taken by swapping */
	size_t keys_cap, values_cap;
	unsigned char *from, *out; /* positions, pos_size bytes each */
	size_t pos_size;
};

/* Starts to read after @from. Does nothing if no thread can be created. @trie must live until ahead_wait(). */
void ahead_start(struct ahead *a, struct trie *trie, uint32_t map_id, int fd, const unsigned char *from,
		 size_t pos_size, uint32_t room, size_t key_size, size_t value_size);
/* Waits. True: count, err, keys, values and out of @a answer this question. */
bool ahead_take(struct ahead *a, uint32_t map_id, const unsigned char *from, size_t pos_size, uint32_t room);
/* Waits, and releases the descriptor. */
void ahead_wait(struct ahead *a);
void ahead_release(struct ahead *a);
