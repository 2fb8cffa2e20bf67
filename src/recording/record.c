/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/recording.h"

#include "base/message.h"
#include "cli/command.h"
#include "cli/kind.h"
#include "cli/select.h"
#include "host/caps.h"
#include "host/pace.h"
#include "host/stop.h"
#include "kernel/clock.h"
#include "kernel/perf/sampling.h"
#include "kernel/perf/sideband.h"
#include "own/own.h"
#include "prog/stats.h"
#include "recording/session.h"
#include "source/file/archive.h"
#include "source/live/source.h"
#include "source/file/recorder.h"

#define LOOK_MS 20  /* between two looks at waiting copies */
#define SETTLE_MS 5 /* until programs that are announced are also copied */
#define FILE_DEFAULT "bpflens.rec"
#define SIZE_LEAST (1u << 20) /* room for the data of one program */
#define RING_MOST (1u << 31)
#define QUEUE_RINGS 16 /* with a small ring, fewer copies wait in memory, too */

/* Take waiting copies, and change the file if it is full. */
static int file_continue(struct recording *r, struct err *e)
{
	int err = session_take(r, e);
	uint64_t cut;

	/* At the end there are only the cuts that were made before. */
	if (!err && session_file_full(r) && !r->next.file && (!r->ending || capture_is_cut(r->capture)))
		err = session_prepare(r, e);
	cut = !err && r->next.file ? capture_at_cut(r->capture) : 0;
	return cut ? session_change(r, cut, e) : err;
}

/* A command that is stopped may load programs until it has ended. */
static bool is_over(struct recording *r)
{
	const bool signalled = stop_wait(&r->stop, capture_fd(r->capture), LOOK_MS);
	bool over;

	if (signalled)
		stop_take(&r->stop);
	r->signalled |= signalled;
	over = r->signalled || (r->until && clock_ns(CLOCK_BOOTTIME) >= r->until);
	if (!r->opts->command.n)
		return over;
	if (signalled || (over && !r->command.due))
		spawn_stop(&r->command, &r->stop);
	return spawn_has_ended(&r->command) || spawn_overdue(&r->command);
}

/* Twice per second, everything recorded is written to the file, so that it can be read whatever happens to us. */
static int watch(struct recording *r, struct err *e)
{
	int err = 0;

	r->counted = clock_ns(CLOCK_BOOTTIME);
	r->due = r->counted + SESSION_APART;
	r->listed = r->catalog.n + r->code.changes;
	while (!err && !is_over(r))
		err = file_continue(r, e);
	return err;
}

static int size_parse(const char *text, const char *what, uint64_t max, uint64_t *ret, struct err *e)
{
	if (!text)
		return 0;
	if (num_parse_size(text, ret) || *ret < SIZE_LEAST || *ret > max)
		return err_usage(e, "'%.32s' is not a size of %s: bytes, or a number with K, M or G, from 1M to %lluG",
				 text, what, llu(max) >> 30);
	return 0;
}

static int record_options_parse(struct recording *r, struct err *e)
{
	const struct record_opts *o = r->opts;
	uint64_t ring = CAPTURE_RING;
	int err;

	if (!strcmp(o->file, "-"))
		return err_usage(
			e, "cannot record to standard output: the file is renamed into place when it is complete");
	err = size_parse(o->ring_size, "the ring", RING_MOST, &ring, e);
	if (!err)
		err = size_parse(o->max_size, "a file", ARCHIVE_MAX, &r->max_size, e);
	if (err)
		return err;
	if (o->max_files && !o->max_size)
		return err_usage(e, "--max-files needs --max-size: without it there is one file");
	if (o->max_files == 1)
		return err_usage(e, "--max-files 1 would keep nothing when a file is full: use at least 2");
	/* The kernel requires a power of two. */
	for (r->ring_size = SIZE_LEAST; r->ring_size < ring;)
		r->ring_size *= 2;
	return 0;
}

