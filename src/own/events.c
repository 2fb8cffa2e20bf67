/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/events.h"

#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>

#include "own/own.h"

#define PAGES 16 /* pages of each CPU's buffer */

struct events {
	struct perf_buffer *buffer;
	event_handler *handle;
	void *ctx;
};

static enum bpf_perf_event_ret buffer_record(void *ctx, int cpu, struct perf_event_header *h)
{
	struct {
		struct perf_event_header h;
		uint64_t time;
		uint32_t size;
		unsigned char data[];
	} *sample = (void *)h;
	struct {
		struct perf_event_header h;
		uint64_t id, count;
	} *lost = (void *)h;
	struct event ev = { .type = h->type, .size = h->size, .cpu = (uint32_t)cpu };
	struct events *all = ctx;

	if (h->type == PERF_RECORD_SAMPLE && h->size >= offsetof(typeof(*sample), data)) {
		ev.time = sample->time;
		ev.data = sample->data;
		ev.n = h->size - offsetof(typeof(*sample), data);
		ev.n = sample->size < ev.n ? sample->size : ev.n;
	} else if (h->type == PERF_RECORD_LOST && h->size >= sizeof(*lost)) {
		ev.id = lost->id;
		ev.count = lost->count;
	}
	all->handle(all->ctx, &ev);
	return LIBBPF_PERF_EVENT_CONT;
}

int events_open(struct events **ret, int map_fd, int cpu, int index, event_handler *handle, void *ctx)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME,
		.wakeup_events = 1,
	};
	LIBBPF_OPTS(perf_buffer_raw_opts, opts, .cpu_cnt = cpu >= 0, .cpus = &cpu, .map_keys = &index);
	struct events *ev = calloc(1, sizeof(*ev));
	int err;

	if (!ev)
		return -ENOMEM;
	*ev = (struct events){ .handle = handle, .ctx = ctx };
	ev->buffer = perf_buffer__new_raw(map_fd, PAGES, &attr, buffer_record, ev, &opts);
	if (!ev->buffer) {
		err = -errno;
		free(ev);
		return err;
	}
	*ret = ev;
	return 0;
}

int events_fd(const struct events *ev)
{
	return perf_buffer__epoll_fd(ev->buffer);
}

int events_read(struct events *ev)
{
	return perf_buffer__consume(ev->buffer);
}

void events_close(struct events **ev)
{
	if (!*ev)
		return;
	perf_buffer__free((*ev)->buffer);
	free(*ev);
	*ev = NULL;
}

#include "own/bpf/events_taken.bpf.inc"
static const struct own_program program = OWN_PROGRAM(events_taken);

int events_find_taken(struct own *own, int map_fd, uint32_t first, uint32_t n, uint32_t *ret)
{
	OWN_LOADED l = { 0 };
	int value, err = own_load(own, &program, NULL, map_fd, &l);
	uint64_t slot;

	for (slot = first; !err && slot < (uint64_t)first + n; slot++) {
		err = own_run(&l, &slot, sizeof(slot), &value);
		if (!err && value != -ENOENT) {
			*ret = (uint32_t)slot;
			return 1;
		}
	}
	return err;
}
