/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/run_times.h"

#include "cli/select.h"
#include "host/pace.h"
#include "own/runs/times.h"
#include "prog/prog.h"
#include "prog/target.h"
#include "record/field.h"
#include "render/doc.h"
#include "render/frame.h"
#include "source/facts.h"
#include "source/source.h"

static size_t lapse_text(const void *rec, char *buf, size_t size)
{
	const struct run_times_rec *r = rec;

	return str_snprintf(buf, size, "%.2fs", (double)r->lapse_ns / NSEC_PER_SEC);
}

enum { L_PROG, L_TIMES };
static const struct field fields[] = {
	FIELD(run_times_rec, time, "time", "when it happened (the read)", .flags = FIELD_NOPLAIN),
	FIELD(run_times_rec, lapse_ns, "lapse_ns", "time since the previous read, at first since the beginning",
	      .unit = FU_NSEC, .plain = " in %", .col = 4, .text = lapse_text),
	FIELD(run_times_rec, id, "id", "id of the program", .also = "prog_id", .unit = FU_PROG, .plain = "%:"),
	FIELD(run_times_rec, type, "type", "type of the program", .role = ROLE_KIND, .also = "prog_type", .plain = " %",
	      .col = 1),
	FIELD(run_times_rec, name, "name", "name of the program, in full if it has BTF", .role = ROLE_NAME,
	      .also = "prog_name", .plain = "  name %", .col = 2, .flags = FIELD_NONZERO),
	FIELD(run_times_rec, run_cnt, "runs", "runs since the previous read", .plain = "  % run(s)", .col = 3),
	FIELD_IF(run_times_rec, run_avg_ns, has_times, "run_avg_ns", "average time of a run", .unit = FU_NSEC,
		 .plain = "average %ns", .line = L_TIMES),
	FIELD_IF(run_times_rec, p50_ns, has_times, "p50_ns",
		 "half of the runs took at most this time, within 4 percent", .unit = FU_NSEC, .plain = "  p50 %ns",
		 .line = L_TIMES, .col = 1),
	FIELD_IF(run_times_rec, p99_ns, has_times, "p99_ns",
		 "99 percent of the runs took at most this time, within 4 percent", .unit = FU_NSEC,
		 .plain = "  p99 %ns", .line = L_TIMES, .col = 2),
	FIELD_IF(run_times_rec, max_ns, has_times, "max_ns",
		 "time of the longest run, at most 7 percent more if an earlier one took longer", .unit = FU_NSEC,
		 .plain = "  max %ns", .line = L_TIMES, .col = 3),
	FIELD(run_times_rec, untimed, "untimed",
	      "runs that ended and were not timed: they began before, or interrupted the measurement",
	      .plain = "  % not timed", .line = L_TIMES, .col = 4, .flags = FIELD_NONZERO),
	FIELD_ROWS(run_times_rec, rows.bucket, rows.n, &schema_bucket, "buckets",
		   "without those that are empty at both ends", .flags = FIELD_NOPLAIN),
};
const struct schema schema_run_times = SCHEMA("run_times", run_times_rec, fields);

/* The @percent percent of @total, rounded up. */
static uint64_t share(uint64_t total, unsigned percent)
{
	return total / 100 * percent + (total % 100 * percent + 99) / 100;
}

static uint64_t percentile(const uint64_t *count, uint64_t total, unsigned percent)
{
	uint64_t left = share(total, percent);
	uint32_t slot = 0;

	while (slot < TIMES_SLOTS - 1 && count[slot] < left)
		left -= count[slot++];
	return times_least(slot) + (times_least(slot + 1) - times_least(slot)) / 2;
}

void run_times_set(struct run_times_rec *ret, const struct times_sum *old, const struct times_sum *now,
		   struct histogram *ret_g, struct arena *a)
{
	uint64_t *count = arena_array(a, TIMES_SLOTS, sizeof(*count)), log2[SLOTS_LOG2] = { 0 }, most = 0;

	ret->run_cnt = 0;
	for (uint32_t i = 0; i < TIMES_SLOTS; i++) {
		const uint64_t least = times_least(i);

		count[i] = now->count[i] - old->count[i];
		if (!count[i])
			continue;
		ret->run_cnt += count[i];
		log2[least ? 63 - __builtin_clzll(least) : 0] += count[i];
		most = times_least(i + 1) - 1;
	}
	slots_histogram(&(struct slots){ .log2 = true }, log2, SLOTS_LOG2, ret_g, a);
	ret->rows = histogram_rows(ret_g, a);
	ret->untimed = now->lost - old->lost;
	ret->has_times = ret->run_cnt ? AVAIL_YES : AVAIL_NO;
	if (!ret->run_cnt)
		return;
	ret->max_ns = most < now->most ? most : now->most;
	ret->run_avg_ns = (now->sum - old->sum) / ret->run_cnt;
	ret->p50_ns = percentile(count, ret->run_cnt, 50);
	ret->p99_ns = percentile(count, ret->run_cnt, 99);
	ret->p50_ns = ret->p50_ns < ret->max_ns ? ret->p50_ns : ret->max_ns;
	ret->p99_ns = ret->p99_ns < ret->max_ns ? ret->p99_ns : ret->max_ns;
}