static int capture_begin(struct recording *r, struct err *e)
{
	struct own *own = source_live_own(r->env->machine->src);
	int err;

	if (!own)
		return err_usage(e, "record needs the running kernel, not a file");
	/* Before the capture, which would record the program that it tries. */
	poke_log_init(&r->pokes);
	poke_log_open(&r->pokes, own);
	err = capture_open(&r->capture, own,
			   &(struct capture_options){
				   .ring_size = r->ring_size,
				   .queue_size = r->ring_size < CAPTURE_RING ? (uint64_t)QUEUE_RINGS * r->ring_size : 0,
				   .batch_size = r->max_size / 2 });
	if (err == -ECANCELED)
		return err_hint(
			(err_set(e, err,
				 "record loads programs that see others being loaded, and --no-load forbids it"),
			 e),
			"omit --no-load, and unset BPFLENS_NO_LOAD");
	if (err == -ENOMEM)
		return err_hint((err_sys(e, err, "cannot see programs being loaded"), e),
				"a smaller --ring-size takes less memory");
	if (err && caps_locked_down(err))
		return err_set(e, err, "cannot see programs being loaded: %s", caps_load_failure(err));
	if (err)
		return err_hint(
			(err_sys(e, err, "cannot see programs being loaded"), e),
			"this needs Linux 5.10 with type information (CONFIG_DEBUG_INFO_BTF), and CAP_BPF and CAP_PERFMON or root");
	if (!capture_knows_insns(r->capture))
		message("bpflens: this kernel keeps instructions in an unknown form: calls and map references may be shown wrongly");
	err = audit_open(&r->audit, &r->code, &r->pokes);
	if (!err)
		return 0;
	message("bpflens: the kernel does not report programs (%s): it is unknown whether all were recorded",
		err_text(err));
	sideband_close(&r->pokes.ring);
	return 0;
}

static int command_begin(struct recording *r, struct err *e)
{
	const struct record_opts *o = r->opts;
	uint64_t seconds = 0;
	int err = o->seconds ? pace_parse(o->seconds, &seconds, e) : 0;

	if (!err && o->command.n)
		err = spawn(&r->command, o->command.word, o->command.n, &r->stop.before, e);
	if (!err && o->seconds)
		r->until = clock_ns(CLOCK_BOOTTIME) + seconds;
	return err;
}

static void counters_begin(struct recording *r)
{
	struct err why = { 0 };

	if (r->opts->no_counters)
		return;
	r->counting = counting_begin(r->env, &why);
	if (why.code)
		message("bpflens: %s: the file has no counters", why.msg);
	else
		counter_log_init(&r->counters, &r->catalog);
	counter_log_write(&r->counters);
}

static int samples_begin(struct recording *r, struct err *e)
{
	int err;

	if (!r->opts->hz)
		return 0;
	err = sampler_begin(&r->sampler, r->env->machine->src, r->opts->hz);
	return err ? sampling_error(err, e) : 0;
}

/* Files are not changed any more. The first signal is late, as the recording is ending; a second one aborts. */
static bool end_is_signalled(void *ctx)
{
	struct recording *r = ctx;

	session_read(r);
	if (r->signalled)
		return true;
	session_check_signal(r);
	return false;
}

/* Save what `save` saves, what came meanwhile, and all lists. */
static int finish(struct recording *r, struct err *e)
{
	uint64_t to;
	int err = 0;

	counter_log_write(&r->counters);
	list_log_write(&r->lists, true);
	/* Otherwise there would always be one more copy while programs are loaded. */
	to = r->audit.until = clock_ns(CLOCK_BOOTTIME);
	stop_wait(&r->stop, -1, SETTLE_MS);
	/* The last cut: a file that was prepared follows. */
	if (r->next.file)
		capture_cut(r->capture);
	r->ending = true;
	capture_stop(r->capture);
	session_read(r);
	while (!err && (capture_waits(r->capture) || (r->next.file && capture_is_cut(r->capture))) &&
	       !(r->signalled && stop_wait(&r->stop, -1, 0)))
		err = file_continue(r, e);
	if (err)
		return err;
	session_prepare_drop(r);
	r->due = UINT64_MAX;
	r->full = 0;
	sampler_end(r->sampler);
	map_call_log_next(r->calls, NULL);
	source_record_between(r->env->machine->src, end_is_signalled, r);
	session_save(r, false);
	err = session_take_all(r, true);
	if (err)
		return err_sys(e, err, "cannot read what was copied");
	err = session_file_end(r, to, true, e);
	if (!err)
		err = source_record_finish(r->catalog.file, e);
	if (!err)
		session_count(r);
	return err;
}

