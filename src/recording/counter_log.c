/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/counter_log.h"

#include "host/proc.h"
#include "kernel/clock.h"
#include "own/own.h"
#include "recording/answers.h"

void counter_log_init(struct counter_log *log, struct catalog *cat)
{
	*log = (struct counter_log){ .cat = cat };
}

void counter_log_release(struct counter_log *log)
{
	free(log->room[0].v);
	free(log->room[1].v);
	*log = (struct counter_log){ 0 };
}

void counter_log_next(struct counter_log *log)
{
	log->pieces = 0;
}

/* The kernel sums the counters of the CPUs one after another, so a sum may be less than the one read before. */
static uint64_t grown(uint64_t old, uint64_t now)
{
	return now > old ? now : old;
}

/* The counters of a program; all 0: it has not run, or has gone. */
static struct counter counter_read(struct catalog *cat, uint32_t id, const struct counter *before)
{
	struct abi_prog_info info;
	int err = answers_info(cat, id, &info);

	if (err && before)
		return *before;
	return (struct counter){
		.id = id,
		.run_cnt = grown(before ? before->run_cnt : 0, info.run_cnt),
		.run_time_ns = grown(before ? before->run_time_ns : 0, info.run_time_ns),
		.recursion_misses = grown(before ? before->recursion_misses : 0, info.recursion_misses),
	};
}

static void counters_read(struct counter_log *log, const uint32_t *ids, size_t n, struct counters *ret)
{
	struct counter *v = log->room[log->next].v;
	size_t i = 0;

	for (size_t k = 0; k < n && ret->n < COUNTERS_PROGS; k++) {
		const struct counter *before;

		for (; i < log->last.n && log->last.v[i].id < ids[k]; i++)
			;
		before = i < log->last.n && log->last.v[i].id == ids[k] ? &log->last.v[i] : NULL;
		if (own_has(log->cat->own, OBJECT_PROG, ids[k]) ||
		    (log->cat->only_pid && !catalog_has(log->cat, ids[k])))
			continue;
		v[ret->n] = counter_read(log->cat, ids[k], before);
		ret->n += v[ret->n].run_cnt || v[ret->n].run_time_ns || v[ret->n].recursion_misses;
	}
	ret->v = v;
}

static void moment_write(struct counter_log *log, const struct counters *now)
{
	const bool whole = log->pieces % COUNTERS_WHOLE == 0;
	STR text = { 0 };

	counters_put(&text, whole ? NULL : &log->last, now);
	source_record_again(log->cat->file, &(const struct asked){ Q_COUNTERS, log->pieces++ }, text.p, text.n);
}

static void room_make(struct counter_log *log, const struct blob *ids)
{
	const size_t n = ids->n / sizeof(uint32_t);

	if (n <= log->room[log->next].cap)
		return;
	log->room[log->next].v = array_resize(log->room[log->next].v, n, sizeof(struct counter));
	log->room[log->next].cap = n;
}

void counter_log_write(struct counter_log *log)
{
	struct counters now = { 0 };
	struct blob ids;

	if (!log->cat)
		return;
	ARENA_SCOPE(log->cat->scratch);
	if (source_record_peek(log->cat->file, &(const struct asked){ question_of(Q_IDS, OBJECT_PROG) },
			       log->cat->scratch, &ids))
		return;
	now.boot_ns = clock_ns(CLOCK_BOOTTIME);
	now.busy_ns = proc_busy_ns();
	room_make(log, &ids);
	counters_read(log, (const uint32_t *)ids.p, ids.n / sizeof(uint32_t), &now);
	moment_write(log, &now);
	log->last = now;
	log->next ^= 1;
}
