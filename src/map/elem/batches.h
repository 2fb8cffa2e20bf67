/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_ELEM_BATCHES_H
#define MAP_ELEM_BATCHES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
/*
 * Elements on their way into a map: they wait until there is a batch of them, which a thread writes while the next one
 * is put together. What cannot be written as part of a batch is tried alone, in the order in which it was put, and by
 * the caller's thread; so one() hears of it late, but before batches_flush() returns.
 */
struct batch {
	unsigned char *keys, *values;
	uint64_t *at; /* where they stand in the file */
	uint32_t n;
};
struct batches {
	int fd;			     /* of the map */
	size_t key_size, value_size; /* as transferred */
	bool single;		     /* no batches */
	/* Writes one. False: there is no use in trying others. */
	bool (*one)(void *ctx, uint64_t at, const unsigned char *key, const unsigned char *value);
	void *ctx;

	/* What came of it: written without one(), the last of them in the file, and after one() has said so: no more is
	 * tried. */
	uint64_t written, last;
	bool stop;

	/* Inside. */
	struct batch batch[2]; /* the one that is filled, and the one that is written */
	unsigned filling;
	uint32_t max;
	bool running;
	pthread_t thread;
	uint32_t count; /* of the running one: elements, then those that were written */
	int err;
};
/* The rest of *b is zeroed or filled in. Memory in @a, some megabytes at most. */
void batches_init(struct batches *b, struct arena *a);
/* Key and value as transferred, side by side. */
void batches_put(struct batches *b, uint64_t at, const unsigned char *elem);
/* All that was put is written, or will not be. To be called before *b is left. */
void batches_flush(struct batches *b);

#endif
