/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct own;
struct env;
struct source;
struct map_call_log;
/* Writes the calls of bpf(2) on a map to the file of a recording, piece by piece (source/file/map_calls.h). */

/*
 * Calls are kept from here on. 0, or -errno with a message. @map 0: none, and *ret is NULL, which the other functions
 * accept and ignore. The machine of @env is the recorder.
 */
int map_call_log_begin(struct map_call_log **ret, struct env *env, struct own *own, uint32_t map, struct err *e);
/* Take the calls so far. @flush: write them to the file now, else when there are enough. */
void map_call_log_read(struct map_call_log *log, bool flush);
/* Write what is left, and go on in @next; NULL: nothing is taken until there is another. */
void map_call_log_next(struct map_call_log *log, struct source *next);
void map_call_log_close(struct map_call_log **log);

/* Totals, after the end. */
struct map_call_log_count {
	uint64_t calls, lost;
};
struct map_call_log_count map_call_log_count(const struct map_call_log *log);
