/* SPDX-License-Identifier: BSD-2-Clause */
#include "perf/attach.h"

#include "base/near.h"
#include "cli/env.h"
#include "cli/place.h"
#include "cli/select.h"
#include "perf/site.h"
#include "perf/usdt.h"
#include "source/facts.h"
#include "source/info.h"
#include "kernel/abi.h"
#include "kernel/names.h"
#include "kernel/perf/event.h"
#include "host/elf/symbols.h"
#include "host/tracefs.h"
#include "source/source.h"
#include "types/btf.h"

#define PREFIX "btf_trace_"

/* Does a module have the type? True also if that is unknown. */
static bool of_a_module(struct env *env, const char *type)
{
	struct err why = { 0 };
	const uint32_t *ids;
	size_t n;

	if (select_all(env, &kind_btf, &ids, &n, &why))
		return true;
	for (size_t i = 0; i < n; i++) {
		struct abi_btf_info info;
		const struct btf_types *t;
		uint32_t len;

		if (info_get(env->machine, env->arena, OBJECT_BTF, ids[i], &info, sizeof(info), &len) ||
		    !info.kernel_btf)
			continue;
		if (btf_get(env->machine, ids[i], &t, &why) || btf_find(t, type, BTF_KIND_TYPEDEF))
			return true;
	}
	return false;
}

/* Raw tracepoints of modules without BTF are found only here. */
static bool in_tracefs(struct env *env, const char *name)
{
	struct blob b;
	const char *text, *at;
	size_t len = strlen(name);

	if (ask_silently(env->machine, env->arena, &b, Q_TRACEPOINTS))
		return false;
	text = blob_text(env->arena, &b);
	for (at = text; (at = strstr(at, name)); at += len)
		if (at > text && at[-1] == ':' && (at[len] == '\n' || !at[len]))
			return true;
	return false;
}

/* False: the kernel's types do not have tracepoints. */
static bool near_names(const struct btf_types *t, const char *name, struct near *ret)
{
	bool any = false;

	for (uint32_t id = 1; id < btf_count(t); id++) {
		if (!btf_type(t, id) || btf_kind_of(btf_type(t, id)) != BTF_KIND_TYPEDEF ||
		    !str_starts(btf_name(t, id), PREFIX))
			continue;
		any = true;
		near_offer(ret, name, btf_name(t, id) + strlen(PREFIX));
	}
	return any;
}

/* Sets the message, with similar names if they are known. Returns -ENOENT. */
static int raw_tracepoint_missing(struct env *env, const char *name, struct err *e)
{
	const struct btf_types *t;
	struct err why = { 0 };
	struct near near = { 0 };

	err_set(e, -ENOENT, "there is no tracepoint %s", name);
	if (btf_get_vmlinux(env->machine, &t, NULL, &why) || !near_names(t, name, &near) || !near.n)
		return -ENOENT;
	return near_hint(&near, e);
}

/*
 * Inside the folder: names of raw tracepoints. The kernel or the module that has the tracepoint has a type
 * btf_trace_NAME. -ENOENT with a message: there is no raw tracepoint of this name. 0: there is one, or that is unknown.
 */
static int raw_tracepoint_check(struct env *env, const char *name, struct err *e)
{
	const char *type = arena_fmt(env->keep, PREFIX "%s", name);
	const struct btf_types *t;
	struct err why = { 0 };
	struct near near = { 0 };

	if (btf_get_vmlinux(env->machine, &t, NULL, &why) || btf_find(t, type, BTF_KIND_TYPEDEF) ||
	    !near_names(t, name, &near) || in_tracefs(env, name) || of_a_module(env, type))
		return 0;
	return raw_tracepoint_missing(env, name, e);
}

#define DEFAULT_FREQUENCY 99 /* Hz; not in step with events that occur 100 times a second */

static int check_program(struct env *env, const struct attach_request *q, const struct trace_site *s, struct err *e)
{
	struct abi_prog_info info;
	uint32_t len;
	const char *word;
	bool probe;
	int err = info_get(env->machine, env->arena, OBJECT_PROG, q->prog_id, &info, sizeof(info), &len);

	if (err)
		return err_sys(e, err, "program %u: cannot read info", q->prog_id);
	probe = s->hook->arg == ABI_PERF_TRACEPOINT && tracefs_event_is_probe(s->category, s->name);
	if (probe ? info.type == ABI_PROG_KPROBE : hook_takes(s->hook, info.type))
		return 0;
	word = names_of(&names_prog_type, info.type);
	err_set(e, -EINVAL, "program %u is of type %s: it cannot run at %s %s", q->prog_id, word ? word : "unknown",
		probe ? "the probe event" : "a", probe ? q->where : q->what);
	return probe ? err_hint(e, "events of kprobes and uprobes run programs of type kprobe") : e->code;
}

