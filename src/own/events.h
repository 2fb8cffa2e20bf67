/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * What BPF programs write to a map of perf events (BPF_MAP_TYPE_PERF_EVENT_ARRAY), read with our own perf events in its
 * slots. The kernel empties these slots when the map's descriptor is closed.
 */
struct event {
	uint32_t type; /* PERF_RECORD_SAMPLE, PERF_RECORD_LOST, or another */
	uint32_t size; /* of the whole record */
	uint32_t cpu;
	uint64_t time;		   /* sample: ns, perf's clock */
	const unsigned char *data; /* sample: n bytes, up to 7 more than the program wrote */
	size_t n;
	uint64_t id, count; /* lost */
};
typedef void event_handler(void *ctx, const struct event *ev);
struct events;
/* @cpu < 0: read all online CPUs, each in the slot of its number; else only @cpu, in slot @index. 0 or -errno. */
int events_open(struct events **ret, int map_fd, int cpu, int index, event_handler *handle, void *ctx);
int events_fd(const struct events *ev); /* readable when events are waiting */
int events_read(struct events *ev);	/* call handle() for all waiting events; 0 or -errno */
void events_close(struct events **ev);

/*
 * Is there an event in one of the @n slots from @first on? 1 with its slot in *ret, or 0, or -errno: before Linux 5.10,
 * or if we may not load programs. One of our own programs looks, because user space can only replace what is in a slot.
 */
struct own;
int events_find_taken(struct own *own, int map_fd, uint32_t first, uint32_t n, uint32_t *ret);