struct measured {
	struct env *env;
	struct times times;
	struct times_sum sum[2]; /* the last two reads, which take turns */
	unsigned reads;
	struct run_times_rec rec;
	struct histogram g;
	struct frame frame;
	struct doc doc;
};

static void measured_draw(void *ctx, struct out *o)
{
	histogram_print(ctx, o);
}

static void measured_put(struct measured *m, struct doc *d)
{
	doc_record(d, &schema_run_times, &m->rec);
	doc_draw(d, measured_draw, &m->g);
}

/* Over the picture before. */
static void measured_frame(void *ctx, struct out *o)
{
	struct measured *m = ctx;
	struct out text;
	struct doc d;

	m->frame.out = o;
	frame_text(&m->frame, &text);
	doc_init(&d, &text, NULL, m->env->arena);
	d.folds = true;
	measured_put(m, &d);
	frame_draw(&m->frame, &text);
}

static int measured_read(struct measured *m, struct err *e)
{
	int err = times_read(&m->times, &m->sum[m->reads++ % 2]);

	return err ? err_sys(e, err, "program %u: cannot read the counters", m->rec.id) : 0;
}

static int measured_print(struct measured *m, uint64_t lapse_ns, bool drawn, struct err *e)
{
	ARENA_SCOPE(m->env->arena);
	char time[PACE_TIME];
	int err = measured_read(m, e);

	if (err)
		return err;
	m->rec.time = pace_time(time);
	m->rec.lapse_ns = lapse_ns;
	run_times_set(&m->rec, &m->sum[m->reads % 2], &m->sum[(m->reads - 1) % 2], &m->g, m->env->arena);
	if (drawn)
		doc_drawn(&m->doc, &schema_run_times, &m->rec, measured_frame, m);
	else
		measured_put(m, &m->doc);
	out_flush(m->env->report->out);
	return 0;
}

static int measured_begin(struct measured *m, const struct object_ref *prog, struct err *e)
{
	struct env *env = m->env;
	struct own own = { .never = env->opts->no_load, .debug = env->opts->debug };
	struct prog_rec rec;
	struct own_target at;
	CLEAN_FD fd = select_open(env, &kind_prog, prog, &m->rec.id, e);
	int err = fd < 0 ? fd : prog_read(env, env->keep, m->rec.id, NEED_BTF, &rec, e);

	if (!err)
		err = target_find(env, m->rec.id, fd, &at, e);
	if (!err)
		err = target_refused(times_attach(&m->times, &own, &at, facts_cpus(env->machine)), m->rec.id,
				     "--histogram", e);
	own_release(&own);
	source_idle(env->machine->src);
	if (err)
		return err;
	m->rec.type = rec.type;
	m->rec.name = rec.name;
	err = measured_read(m, e);
	/* Ends of runs that began before; other counts are of runs that began after. */
	m->sum[0] = (struct times_sum){ .lost = m->sum[0].lost };
	return err;
}

/* The wait may end early, as that of pace_wait(). */
static bool measured_wait(struct stop *s)
{
	while (!stop_wait(s, -1, -1))
		continue;
	return false;
}

/* After an interrupt the counters are read and printed once more. */
static int measured_looks(struct measured *m, uint64_t interval, uint32_t count, struct err *e)
{
	struct out *o = m->env->report->out;
	const bool drawn = interval && o->tty;
	struct pace pace;
	bool on = true;
	int err = pace_begin(&pace, interval);

	if (err)
		err_sys(e, err, "cannot wait");
	else if (!interval)
		env_waits(m->env, "counting");
	for (uint32_t shown = 0; !err && on && !out_dead(o);) {
		on = interval ? pace_wait(&pace) : measured_wait(&pace.stop);
		err = measured_print(m, pace_lap(&pace), drawn, e);
		on = on && ++shown != count;
	}
	pace_end(&pace);
	return err;
}

int run_times_measure(struct env *env, const struct object_ref *prog, uint64_t interval, uint32_t count, struct err *e)
{
	struct measured *m = arena_alloc(env->keep, sizeof(*m));
	int err;

	m->env = env;
	m->times = (struct times)TIMES_NONE;
	err = measured_begin(m, prog, e);
	if (!err) {
		env_doc(env, &m->doc);
		doc_stream(&m->doc, NULL);
		err = measured_looks(m, interval, count, e);
		doc_end(&m->doc);
		env_doc_end(env, &m->doc);
	}
	times_close(&m->times);
	return err;
}
