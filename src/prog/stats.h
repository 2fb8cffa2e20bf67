/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Defined also in stats_read.c and stats_saved.c. */

#include "base/base.h"

struct env;
struct schema;
/* Runs of programs between two reads of the kernel's counters. */

struct stats_seen { /* a program in a read */
	uint32_t id;
	uint64_t load_time; /* CLOCK_BOOTTIME, nanoseconds: a later program may have the same id */
	uint64_t run_cnt, run_time_ns, recursion_misses;
	const char *type, *name; /* owned by the look; name NULL: none */
};
struct stats_look {	     /* one read: all programs, ascending by id */
	struct arena *arena; /* of the strings */
	struct stats_seen *prog;
	size_t n, cap;
};
void stats_init(struct stats_look *l);
void stats_clear(struct stats_look *l); /* empties it, but keeps the memory */
void stats_release(struct stats_look *l);
const struct stats_seen *stats_find(const struct stats_look *l, uint32_t id); /* NULL: not found */
/* Adds a program, whose id must be higher than those before it. Its strings are copied. */
void stats_add(struct stats_look *l, const struct stats_seen *one);
/*
 * Reads a program and adds it, like stats_add(); type and name only if it is not in @before. 0, or -errno with a
 * message; -ENOENT: it is gone.
 */
int stats_read(struct env *env, uint32_t id, const struct stats_look *before, struct stats_look *l, struct err *e);
/*
 * Makes the kernel count runs until the descriptor is closed, which it returns; < 0 with @e clear: it counts anyway.
 * With @e set, it refuses.
 */
int counting_begin(struct env *env, struct err *e);

struct stats_rec {
	const char *time, *type, *name; /* time NULL: unknown */
	const char *change;		/* NULL: it was loaded at both reads */
	uint64_t lapse_ns, run_cnt, run_time_ns, recursion_misses, run_avg_ns;
	uint64_t load_time; /* as in struct stats_seen */
	uint32_t id;
	double runs_per_sec, cpu_percent;
	uint8_t has_counts, has_avg; /* enum avail */
};
extern const struct schema schema_stats;
/*
 * Its rows, for a record @T that has it as the member that @in names, with its dot. @more: FIELD_DEFAULT if the columns
 * that only `prog stats` shows by default are to be there.
 */
#define STATS_FIELDS(T, in, more) \
	FIELD(T, in time, "time", "when it happened (the read)", .flags = FIELD_SHORT), \
		FIELD(T, in lapse_ns, "lapse_ns", "time since the previous read", .unit = FU_NSEC), \
		FIELD(T, in id, "id", "id of the program", .also = "prog_id", .unit = FU_PROG, \
		      .flags = FIELD_DEFAULT), \
		FIELD(T, in type, "type", "type of the program", .role = ROLE_KIND, .also = "prog_type", \
		      .flags = (more), .drop = 3), \
		FIELD(T, in name, "name", "name of the program, in full if it has BTF", .role = ROLE_NAME, \
		      .also = "prog_name", .flags = FIELD_DEFAULT), \
		FIELD_IF(T, in run_cnt, in has_counts, "runs", "runs since the previous read", .was = "run_cnt", \
			 .flags = (more), .drop = 4), \
		FIELD_IF(T, in run_time_ns, in has_counts, "runs_ns", "run time since the previous read", \
			 .was = "run_time_ns", .unit = FU_NSEC, .flags = (more), .drop = 5), \
		FIELD_IF(T, in run_avg_ns, in has_avg, "run_avg_ns", "average time of a run", .unit = FU_NSEC, \
			 .flags = FIELD_DEFAULT, .drop = 2), \
		FIELD_IF(T, in runs_per_sec, in has_counts, "runs_per_sec", "runs per second", .title = "RUNS/S", \
			 .flags = FIELD_DEFAULT, .drop = 1), \
		FIELD_IF(T, in cpu_percent, in has_counts, "cpu_percent", "share of one CPU, in percent of its time", \
			 .title = "CPU%", .unit = FU_PERCENT, .flags = FIELD_DEFAULT | FIELD_ANSWER), \
		FIELD_IF(T, in recursion_misses, in has_counts, "runs_missed", \
			 "recursion_misses since the previous read", .was = "recursion_misses", \
			 .flags = FIELD_NONZERO | (more), .drop = 6), \
		FIELD(T, in change, "change", "kind of change: new or gone, if it was not loaded all the time", \
		      .role = ROLE_CHANGED, .flags = (more))
/*
 * Makes a record for each program in one of the looks, of its runs in the @lapse_ns nanoseconds (not 0) between them;
 * ascending by id, in the arena; strings belong to the looks. Returns the number of records.
 */
size_t stats_between(const struct stats_look *old, const struct stats_look *now, uint64_t lapse_ns, const char *time,
		     struct arena *a, struct stats_rec **ret);

/* Part of a recording, in nanoseconds since boot. */
struct stats_span {
	uint64_t from_ns, to_ns; /* 0, UINT64_MAX: all of it */
	uint64_t interval_ns;	 /* 0: all as one */
};
#define STATS_APART (60 * NSEC_PER_SEC) /* more than the time between two moments with counters */
/* Returns 0, or 1: enough. */
typedef int stats_pass(void *ctx, uint64_t lapse_ns, uint64_t boot_ns);
/*
 * For each interval of a recording, and what is left of the last one, sets @old and @now to the counters of its ends,
 * of those of the programs @ids that were loaded, and calls @pass with its length and end. 0, or -errno with a message;
 * -ENOENT: there are no counters.
 */
int stats_saved(struct env *env, const uint32_t *ids, size_t n, const struct stats_span *span, struct stats_look *old,
		struct stats_look *now, stats_pass *pass, void *ctx, struct err *e);
