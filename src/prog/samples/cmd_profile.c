/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/command.h"
#include "cli/env.h"
#include "cli/select.h"
#include "host/pace.h"
#include "host/stop.h"
#include "own/runs/profile.h"
#include "prog/samples/profile.h"
#include "prog/target.h"
#include "record/field.h"
#include "render/doc.h"
#include "source/facts.h"
#include "source/source.h"

struct profile_opts {
	struct object_ref prog;
	const char *duration;
	bool metric[METRICS];
};

#define METRIC(m, nm, hlp) ARG(nm, ARG_FLAG, struct profile_opts, metric[m], hlp)
enum { FIRST_METRIC = 2 }; /* its index in the arguments */
static const struct arg profile_args[] = {
	OPERAND(NULL, ARG_OBJECT, struct profile_opts, prog, "the program"),
	ARG("duration", ARG_STR, struct profile_opts, duration, "duration; until interrupted by default",
	    .metavar = "SECONDS"),
	METRIC(METRIC_CYCLES, "cycles", "cycles of the CPU"),
	METRIC(METRIC_INSTRUCTIONS, "instructions", "instructions; with cycles also per cycle"),
	METRIC(METRIC_L1D_LOADS, "l1d_loads", "loads from the level 1 data cache"),
	METRIC(METRIC_LLC_MISSES, "llc_misses",
	       "loads that miss the last-level cache; with instructions also per million of them"),
	METRIC(METRIC_ITLB_MISSES, "itlb_misses",
	       "instruction addresses that miss the TLB; with instructions also per million of them"),
	METRIC(METRIC_DTLB_MISSES, "dtlb_misses",
	       "data addresses that miss the TLB; with instructions also per million of them"),
	METRIC(METRIC_CPU_CLOCK, "cpu_clock", "nanoseconds; this and the following are counted on every machine"),
	METRIC(METRIC_TASK_CLOCK, "task_clock", "nanoseconds, by the clock of tasks"),
	METRIC(METRIC_PAGE_FAULTS, "page_faults", "page faults"),
	METRIC(METRIC_CONTEXT_SWITCHES, "context_switches", "context switches, in sleepable programs"),
};

struct profiled {
	struct env *env;
	uint32_t id;
	enum metric metric[PROFILE_EVENTS];
	struct profile_event event[PROFILE_EVENTS];
	size_t n;
};

static const char *metric_name(enum metric m)
{
	return profile_args[FIRST_METRIC + m].name;
}

static int metrics_choose(struct profiled *p, const struct profile_opts *o, struct err *e)
{
	size_t chosen = 0;

	for (unsigned m = 0; m < METRICS; m++) {
		if (o->metric[m] && p->n < PROFILE_EVENTS) {
			p->metric[p->n] = (enum metric)m;
			metric_event((enum metric)m, &p->event[p->n++]);
		}
		chosen += o->metric[m];
	}
	if (chosen > PROFILE_EVENTS)
		return err_usage(e, "too many (%zu) metrics, please specify no more than %d metrics at a time", chosen,
				 PROFILE_EVENTS);
	if (chosen)
		return 0;
	err_usage(e, "'profile' needs at least one metric");
	return err_hint(e, "cycles and instructions, or cpu_clock if the CPU does not count those");
}

/* Lists the metrics that cannot be counted, "cycles, instructions", and returns the error of the first. */
static void lacking_list(const struct profiled *p, struct str *ret, int *ret_why)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!p->event[i].err)
			continue;
		str_fmt(ret, "%s%s", ret->n ? ", " : "", metric_name(p->metric[i]));
		*ret_why = *ret_why ? *ret_why : p->event[i].err;
	}
}

static bool is_lack(int why)
{
	return why == -ENOENT || why == -EOPNOTSUPP || why == -ENODEV;
}

