/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>

#include "base/err.h"
#include "base/num.h"
#include "base/out.h"
#include "map/listen.h"
#include "map/open.h"
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
	{ .name = "MAP", .type = ARG_OBJECT, .flags = ARG_REQUIRED | ARG_POSITIONAL, .off = offsetof(struct pipe_opts, map),
	  .help = "a map of perf events" },
	{ .name = "cpu", .metavar = "N", .type = ARG_STR, .off = offsetof(struct pipe_opts, cpu),
	  .help = "only what comes on this CPU, with index" },
	{ .name = "index", .metavar = "N", .type = ARG_STR, .off = offsetof(struct pipe_opts, index),
	  .help = "the place in the map for that CPU's event" },
	LISTEN_ARGS(struct pipe_opts, listen),
	{ .name = "--force", .type = ARG_FLAG, .off = offsetof(struct pipe_opts, force),
	  .help = "also where somebody else listens, who then hears no more" },
};

struct pipe {
	struct listen l;
	int cpu, index;			/* -1: all of them */
};

static void sample_print(struct pipe *p, const struct event *ev, uint32_t index)
{
	struct jsonw *w = p->l.jw;

	if (w) {
		jsonw_name(w, "timestamp");
		jsonw_uint(w, ev->time);
	} else {
		out_fmt(p->l.env->report->out, "== @%llu.%09llu CPU: %u index: %u =====\n", (unsigned long long)(ev->time / 1000000000),
			(unsigned long long)(ev->time % 1000000000), ev->cpu, index);
	}
	listen_data(&p->l, ev->data, ev->n);
}

static void other_print(struct pipe *p, const struct event *ev)
{
	struct jsonw *w = p->l.jw;

	if (!w && ev->type == PERF_RECORD_LOST)
		out_fmt(p->l.env->report->out, "lost %llu events\n", (unsigned long long)ev->count);
	else if (!w)
		out_fmt(p->l.env->report->out, "unknown event type=%u size=%u\n", ev->type, ev->size);
	if (!w || ev->type != PERF_RECORD_LOST)
		return;
	jsonw_name(w, "lost");
	jsonw_object(w);
	jsonw_name(w, "id");
	jsonw_uint(w, ev->id);
	jsonw_name(w, "count");
	jsonw_uint(w, ev->count);
	jsonw_end(w);
}

static void heard(void *ctx, const struct event *ev)
{
	struct pipe *p = ctx;
	uint32_t index = p->index < 0 ? ev->cpu : (uint32_t)p->index;

	if (listen_done(&p->l))
		return;
	listen_record(&p->l);
	if (p->l.jw) {
		jsonw_name(p->l.jw, "type");
		jsonw_uint(p->l.jw, ev->type);
		jsonw_name(p->l.jw, "cpu");
		jsonw_uint(p->l.jw, ev->cpu);
		jsonw_name(p->l.jw, "index");
		jsonw_uint(p->l.jw, index);
	}
	if (ev->type == PERF_RECORD_SAMPLE)
		sample_print(p, ev, index);
	else
		other_print(p, ev);
	listen_record_end(&p->l);
}

static int cpu_parse(struct pipe *p, const struct pipe_opts *o, struct err *e)
{
	uint32_t cpu, index;

	p->cpu = p->index = -1;
	if (!o->cpu != !o->index)
		return err_usage(e, "cpu and index must be specified together");
	if (!o->cpu)
		return 0;
	if (num_parse_u32(o->cpu, &cpu) || cpu > INT32_MAX)
		return err_usage(e, "can't parse %s as CPU ID", o->cpu);
	if (num_parse_u32(o->index, &index) || index > INT32_MAX)
		return err_usage(e, "can't parse %s as index", o->index);
	p->cpu = (int)cpu;
	p->index = (int)index;
	return 0;
}

static int check(struct env *env, const struct pipe *p, const struct open_map *m, bool force, struct err *e)
{
	struct own own = { .never = env->opts->no_load, .debug = env->opts->debug };
	uint32_t all = facts_cpus(env->machine), slot;
	int taken;

	if (p->index >= 0 && (uint32_t)p->index >= m->info.max_entries)
		return err_usage(e, "map %u has %u entries: there is no index %d", m->info.id, m->info.max_entries, p->index);
	all = all < m->info.max_entries ? all : m->info.max_entries;
	if (force)
		return 0;
	taken = events_taken(&own, m->fd, p->index < 0 ? 0 : (uint32_t)p->index, p->index < 0 ? all : 1, &slot);
	own_release(&own);
	if (taken == -ECANCELED || taken == -ETIME) {
		err_sys(e, taken, "map %u: cannot find out whether somebody listens already", m->info.id);
		return err_hint(e, "--force takes the places without a look; the look loads a BPF program");
	}
	if (taken <= 0)
		return 0;
	err_set(e, -EBUSY, "map %u: somebody listens at index %u already, and would hear no more", m->info.id, slot);
	return err_hint(e, "--force takes the places; an empty map needs none, nor does an index that nobody uses");
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
	/* Scripts that were written for bpftool take what they get. */
	err = check(env, &p, &m, o->force || env->opts->as_bpftool, e);
	if (!err)
		err = listen_begin(&p.l, env, m.info.id, m.info.btf_id, &o->listen, e);
	if (err)
		return err;
	source_idle(env->machine->src);
	err = stop_begin(&stop);
	if (!err)
		err = events_open(&ev, m.fd, p.cpu, p.index, heard, &p);
	if (err)
		return err_sys(e, err, "map %u: failed to create perf buffer", m.info.id);
	err = pipe_loop(&p, ev, &stop, m.info.id, e);
	listen_end(&p.l);
	events_close(&ev);
	return err;
}

const struct command map_event_pipe = {
	.name = "event_pipe", .summary = "what programs put out through a map of perf events, as it comes",
	.help = "Listens on every CPU, until it is told to stop by SIGINT, SIGHUP or SIGTERM. The data of an event has up to 7 bytes "
		"behind what the program wrote, since the kernel does not keep the exact size; a type has its own. A place in the "
		"map has but one listener: where there is one already, this is refused without --force (and done under the name "
		"bpftool).",
	ARGS(pipe_args), .opts_size = sizeof(struct pipe_opts), .flags = CMD_WRITE | CMD_TEXT, .run = pipe_run,
};