/* Options that do not apply to tracing are refused. */
static int check_request(const struct attach_request *q, const struct trace_site *s, struct err *e)
{
	const struct attach_event *v = &q->event;
	bool event = s->hook->arg == ABI_PERF_EVENT;

	if (q->multi || q->override || q->preorder || q->overwrite || q->position || q->revision)
		return err_usage(e, "programs at a %s have no run order and do not replace each other", q->what);
	if ((v->period || v->frequency || v->has_cpu) && !event)
		return err_usage(e, "a %s runs its program each time: period, frequency and cpu are for a perf_event",
				 q->what);
	if (v->period && v->frequency)
		return err_usage(e, "'period' and 'frequency' are mutually exclusive");
	if (v->pid && !event && !trace_is_uprobe(s->hook))
		return err_usage(e, "a %s applies to all processes: pid is for perf_event, uprobe and uretprobe",
				 q->what);
	if (!q->link && !q->hold && !q->dry_run) {
		err_set(e, -EOPNOTSUPP, "a program stays at a %s only as long as its link exists", q->what);
		return err_hint(e, "'hold' keeps the link until the command is interrupted, '--link PATH' pins it");
	}
	if (event && q->link && !v->pid && !v->has_cpu) {
		err_set(e, -EOPNOTSUPP, "a link holds the event of one CPU or of one process");
		return err_hint(e, "name it with 'cpu N' or 'pid N'; `attach ... hold` holds the events of all CPUs");
	}
	return 0;
}

static int wish_tracepoint(const struct trace_site *s, struct perf_wish *w, struct err *e)
{
	uint32_t id = 0;
	int err = tracefs_event_id(s->category, s->name, &id);

	w->type = 2;
	w->config = id;
	w->period = 1;
	if (err == -ENOENT)
		return err_set(e, err, "there is no tracepoint %s%s%s", s->category ? s->category : "",
			       s->category ? ":" : "", s->name);
	if (err == -ENOTUNIQ)
		return err_set(e, err, "several categories have a tracepoint %s: name one, CATEGORY:%s", s->name,
			       s->name);
	if (!err)
		return 0;
	err_sys(e, err, "cannot read the number of tracepoint %s from tracefs", s->name);
	return err_hint(e, "mount -t tracefs tracefs /sys/kernel/tracing; a raw_tracepoint needs no number");
}

static int wish_probe(struct env *env, const struct trace_site *s, struct perf_wish *w, struct err *e)
{
	const char *pmu = trace_is_uprobe(s->hook) ? "uprobe" : "kprobe";
	int err = trace_pmu(env, pmu, &w->type);

	if (err == -ENOENT)
		return err_set(e, -EOPNOTSUPP, "this kernel does not support %ss as perf events", pmu);
	if (err)
		return err_sys(e, err, "cannot determine whether this kernel supports %ss", pmu);
	w->config = s->hook->arg == ABI_PERF_KRETPROBE || s->hook->arg == ABI_PERF_URETPROBE;
	w->config1 = (uintptr_t)s->name;
	w->config2 = s->name ? s->offset : s->addr;
	return 0;
}

/* Clocks and cycles are sampled by default; of other events each one runs the program. */
static void wish_event(const struct trace_site *s, const struct attach_event *v, struct perf_wish *w)
{
	w->type = s->type;
	w->config = s->config;
	w->period = v->period;
	w->frequency = v->frequency;
	if (!v->period && !v->frequency && s->config <= 1 && s->type <= 1)
		w->frequency = DEFAULT_FREQUENCY;
	else if (!v->period && !v->frequency)
		w->period = 1;
}

static int wish(struct env *env, const struct attach_request *q, const struct trace_site *s, struct perf_wish *w,
		struct err *e)
{
	const struct attach_event *v = &q->event;

	*w = (struct perf_wish){ .pid = v->pid ? (int32_t)v->pid : -1,
				 .cpu = v->has_cpu ? (int32_t)v->cpu :
					v->pid	   ? -1 :
						     0 };
	if (v->pid > INT32_MAX || v->cpu > INT32_MAX) {
		err_usage(e, "there is no such process or CPU");
		return err_hint(e, "pid and cpu are at most %d", INT32_MAX);
	}
	if (s->hook->arg == ABI_PERF_TRACEPOINT)
		return wish_tracepoint(s, w, e);
	if (s->hook->arg == ABI_PERF_EVENT)
		wish_event(s, v, w);
	else if (s->hook->arg != HOOK_RAW_TRACEPOINT)
		return wish_probe(env, s, w, e);
	return 0;
}

