/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct code_index;
struct code_look;
struct code_place;
struct code_seen;
struct perf_time;
struct perf_writer;
struct stack_names;
/*
 * The loads and unloads of a recording as records of perf (PERF_RECORD_KSYMBOL, PERF_RECORD_BPF_EVENT), in order of
 * time. What perf resolves with them is what code_at() resolves: of two programs at one address, the first is gone
 * before the second is there.
 */
struct code_event;
struct code_events {
	struct stack_names *names;
	const struct perf_time *clock;
	uint64_t begin;
	struct code_event *event;
	size_t n, cap, next; /* the next to write */
	/* Of each place of the index, by perf's clock, private. there: when perf saw it; UINT64_MAX: it did not. */
	uint64_t *from, *to, *there;
};
/*
 * @begin: of perf's samples, by its clock: code that is there then has the time 0, and what is gone then is left out.
 * Code goes when perf saw it go. The recording knows when a load began; if perf saw other code go from the place after
 * that, the code is there when perf saw it. @look: see there; @clock is used later, too.
 */
void code_events_make(struct code_events *ret, struct stack_names *names, const struct perf_time *clock, uint64_t begin,
		      const struct code_look *look);
void code_events_release(struct code_events *x);
/* Is what perf saw in the recording, so that code_events_write() writes it? */
bool code_events_have(const struct code_events *x, const struct code_seen *c);
/*
 * Whose code perf saw, at @time, ns since boot: by its program, or if that is unknown, or is another one because a
 * record was lost, by time. NULL: it is not in the recording.
 */
const struct code_place *code_seen_place(const struct code_index *index, const struct code_seen *c, uint64_t time);
/* Writes those up to a time that were not written yet. */
void code_events_write(struct code_events *x, struct perf_writer *w, uint64_t until);
