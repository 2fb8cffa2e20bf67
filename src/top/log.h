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
};
/* Adds what happened since the last call; nothing before event_log_draw(). */
void event_log_read(struct event_log *l);
/* Writes them as a table, the newest last; of a recording those until the moment that @t shows. Begins them if that was
 * not done: from then on our own BPF programs are loaded. What cannot be shown is said in the text. */
void event_log_draw(struct event_log *l, struct top *t, struct out *o);
void event_log_release(struct event_log *l);
