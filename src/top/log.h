/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "events/stream.h"
#include "top/live.h"

/* The events that the screen shows: those since they were first asked for, or all of a recording. */
#define EVENT_LOG_SHOWN 1000u /* at most, the newest */
struct event_log {
	bool begun;
	struct err why; /* code not 0: there are none */
	struct env env;
	struct report report;
	struct stream stream;
	struct arena *arena; /* of the events */
	const void **rec;    /* struct event_rec, ascending by time */
	size_t n, cap;
	struct hash changed;   /* by id of a map: calls that changed its elements, in an arena of its own */
	uint64_t changed_lost; /* calls that were lost before them */
};
/* Adds what happened since the last call; nothing before event_log_draw(). */
void event_log_read(struct event_log *l);
/* Begins, if that was not done: from then on our own BPF programs are loaded. */
void event_log_begin(struct event_log *l, struct top *t);
/* Count calls that change elements of maps, or not any more; after event_log_begin(). */
void event_log_count(struct event_log *l, bool on);
/*
 * Successful calls that changed elements of a map, up to the last read, since the last
 * event_log_count_again(). False: they are not counted, or some calls were lost.
 */
bool event_log_changes(const struct event_log *l, uint32_t map, uint64_t *ret);
void event_log_count_again(struct event_log *l);
/* Writes them as a table, the newest last; of a recording those until the moment that @t shows. What cannot be
 * shown is said in the text. */
void event_log_draw(struct event_log *l, struct top *t, struct out *o);
void event_log_release(struct event_log *l);
