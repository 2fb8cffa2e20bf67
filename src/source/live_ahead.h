/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_LIVE_AHEAD_H
#define SOURCE_LIVE_AHEAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "own/trie.h"

/*
 * The batch of a map that will be asked for next, read by a thread while the one before is looked at: the kernel's
 * share and ours each take about half of the time of a dump. At most one at a time. Zeroed is empty.
 */
struct ahead {
	bool running;
	pthread_t thread;
	struct trie *trie;	      /* what reads it; NULL: BPF_MAP_LOOKUP_BATCH */
	int fd;			      /* its own */
	uint32_t map_id, room, count; /* count: elements that were read, at most room */
	int err; /* of BPF_MAP_LOOKUP_BATCH or trie_read(): 0 or -errno; -ENOENT: it was the last */
	unsigned char *keys, *values; /* room of each; given away by swapping */
	size_t keys_cap, values_cap;
	unsigned char *from, *out; /* positions, pos_size bytes each */
	size_t pos_size;
};

/* Begin to read behind @from. Does nothing if no thread can be had. @trie must stay until ahead_wait(). */
void ahead_start(struct ahead *a, struct trie *trie, uint32_t map_id, int fd, const unsigned char *from,
		 size_t pos_size, uint32_t room, size_t key_size, size_t value_size);
/* Wait; true: a's count, err, keys, values and out answer this question. */
bool ahead_take(struct ahead *a, uint32_t map_id, const unsigned char *from, size_t pos_size, uint32_t room);
/* Wait, and hold nothing of the kernel's any more. */
void ahead_wait(struct ahead *a);
void ahead_release(struct ahead *a);

#endif
