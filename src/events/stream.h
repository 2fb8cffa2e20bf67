/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "events/programs.h"
#include "events/followed.h"
#include "events/tasks.h"
#include "own/capture/calls.h"
#include "own/own.h"
#include "record/view.h"
#include "render/render.h"

struct sideband;
struct event_rec;
/* Side-band records of the kernel and calls of bpf(2) that a BPF program traces, ordered by time and printed. */
struct stream {
	struct env *env;
	bool syscalls;		      /* the calls themselves, not what they did to objects */
	const struct map_decode *map; /* with syscalls: only those on this map; NULL: all */
	struct view view;
	struct render render;
	/* In place of render: each event; what is in the record is valid until it returns. NULL: they are printed. */
	void (*take)(void *ctx, const struct event_rec *rec);
	void (*saw)(void *ctx, const struct calls_record *r); /* each call that is read; NULL: none */
	uint64_t see; /* calls that are read beside those that are events: a bit for each command */
	void *ctx;
	struct own own;
	struct sideband *sideband;
	struct calls *calls; /* NULL: calls are not traced, because of calls_why */
	int calls_why;
	struct calls_record **call; /* they wait for side-band records that are older */
	size_t ncalls, next, cap;
	uint64_t calls_lost; /* shown as lost so far */
	struct programs programs;
	struct tasks tasks; /* none in a recording */
	struct followed followed;
	uint32_t self;		  /* our own process */
	uint64_t count, nprinted; /* limit of events, 0: none; events shown so far */
	uint64_t epoch;		  /* ns from 1970 to the boot */
	int fd;			  /* readable when there are records; -1: not open */
};
/* Events are kept from here on. The caller sets env, syscalls, map, view, take, saw, count and self in @s, and zeroes
 * the rest. stream_close() is also required after a failure. */
int stream_open(struct stream *s, struct err *e);
void stream_close(struct stream *s);
void stream_see(struct stream *s, uint64_t commands); /* s->see from now on */
/* Makes the fd of @s readable when @fd is, too. 0 or -errno. */
int stream_wake(struct stream *s, int fd);
/* Prints the events up to now. True: more arrived in the meantime. */
bool stream_read(struct stream *s);
bool stream_done(const struct stream *s);
/* Prints a call, unless it is of this process or one that is not followed. */
void stream_print_call(struct stream *s, const struct calls_record *r);
/* Prints an event, unless the filter or the count is against it; @time: ns since boot, which is set in @rec. */
void stream_print(struct stream *s, uint64_t time, struct event_rec *rec);
/* Notes what cannot be traced. */
void stream_note(const struct stream *s);
/* Reports what was lost, and the same. */
void stream_end(struct stream *s);
