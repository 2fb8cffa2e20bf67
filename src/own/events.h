/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_EVENTS_H
#define OWN_EVENTS_H

#include <stddef.h>
#include <stdint.h>

/*
 * What BPF programs write into a map of perf events (BPF_MAP_TYPE_PERF_EVENT_ARRAY), heard through perf events of our
 * own in its slots, which are empty again when the map's descriptor is closed.
 */
struct event {
	uint32_t type; /* PERF_RECORD_SAMPLE, PERF_RECORD_LOST, or another */
	uint32_t size; /* of the whole record */
	uint32_t cpu;
	uint64_t time;		   /* sample: ns, the clock of perf */
	const unsigned char *data; /* sample: n bytes, up to 7 more than the program wrote */
	size_t n;
	uint64_t id, count; /* lost */
};
typedef void event_heard(void *ctx, const struct event *ev);
struct events;
/* @cpu < 0: every CPU that is online, in the slot of its number; else that one in slot @index. 0 or -errno. */
int events_open(struct events **ret, int map_fd, int cpu, int index, event_heard *heard, void *ctx);
int events_fd(const struct events *ev); /* can be read when there are events */
int events_read(struct events *ev);	/* tell all that are there; 0 or -errno */
void events_close(struct events **ev);

/*
 * Is there an event in one of @n slots from @first on? 1 and which, or 0, or -errno where the kernel cannot say it
 * (before 5.10), or we load nothing. A program of ours looks, for user space can only replace what is there.
 */
struct own;
int events_taken(struct own *own, int map_fd, uint32_t first, uint32_t n, uint32_t *ret);

#endif
