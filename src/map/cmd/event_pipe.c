/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include <linux/perf_event.h>

#include "map/view/listen.h"
#include "map/elem/open.h"
#include "record/field.h"
#include "source/facts.h"
#include "source/source.h"
#include "own/events.h"
#include "own/own.h"
#include "host/stop.h"

struct pipe_opts {
	struct object_ref map;
	const char *cpu, *index;
	struct listen_opts listen;
	bool force;
};

static const struct arg pipe_args[] = {
	ONE_MAP_ARG(struct pipe_opts, "a perf event array"),
	ARG("cpu", ARG_STR, struct pipe_opts, cpu, "only events of this CPU, with index", .metavar = "N"),
	ARG("index", ARG_STR, struct pipe_opts, index, "slot of the map for the events of that CPU", .metavar = "N"),
	LISTEN_ARGS(struct pipe_opts, listen),
	ARG("--force", ARG_FLAG, struct pipe_opts, force,
	    "also if another process listens, which then receives no more events"),
};

struct pipe {
	struct listen l;
	int cpu, index; /* -1: all */
};

/* A sample, or the kernel's record of lost samples. */
struct lost_rec {
	uint64_t id, count;
};
struct pipe_event_rec {
	uint32_t type, cpu, index, size, ndata;
	const unsigned char *data;
	uint64_t timestamp;
	const struct lost_rec *lost;
	uint32_t nlost;
	uint8_t is_sample, is_unknown; /* enum avail */
};

static const struct field lost_fields[] = {
	FIELD(lost_rec, id, "id", "number of the perf event"),
	FIELD(lost_rec, count, "count", "count (of events lost because the buffer was full)"),
};

static size_t lost_text(const void *row, char *buf, size_t size)
{
	const struct lost_rec *r = row;

	return str_snprintf(buf, size, "%" PRIu64 " events", r->count);
}
static const struct schema schema_lost = SCHEMA("event_lost", lost_rec, lost_fields, .text = lost_text);

static size_t sample_text(const void *rec, char *buf, size_t size)
{
	const struct pipe_event_rec *r = rec;

	if (!r->is_sample)
		return 0;
	return str_snprintf(buf, size, "== @%" PRIu64 ".%09" PRIu64 " CPU: %" PRIu32 " index: %" PRIu32 " =====",
			    r->timestamp / NSEC_PER_SEC, r->timestamp % NSEC_PER_SEC, r->cpu, r->index);
}

static size_t unknown_text(const void *rec, char *buf, size_t size)
{
	const struct pipe_event_rec *r = rec;

	return !r->is_unknown ?
		       0 :
		       str_snprintf(buf, size, "unknown event type=%" PRIu32 " size=%" PRIu32, r->type, r->size);
}

static const struct field event_fields[] = {
	FIELD(pipe_event_rec, type, "type", "PERF_RECORD_ number: 9 is a sample, 2 reports lost events", .plain = "%",
	      .text = unknown_text),
	FIELD(pipe_event_rec, cpu, "cpu", "CPU that sent it", .flags = FIELD_NOPLAIN),
	FIELD(pipe_event_rec, index, "index", "number (of the slot in the map)", .flags = FIELD_NOPLAIN),
	FIELD_IF(pipe_event_rec, timestamp, is_sample, "timestamp", "time when it was sent, by the clock of perf",
		 .unit = FU_NSEC, .plain = "%", .text = sample_text),
	FIELD_ROWS(pipe_event_rec, lost, nlost, &schema_lost, "lost", "what was lost there, instead of a sample",
		   .plain = "lost %", .flags = FIELD_NONZERO | FIELD_SINGLE),
	FIELD_LIST(pipe_event_rec, data, ndata, FT_UINT, "data", "bytes of the record as numbers",
		   FIELD_WHEN(pipe_event_rec, is_sample), .flags = FIELD_NOPLAIN),
	FIELD_IF(pipe_event_rec, size, is_unknown, "size",
		 "size in bytes, for an event that is neither a sample nor a loss", .flags = FIELD_NOPLAIN),
};
static const struct schema schema_event = SCHEMA("piped_event", pipe_event_rec, event_fields);

static void pipe_event(void *ctx, const struct event *ev)
{
	struct pipe *p = ctx;
	const struct lost_rec lost = { ev->id, ev->count };
	bool sample = ev->type == PERF_RECORD_SAMPLE, gap = ev->type == PERF_RECORD_LOST;
	const struct pipe_event_rec head = {
		.type = ev->type,
		.cpu = ev->cpu,
		.index = p->index < 0 ? ev->cpu : (uint32_t)p->index,
		.size = ev->size,
		.data = ev->data,
		.ndata = (uint32_t)ev->n,
		.timestamp = ev->time,
		.is_sample = sample ? AVAIL_YES : AVAIL_NO,
		.lost = &lost,
		.nlost = gap,
		.is_unknown = sample || gap ? AVAIL_NO : AVAIL_YES,
	};

	if (listen_done(&p->l))
		return;
	listen_record(&p->l, &schema_event, &head, sample ? ev->data : NULL, ev->n);
}

