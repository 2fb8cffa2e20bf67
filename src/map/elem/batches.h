/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <pthread.h>

#include "base/base.h"

/*
 * Elements to be written to a map. They are collected into batches; a thread writes one batch while the next one is
 * collected. An element that cannot be written in a batch is tried alone by one(), in the order of batches_put(), in
 * the caller's thread: later than it was put, but before batches_flush() returns.
 */
struct batch {
	unsigned char *keys, *values;
	uint64_t *at; /* their positions in the file */
	uint32_t n;
};
struct batches {
	int fd;			     /* of the map */
	size_t key_size, value_size; /* as transferred */
	bool single;		     /* no batches */
	/* Writes one. False: others would fail as well. */
	bool (*one)(void *ctx, uint64_t at, const unsigned char *key, const unsigned char *value);
	void *ctx;

	/*
	 * Results: elements written without one(), the position of the last of them, and whether one() has returned
	 * false: nothing more is tried.
	 */
	uint64_t written, last;
	bool stop;

	/* Internal. */
	struct batch batch[2]; /* one is filled while the other is written */
	unsigned filling;
	uint32_t max;
	bool running;
	pthread_t thread;
	uint32_t count; /* of the running batch: elements, then elements written */
	int err;
};
/* The rest of *b is zeroed or filled in. Memory in @a, some megabytes at most. */
void batches_init(struct batches *b, struct arena *a);
/* @elem: key and value as transferred, contiguous. */
void batches_put(struct batches *b, uint64_t at, const unsigned char *elem);
/* On return, everything that was put has been written or refused. Must be called before *b is released. */
void batches_flush(struct batches *b);
