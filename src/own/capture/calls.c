/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/capture/calls.h"

#include <linux/bpf.h>
#include <sys/syscall.h>

#include "kernel/bpf.h"
#include "kernel/cpus.h"
#include "kernel/perf/event.h"
#include "kernel/ring.h"
#include "own/own.h"

#include "own/capture/calls_enter.bpf.inc"
#include "own/capture/calls_exit.bpf.inc"
enum { ENTER, EXIT, PROGRAMS };
static const struct own_program programs[PROGRAMS] = {
	[ENTER] = OWN_PROGRAM(calls_enter), [EXIT] = OWN_PROGRAM(calls_exit)
};

#define RING_SIZE (8u << 20)
#define THREADS 16384u /* in bpf(2) at the same time */
#define LIMIT_MS 10000

struct calls {
	int begun, map, scratch, link[PROGRAMS];
	struct own_loaded loaded[PROGRAMS];
	struct ring ring;
	struct calls_elem elem;
	uint64_t lost; /* lost records that the ring itself reports */
};

static int calls_hook_attach(struct calls *c, struct own *own, int which)
{
	static const char *const tracepoints[] = { [ENTER] = "sys_enter", [EXIT] = "sys_exit" };

	c->link[which] = raw_tracepoint_link(tracepoints[which], c->loaded[which].prog, 0);
	return c->link[which] < 0 ? c->link[which] : own_note(own, OBJECT_LINK, c->link[which]);
}

static int maps_open(struct calls *c, struct own *own)
{
	CLEAN_PTR uint32_t *number = NULL;
	const int n = cpus_possible(&number);

	c->begun = own_map(own, &(struct own_map_wish){ "bpflens.begun", BPF_MAP_TYPE_LRU_HASH, sizeof(uint32_t),
							sizeof(uint64_t), THREADS, 0 });
	if (n < 0 || c->begun < 0)
		return n < 0 ? n : c->begun;
	c->scratch = own_map(own, &(struct own_map_wish){ "bpflens.scratch", BPF_MAP_TYPE_ARRAY, sizeof(uint32_t),
							  sizeof(struct calls_elem), number[n - 1] + 1, 0 });
	if (c->scratch < 0)
		return c->scratch;
	c->map = own_map(own, &(struct own_map_wish){ "bpflens.calls", BPF_MAP_TYPE_RINGBUF, 0, 0, RING_SIZE, 0 });
	return c->map < 0 ? c->map : ring_open(&c->ring, c->map, RING_SIZE, 0);
}

static int open_all(struct calls *c, struct own *own, const struct calls_command commands[CALLS_COMMANDS],
		    const struct calls_map *map)
{
	const struct own_const consts[] = { { "nr_bpf", SYS_bpf }, { "nr_bpf_compat", SYS_BPF_COMPAT }, { NULL, 0 } };
	uint64_t nothing[2] = { 0, 0 };
	int err = maps_open(c, own);
	struct own_map maps[] = { { "begun", c->begun }, { "ring", c->map }, { "scratch", c->scratch }, { NULL, -1 } };

	for (int i = 0; !err && i < PROGRAMS; i++)
		err = own_load_with(own, &programs[i], consts, maps, LIMIT_MS, &c->loaded[i]);
	if (err)
		return err;
	if (c->loaded[EXIT].shared_size < sizeof(struct calls_state))
		return -EBADMSG;
	calls_choose(c, commands);
	if (map)
		((struct calls_state *)c->loaded[EXIT].shared)->map = *map;
	err = own_run(&c->loaded[EXIT], nothing, sizeof(nothing), NULL);
	for (int i = PROGRAMS - 1; !err && i >= 0; i--)
		err = calls_hook_attach(c, own, i);
	return err;
}

void calls_choose(struct calls *c, const struct calls_command commands[CALLS_COMMANDS])
{
	struct calls_state *state = c->loaded[EXIT].shared;

	memcpy(state->command, commands, sizeof(state->command));
}

int calls_open(struct calls **ret, struct own *own, const struct calls_command commands[CALLS_COMMANDS],
	       const struct calls_map *map)
{
	struct calls *c;
	int err;

	if (own->never)
		return -ECANCELED;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->begun = c->map = c->scratch = c->link[ENTER] = c->link[EXIT] = -1;
	err = open_all(c, own, commands, map);
	if (err)
		calls_close(&c);
	else
		*ret = c;
	return err;
}

void calls_close(struct calls **c)
{
	if (!*c)
		return;
	for (int i = 0; i < PROGRAMS; i++) {
		clean_fd(&(*c)->link[i]);
		own_close(&(*c)->loaded[i]);
	}
	ring_close(&(*c)->ring);
	clean_fd(&(*c)->map);
	clean_fd(&(*c)->scratch);
	clean_fd(&(*c)->begun);
	free(*c);
	*c = NULL;
}

int calls_fd(const struct calls *c)
{
	return c->map;
}

const struct calls_record *calls_next(struct calls *c)
{
	struct calls_record *call = &c->elem.call;
	struct ring_record r;

	for (;;) {
		switch (ring_next(&c->ring, &r)) {
		case RING_NONE:
			return NULL;
		case RING_LOST:
			c->lost++;
			break;
		case RING_RECORD:
			if (r.n < sizeof(*call) || r.n > sizeof(c->elem)) {
				c->lost++;
				break;
			}
			memcpy(&c->elem, r.data, r.n);
			if (call->key_bytes > CALLS_KEY || call->value_bytes > CALLS_VALUE ||
			    sizeof(*call) + call->key_bytes + call->value_bytes > r.n)
				call->key_bytes = call->value_bytes = 0;
			return call;
		}
	}
}

struct calls_record *calls_copy(const struct calls_record *r)
{
	const size_t n = sizeof(*r) + r->key_bytes + r->value_bytes;

	return memcpy(array_resize(NULL, n, 1), r, n);
}

int calls_consume(struct calls *c)
{
	return ring_consume(&c->ring, c->map);
}

uint64_t calls_lost(const struct calls *c)
{
	const struct calls_state *state = c->loaded[EXIT].shared;

	return c->lost + __atomic_load_n(&state->lost, __ATOMIC_RELAXED);
}