static int cpu_parse(struct pipe *p, const struct pipe_opts *o, struct err *e)
{
	uint32_t cpu, index;

	p->cpu = p->index = -1;
	if (!o->cpu != !o->index)
		return err_usage(e, "cpu and index must be specified together");
	if (!o->cpu)
		return 0;
	if (num_parse_u32(o->cpu, &cpu) || cpu > INT32_MAX) {
		err_usage(e, "can't parse %s as CPU ID", o->cpu);
		return err_hint(e, "CPUs are numbers, from 0");
	}
	if (num_parse_u32(o->index, &index) || index > INT32_MAX) {
		err_usage(e, "can't parse %s as index", o->index);
		return err_hint(e, "the index of an element of the map, from 0");
	}
	p->cpu = (int)cpu;
	p->index = (int)index;
	return 0;
}

static int pipe_check(struct env *env, const struct pipe *p, const struct open_map *m, bool force, struct err *e)
{
	struct own own = { .never = env->opts->no_load, .debug = env->opts->debug };
	uint32_t all = facts_cpus_end(env->machine), slot;
	int taken;

	if (p->index >= 0 && (uint32_t)p->index >= m->info.max_entries)
		return err_usage(e, "map %u has %u entries: index %d is out of range", m->info.id, m->info.max_entries,
				 p->index);
	if (!all && p->index < 0 && !force)
		return err_set(e, -ENODATA,
			       "map %u: the number of possible CPUs is not known, so other listeners cannot be found",
			       m->info.id);
	all = all < m->info.max_entries ? all : m->info.max_entries;
	if (force)
		return 0;
	taken = events_find_taken(&own, m->fd, p->index < 0 ? 0 : (uint32_t)p->index, p->index < 0 ? all : 1, &slot);
	own_release(&own);
	if (taken == -ECANCELED || taken == -ETIME) {
		err_sys(e, taken, "map %u: cannot determine whether another process listens", m->info.id);
		return err_hint(e, "--force takes the slots without a check; the check loads a BPF program");
	}
	if (taken <= 0)
		return 0;
	err_set(e, -EBUSY, "map %u: another process listens at index %u, and would receive no more events", m->info.id,
		slot);
	return err_hint(e, "--force takes the slots; an empty map, or a free index, does not need it");
}

static int pipe_loop(struct pipe *p, struct events *ev, struct stop *stop, uint32_t map, struct err *e)
{
	int err = 0;

	while (err >= 0 && !listen_flush(&p->l) && !stop_wait(stop, events_fd(ev), -1))
		err = events_read(ev);
	return err < 0 ? err_sys(e, err, "map %u: cannot read its events", map) : 0;
}

static int pipe_run(struct env *env, const void *opts, struct err *e)
{
	const struct pipe_opts *o = opts;
	struct events *ev = NULL;
	STOP stop = { .fd = -1 };
	OPEN_MAP(m);
	struct pipe p;
	int err = cpu_parse(&p, o, e);

	if (!err)
		err = map_open(env, &o->map, VERB_EVENT_PIPE, &m, e);
	if (err)
		return err;
	/* Scripts written for bpftool rely on its answer. */
	err = pipe_check(env, &p, &m, o->force || env->opts->as_bpftool, e);
	if (!err)
		err = listen_begin(&p.l, env, m.info.id, m.info.btf_id, &o->listen, e);
	if (err)
		return err;
	source_idle(env->machine->src);
	err = stop_begin(&stop);
	stop.output = STDOUT_FILENO;
	if (!err)
		err = events_open(&ev, m.fd, p.cpu, p.index, pipe_event, &p);
	if (err)
		return err_sys(e, err, "map %u: cannot create the perf buffer", m.info.id);
	err = pipe_loop(&p, ev, &stop, m.info.id, e);
	listen_end(&p.l);
	events_close(&ev);
	return err;
}

const struct command map_event_pipe = {
	.name = "event_pipe",
	.summary = "print events that programs send through a perf event array",
	.help = "Listens on every CPU until SIGINT, SIGHUP or SIGTERM. The data of an event has up to 7 bytes after what the program wrote, "
		"because the kernel does not keep the exact size; with a type it has the size of the type. A slot of the map can have one listener "
		"only: if there is one already, the command refuses without --force (but not when called as bpftool).",
	.schema = &schema_event,
	ARGS(pipe_args, struct pipe_opts),
	.flags = CMD_WRITE | CMD_TEXT,
	.run = pipe_run,
};
