/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in learn.c. */

#include "prog/stats.h"

struct env;
struct report;
/*
 * What programs cost over time: of each program that is loaded, the last intervals between two reads of the kernel's
 * counters. Memory depends only on how many are loaded. A program is an id and the time when it was loaded, so that one
 * that gets the id of another has a history of its own.
 */
#define HISTORY_POINTS 60
struct history_point {
	float cpu_percent; /* of one CPU */
	float runs_per_sec;
};
struct history_ring {
	unsigned n, next; /* points, at most HISTORY_POINTS; where the next one goes */
	struct history_point v[HISTORY_POINTS];
};
void history_ring_add(struct history_ring *r, struct history_point p);
/* Point @i < r->n, the oldest first. */
static inline struct history_point history_ring_at(const struct history_ring *r, unsigned i)
{
	return r->v[(r->next + HISTORY_POINTS - r->n + i) % HISTORY_POINTS];
}

struct history_prog {
	uint32_t id;
	uint64_t load_time; /* as in struct stats_seen */
	struct history_ring ring;
	bool learnt;	     /* the rest was read */
	char *where, *owner; /* as in struct prog_rec; NULL: none */
	uint64_t memlock;
	uint8_t has_where, has_owner, has_memlock; /* enum avail */
};
struct history {
	struct stats_look old, now;
	struct history_prog **prog; /* of now, ascending by id */
	size_t n, cap;
	struct history_ring all;	/* sums of all programs */
	size_t came, gone;		/* programs in the last interval */
	uint64_t loads, unloads;	/* since the first read */
	uint64_t prog_bytes, map_bytes; /* memory, which history_learn() found */
	uint8_t has_bytes;		/* enum avail: unknown: of some objects */
	bool begun;
};
void history_init(struct history *h);
void history_clear(struct history *h); /* as after history_init() */
void history_release(struct history *h);
/* Begins a read: returns the look that the caller adds all programs to (stats_read(), with s->old as the one before).
 */
struct stats_look *history_begin(struct history *h);
/*
 * Ends it. After another one, adds a point to each history, and makes the records of stats_between(), @lapse_ns and
 * @time as there. Returns their number; 0 after the first read.
 */
size_t history_end(struct history *h, uint64_t lapse_ns, const char *time, struct arena *a, struct stats_rec **ret);
struct history_prog *history_find(const struct history *h, uint32_t id); /* NULL: not in the last read */
/*
 * Reads what changes rarely, of all programs in the last read: places (NEED_JOIN), owners (NEED_OWNER), and the memory
 * of programs and maps (NEED_FDINFO). What could not be read is in @env's report.
 */
void history_learn(struct history *h, struct env *env, unsigned need);
