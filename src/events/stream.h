/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EVENTS_STREAM_H
#define EVENTS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/programs.h"
#include "events/followed.h"
#include "events/tasks.h"
#include "own/calls.h"
#include "own/own.h"
#include "record/view.h"
#include "render/render.h"

struct sideband;
struct err;
/* What the kernel announces and what a program of ours sees of bpf(2), put in order of time and printed. */
struct stream {
	struct env *env;
	bool syscalls; /* the calls themselves, not what they did to objects */
	struct view view;
	struct render render;
	struct own own;
	struct sideband *sideband;
	struct calls *calls; /* NULL: there are none here; why: calls_why */
	int calls_why;
	struct calls_record *call; /* that wait for the side-band's records before them */
	size_t ncalls, next, cap;
	uint64_t calls_lost; /* that were told as lost */
	struct programs programs;
	struct tasks tasks;
	struct followed followed;
	uint32_t self;	      /* our own process */
	uint64_t count, told; /* count 0: no limit */
	uint64_t epoch;	      /* the time of day when the machine was started */
	int fd;		      /* can be read when there is something; -1: not begun */
};
/* From here on events are kept. @s has env, syscalls, view, count, self; the rest is zero. On failure stream_close(),
 * too. */
int stream_open(struct stream *s, struct err *e);
void stream_close(struct stream *s);
/* Also when this one can be read. 0 or -errno. */
int stream_wake(struct stream *s, int fd);
/* Prints what happened up to now. True: more came in the meantime. */
bool stream_read(struct stream *s);
bool stream_done(const struct stream *s);
/* Into the report: what was lost, what could not be seen. */
void stream_end(struct stream *s);

#endif