/* The kernel does not choose between functions of one name. */
static int homonyms(struct env *env, const char *name, int err, struct err *e)
{
	const struct symbols *all = facts_symbols(env->machine);
	uint32_t n = 0;

	for (size_t i = 0; i < symbols_count(all); i++)
		n += !strcmp(symbols_at(all, i)->name, name);
	if (n < 2)
		return 0;
	err_set(e, err, "%u functions are named %s", n, name);
	return err_hint(e, "give an address, of those in /proc/kallsyms: 0xADDRESS");
}

static int event_refused(struct env *env, const struct attach_request *q, const struct trace_site *s, int err,
			 struct err *e)
{
	if (err == -EADDRNOTAVAIL && trace_is_kprobe(s->hook) && s->name && homonyms(env, s->name, err, e))
		return err;
	if (err == -ENOENT && trace_is_kprobe(s->hook))
		return err_set(e, err, "the kernel has no function %s", q->where);
	if (err == -ESRCH)
		return err_set(e, err, "there is no process %u", q->event.pid);
	if (err == -ENODEV && q->event.has_cpu)
		return err_set(e, err, "CPU %u is not online", q->event.cpu);
	if (s->hook->arg == ABI_PERF_EVENT && (err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV))
		return err_set(e, err, "this machine has no event %s", q->where);
	err_sys(e, err, "cannot create a %s at %s", q->what, q->where);
	if (err == -EINVAL && q->event.frequency)
		return err_hint(e, "kernel.perf_event_max_sample_rate limits the frequency");
	if ((err == -EINVAL || err == -ENOTSUPP || err == -EILSEQ) &&
	    (trace_is_kprobe(s->hook) || trace_is_uprobe(s->hook)))
		return err_hint(
			e, "a probe must be at the start of an instruction, and not every instruction can be probed");
	return e->code;
}

static int link_refused(const struct attach_request *q, int err, struct err *e)
{
	if (err == -EEXIST)
		return err_set(e, err, "program %u already runs at %s %s", q->prog_id, q->where, q->what);
	err_sys(e, err, "%s %s does not accept program %u", q->where, q->what, q->prog_id);
	if (err == -EINVAL && q->has_cookie)
		return err_hint(e, "perf events have links since Linux 5.15, raw tracepoints a cookie since 6.10");
	return err == -EINVAL ? err_hint(e, "perf events have links since Linux 5.15") : err;
}

/* One event and its link, which holds the event. */
static int make_link(struct env *env, const struct attach_request *q, const struct trace_site *s,
		     const struct perf_wish *w, int *ret_fd, struct err *e)
{
	CLEAN_FD event = perf_event_make(w);
	int fd;

	if (event < 0)
		return event_refused(env, q, s, event, e);
	fd = perf_event_link(event, q->prog_fd, q->cookie);
	if (fd < 0)
		return link_refused(q, fd, e);
	*ret_fd = fd;
	return 0;
}

static void close_held(void *p)
{
	close(*(int *)p);
}

/* One of several links: the first is returned to the caller, the others are closed with the command. */
static void hold_link(struct env *env, int fd, int *ret_fd)
{
	if (*ret_fd < 0)
		*ret_fd = fd;
	else
		arena_defer(env->keep, close_held, arena_dup(env->keep, &fd, sizeof(fd)));
}

/* A link for each place of the probe, as an event has one. */
static int usdt_events(struct env *env, const struct attach_request *q, const struct trace_site *s, struct perf_wish *w,
		       const struct uprobe_places *at, int *ret_fd, struct err *e)
{
	int err = 0, fd;

	if (q->link && at->n > 1) {
		err_set(e, -EOPNOTSUPP, "the probe is in %u places, and a link holds one", at->n);
		return err_hint(e, "'hold' keeps links of all of them until the command is interrupted");
	}
	for (uint32_t i = 0; i < at->n && !err; i++) {
		struct attach_request one = *q;

		if (at->counters[i] > UINT32_MAX)
			return err_set(e, -ERANGE, "the kernel cannot count users at offset 0x%llx",
				       llu(at->counters[i]));
		one.cookie = at->cookies[i];
		one.has_cookie = one.cookie;
		w->config2 = at->offsets[i];
		w->config = at->counters[i] << 32;
		err = make_link(env, &one, s, w, &fd, e);
		if (!err)
			hold_link(env, fd, ret_fd);
	}
	return err;
}