static int profile_events_open(struct profiled *p, struct profile *prof, struct own *own, struct err *e)
{
	STR names = { 0 };
	int why = 0, err = profile_open(prof, own, p->event, p->n, facts_cpus(p->env->machine));

	lacking_list(p, &names, &why);
	if (err && !why)
		return err_sys(e, err, "program %u: no room for events", p->id);
	if (!err && why)
		str_fit(p->env->report->note, sizeof(p->env->report->note),
			"the kernel does not count %s on this CPU: %s", names.p, err_text(why));
	if (!err)
		return 0;
	if (!is_lack(why))
		return err_sys(e, why, "cannot count %s", names.p);
	err_set(e, -EOPNOTSUPP, "the kernel does not count %s on this CPU", names.p);
	return err_hint(e, "cpu_clock counts nanoseconds on every machine, and so does `prog stats id %u`", p->id);
}

static int profile_begin(struct profiled *p, struct profile *prof, int fd, struct err *e)
{
	struct own own = { .never = p->env->opts->no_load, .debug = p->env->opts->debug };
	struct own_target at;
	int err = target_find(p->env, p->id, fd, &at, e);

	if (!err)
		err = profile_events_open(p, prof, &own, e);
	if (!err)
		err = target_refused(profile_attach(prof, &own, &at, p->event, p->n), p->id, "profiling", e);
	own_release(&own);
	source_idle(p->env->machine->src);
	return err;
}

static int profile_wait(const struct env *env, uint64_t ns, struct err *e)
{
	STOP stop = { .fd = -1 };
	int err = stop_begin(&stop);

	if (err)
		return err_sys(e, err, "cannot wait");
	env_waits(env, "counting");
	stop_wait(&stop, -1, ns ? (int)(ns / NSEC_PER_MSEC) : -1);
	return 0;
}

static void profile_print(struct profiled *p, uint64_t runs)
{
	struct env *env = p->env;
	struct metric_rec rec;
	struct doc d;

	env_doc(env, &d);
	doc_list(&d, NULL);
	doc_text(&d, arena_fmt(env->keep, "\n%18llu %-20s\n", llu(runs), "run_cnt"));
	for (size_t i = 0; i < p->n; i++) {
		metric_read(&rec, p->metric, p->event, p->n, i, runs, metric_name(p->metric[i]));
		doc_record(&d, &schema_metric, &rec);
	}
	doc_end(&d);
	env_doc_end(env, &d);
}

static int profile_run(struct env *env, const void *opts, struct err *e)
{
	const struct profile_opts *o = opts;
	struct profiled p = { .env = env };
	PROFILE prof = PROFILE_NONE;
	uint64_t ns = 0, runs;
	CLEAN_FD fd = -1;
	int err = metrics_choose(&p, o, e);

	if (!err && o->duration)
		err = pace_parse(o->duration, &ns, e);
	if (err)
		return err;
	fd = select_open(env, &kind_prog, &o->prog, &p.id, e);
	err = fd < 0 ? fd : profile_begin(&p, &prof, fd, e);
	if (!err)
		err = profile_wait(env, ns, e);
	if (err)
		return err;
	err = profile_sum(&prof, p.event, p.n, &runs);
	if (err)
		return err_sys(e, err, "program %u: cannot read the counters", p.id);
	profile_print(&p, runs);
	return 0;
}

const struct command prog_profile = {
	.name = "profile",
	.summary = "measure what the runs of a program cost the CPU",
	.help = "Counts events while the program runs, in the kernel only, until the duration is over or the command "
		"is interrupted. Then prints the counts, and their ratios to other metrics that were counted. Up to "
		"four metrics can be given; if the CPU has fewer counters they take turns, and the share of time in "
		"which each was counted is in parentheses. A virtual machine often has none: the clocks, page faults "
		"and context switches are counted everywhere.\nMeanwhile, two programs are attached to its entry and "
		"exit (fentry, fexit), which needs BTF and machine code of the program, and keeps it loaded. Their "
		"own cost is included. Runs that are interrupted by another run of the same program on the same CPU "
		"are omitted. If the kernel cannot attach programs to programs, use `stats` to measure time.",
	.schema = &schema_metric,
	ARGS(profile_args, struct profile_opts),
	.flags = CMD_WRITE,
	.run = profile_run,
};