static int recording_run(struct recording *r, struct err *e)
{
	int err = record_options_parse(r, e);

	if (!err && r->opts->map.by)
		err = select_one(r->env, &kind_map, &r->opts->map, &r->map, e);
	if (!err)
		err = session_continue(r, e);
	if (!err)
		err = capture_begin(r, e);
	if (!err)
		err = session_file_begin(r, clock_ns(CLOCK_BOOTTIME), e);
	if (!err) {
		counters_begin(r);
		err = samples_begin(r, e);
	}
	if (!err)
		err = map_call_log_begin(&r->calls, r->env, r->catalog.own, r->map, e);
	if (!err)
		err = command_begin(r, e);
	if (!err) {
		if (!r->opts->command.n)
			env_waits(r->env, "recording to %s", session_path(r, r->file));
		source_record_keep(r->env->machine->src);
		err = watch(r, e);
	}
	spawn_end(&r->command);
	if (!err)
		err = finish(r, e);
	if (!err)
		session_summary(r);
	return err;
}

static int run_record(struct env *env, const void *opts, struct err *e)
{
	struct record_opts o = *(const struct record_opts *)opts;
	struct recording r = { .env = env, .opts = &o, .counting = -1 };
	int err;

	if (env->borrowed)
		return err_usage(e, "record cannot be used in a batch with --from");
	if (!o.file)
		o.file = FILE_DEFAULT;
	err = stop_begin(&r.stop);
	if (err)
		return err_sys(e, err, "record");
	err = recording_run(&r, e);
	env->report->status = r.command.status;
	sampler_close(&r.sampler);
	map_call_log_close(&r.calls);
	clean_fd(&r.counting);
	counter_log_release(&r.counters);
	list_log_release(&r.lists);
	capture_close(&r.capture);
	audit_close(&r.audit);
	poke_log_close(&r.pokes);
	code_log_release(&r.code);
	session_prepare_drop(&r);
	catalog_release(&r.catalog);
	stop_end(&r.stop);
	return err;
}

static const struct arg record_args[] = {
	ARG("--output", ARG_PATH, struct record_opts, file,
	    "output file, by default bpflens.rec; an existing file is replaced when the new one is complete",
	    .alias = "-o", .metavar = "FILE", .output = true),
	ARG("--seconds", ARG_STR, struct record_opts, seconds, "end after this number of seconds", .metavar = "N"),
	ARG("--ring-size", ARG_STR, struct record_opts, ring_size,
	    "bytes of the buffer for copies, 1M to 2G, by default 64M", .metavar = "SIZE"),
	ARG("--max-size", ARG_STR, struct record_opts, max_size,
	    "bytes, 1M to 4G, at which a file is completed; the next ones are FILE.1, FILE.2 and so on",
	    .metavar = "SIZE"),
	ARG("--max-files", ARG_U32, struct record_opts, max_files,
	    "with --max-size: keep the newest N files, those of earlier runs and the current one included",
	    .metavar = "N", .flags = ARG_NONZERO),
	ARG("--all", ARG_FLAG, struct record_opts, all, "programs that any process loads (default)", .alias = "-a",
	    .rejects = "--pid"),
	ARG("--pid", ARG_U32, struct record_opts, pid, "only programs that this process loads", .metavar = "PID",
	    .flags = ARG_NONZERO),
	ARG("--frequency", ARG_U32, struct record_opts, hz, "also sample what each CPU runs, HZ times per second",
	    .alias = "-F", .metavar = "HZ", .flags = ARG_NONZERO),
	ARG("--map", ARG_OBJECT, struct record_opts, map,
	    "also record each call of bpf(2) on this map, with the key and the value of the element", .metavar = "MAP",
	    .kind = &kind_map),
	ARG("--no-counters", ARG_FLAG, struct record_opts, no_counters,
	    "do not count runs and run time of programs, which are otherwise recorded every second"),
	ARG("--features", ARG_FLAG, struct record_opts, features,
	    "also try what the kernel can do, for `feature`, `doctor` and `object needs`: a thousand refused loads"),
	ARG("COMMAND", ARG_REST, struct record_opts, command, "run this command, and end with it", .metavar = "COMMAND",
	    .flags = ARG_LITERAL),
};

const struct command command_record = {
	.name = "record",
	.summary = "save the machine with every program that is loaded until it ends",
	.example = "record -o bpf.rec --seconds 0.5 -- sleep 0.1",
	.help = "Each program is copied while it is loaded, however short its life. Ends with COMMAND, whose exit status it returns, after "
		"--seconds, or when it is interrupted. --from reads the file; see bpflens-record(8).",
	.schema = &recorded_schema,
	.flags = CMD_READ | CMD_STREAM,
	ARGS(record_args, struct record_opts),
	.run = run_record,
};