/*
 * The cookies are places in the map with the arguments, if the program has one. libbpf loads programs for links of many
 * places where the kernel has these, and for events elsewhere; which of the two is not reported.
 */
static int usdt_links(struct env *env, const struct attach_request *q, const struct trace_site *s, struct perf_wish *w,
		      const struct usdt_specs *specs, int *ret_fd, struct err *e)
{
	const uint32_t n = (uint32_t)s->usdt.n;
	uint64_t *offsets = arena_array(env->keep, n, sizeof(*offsets)),
		 *counters = arena_array(env->keep, n, sizeof(*counters)),
		 *cookies = arena_array(env->keep, n, sizeof(*cookies));
	const struct uprobe_places at = { s->name, offsets, counters, cookies, n, q->event.pid };
	int err = 0;

	for (uint32_t i = 0; i < n && !err; i++) {
		const struct usdt_probe *p = &s->usdt.probes[i];
		struct usdt_spec spec;
		uint32_t id = 0;

		offsets[i] = p->offset;
		counters[i] = p->semaphore_offset;
		cookies[i] = q->cookie;
		if (specs->fd < 0)
			continue;
		err = usdt_spec_make(&spec, p, s->usdt.machine, q->cookie, env->keep, e);
		if (!err && !q->dry_run)
			err = usdt_specs_put(specs, &spec, &id, e);
		cookies[i] = id;
	}
	if (err || q->dry_run)
		return err;
	*ret_fd = uprobe_multi_link(q->prog_fd, &at);
	if (*ret_fd == -EINVAL)
		return usdt_events(env, q, s, w, &at, ret_fd, e);
	return *ret_fd < 0 ? link_refused(q, *ret_fd, e) : 0;
}

static int usdt_attach(struct env *env, const struct attach_request *q, const struct trace_site *s, struct perf_wish *w,
		       int *ret_fd, struct err *e)
{
	struct usdt_specs specs;
	int err = usdt_specs_open(env, q, &specs, e);

	if (err)
		return err;
	err = usdt_links(env, q, s, w, &specs, ret_fd, e);
	if (specs.fd >= 0)
		close(specs.fd);
	return err;
}

/* An event belongs to one CPU. */
static int all_cpus(struct env *env, const struct attach_request *q, const struct trace_site *s, struct perf_wish *w,
		    int *ret_fd, struct err *e)
{
	uint32_t cpus = facts_cpus(env->machine), made = 0;
	struct err why = { 0 };

	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		int fd, err;

		err_clear(&why);
		w->cpu = (int32_t)cpu;
		err = make_link(env, q, s, w, &fd, &why);
		if (err == -ENODEV) /* not online */
			continue;
		if (err)
			return *e = why, err;
		made++;
		hold_link(env, fd, ret_fd);
	}
	if (!made)
		*e = why;
	return made ? 0 : why.code;
}

int trace_attach(struct env *env, const struct attach_request *q, struct attach_result *ret, struct err *e)
{
	struct trace_site s;
	struct perf_wish w;
	CLEAN_FD fd = -1;
	int err = trace_site_parse(env, q->where, q->what, &s, e);

	if (err)
		return err;
	err = check_request(q, &s, e);
	err = err ? err : check_program(env, q, &s, e);
	err = err ? err : wish(env, q, &s, &w, e);
	if (!err && q->dry_run && s.hook->arg == HOOK_RAW_TRACEPOINT)
		err = raw_tracepoint_check(env, s.name, e);
	if (!err && s.hook->arg == HOOK_USDT)
		err = usdt_attach(env, q, &s, &w, &fd, e);
	if (err || q->dry_run)
		return err;
	if (s.hook->arg == HOOK_USDT)
		return place_finish_link(env, q, fd, ret, e);
	if (s.hook->arg == HOOK_RAW_TRACEPOINT) {
		fd = raw_tracepoint_link(s.name, q->prog_fd, q->cookie);
		if (fd == -ENOENT)
			return raw_tracepoint_missing(env, s.name, e);
		err = fd < 0 ? link_refused(q, fd, e) : 0;
	} else if (s.hook->arg == ABI_PERF_EVENT && !q->event.pid && !q->event.has_cpu) {
		err = all_cpus(env, q, &s, &w, &fd, e);
	} else {
		err = make_link(env, q, &s, &w, &fd, e);
	}
	return err ? err : place_finish_link(env, q, fd, ret, e);
}
