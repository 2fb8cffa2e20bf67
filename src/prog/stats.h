/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_STATS_H
#define PROG_STATS_H

#include <stddef.h>
#include <stdint.h>

struct prog_rec;
struct schema;
struct arena;
/* What programs did between two looks at what the kernel has counted of them. */

struct stats_seen { /* a program at a look */
	uint32_t id;
	uint64_t run_cnt, run_time_ns, recursion_misses;
	const char *type, *name; /* of the look; name NULL: it has none */
};
struct stats_look {	     /* all of them, ascending by id */
	struct arena *arena; /* of the words */
	struct stats_seen *prog;
	size_t n, cap;
};
void stats_init(struct stats_look *l);
void stats_clear(struct stats_look *l); /* empty, memory kept */
void stats_release(struct stats_look *l);
const struct stats_seen *stats_find(const struct stats_look *l, uint32_t id); /* NULL: it is not there */
/* One more, with a higher id than those before it. Its words are @before's, of another look; NULL: @r's. */
void stats_add(struct stats_look *l, const struct prog_rec *r, const struct stats_seen *before);

struct stats_rec {
	const char *time, *type, *name;
	const char *change; /* NULL: it was there at both looks */
	uint64_t lapse_ns, run_cnt, run_time_ns, recursion_misses, run_avg_ns;
	uint32_t id;
	double runs_per_sec, cpu_percent;
	uint8_t has_counts, has_avg; /* enum avail */
};
extern const struct schema schema_stats;
/*
 * What programs did in the @lapse_ns nanoseconds (not 0) between the looks: a record for each that is in one of them,
 * by id, in the arena; words are the looks'. Returns how many.
 */
size_t stats_between(const struct stats_look *old, const struct stats_look *now, uint64_t lapse_ns, const char *time,
		     struct arena *a, struct stats_rec **ret);

#endif
