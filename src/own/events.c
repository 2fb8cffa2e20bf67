/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/events.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"

#define PAGES 16		/* of each CPU's buffer */

struct events {
	struct perf_buffer *buffer;
	event_heard *heard;
	void *ctx;
};

static enum bpf_perf_event_ret record(void *ctx, int cpu, struct perf_event_header *h)
{
	struct { struct perf_event_header h; uint64_t time; uint32_t size; unsigned char data[]; } *sample = (void *)h;
	struct { struct perf_event_header h; uint64_t id, count; } *lost = (void *)h;
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
	all->heard(all->ctx, &ev);
	return LIBBPF_PERF_EVENT_CONT;
}

int events_open(struct events **ret, int map_fd, int cpu, int index, event_heard *heard, void *ctx)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_BPF_OUTPUT, .sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME, .wakeup_events = 1,
	};
	LIBBPF_OPTS(perf_buffer_raw_opts, opts, .cpu_cnt = cpu >= 0, .cpus = &cpu, .map_keys = &index);
	struct events *ev = calloc(1, sizeof(*ev));
	int err;

	if (!ev)
		return -ENOMEM;
	*ev = (struct events){ .heard = heard, .ctx = ctx };
	ev->buffer = perf_buffer__new_raw(map_fd, PAGES, &attr, record, ev, &opts);
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

int events_taken(int map_fd, uint32_t first, uint32_t n, uint32_t *ret)
{
	/* return bpf_perf_event_read_value(map, the first argument, room, 24): -ENOENT for an empty slot. */
	const struct bpf_insn insns[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_1 },
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = map_fd }, { 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_3, .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_3, .imm = -24 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_4, .imm = 24 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_perf_event_read_value },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	CLEAN_FD fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "slots", "GPL", insns, ARRAY_SIZE(insns), NULL);
	uint64_t slot;

	if (fd < 0)
		return fd;
	for (slot = first; slot < (uint64_t)first + n; slot++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &slot, .ctx_size_in = sizeof(slot));
		int err = bpf_prog_test_run_opts(fd, &opts);

		if (err)
			return err;
		if ((int)opts.retval != -ENOENT) {
			*ret = (uint32_t)slot;
			return 1;
		}
	}
	return 0;
}
