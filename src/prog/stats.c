/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/stats.h"

#include "record/field.h"

void stats_init(struct stats_look *l)
{
	*l = (struct stats_look){ .arena = arena_new() };
}

void stats_clear(struct stats_look *l)
{
	arena_clear(l->arena);
	l->n = 0;
}

void stats_release(struct stats_look *l)
{
	if (l->arena)
		arena_free(l->arena);
	free(l->prog);
	*l = (struct stats_look){ 0 };
}

static int by_prog_id(const void *key, const void *seen)
{
	const uint32_t a = *(const uint32_t *)key, b = ((const struct stats_seen *)seen)->id;

	return (a > b) - (a < b);
}

const struct stats_seen *stats_find(const struct stats_look *l, uint32_t id)
{
	return l->n ? bsearch(&id, l->prog, l->n, sizeof(*l->prog), by_prog_id) : NULL;
}

void stats_add(struct stats_look *l, const struct stats_seen *one)
{
	struct stats_seen *to;

	ARRAY_MORE(l->prog, l->n, l->cap);
	to = &l->prog[l->n++];
	*to = *one;
	to->type = arena_str(l->arena, one->type, SIZE_MAX);
	to->name = one->name ? arena_str(l->arena, one->name, SIZE_MAX) : NULL;
}

/* The kernel sums the counters of the CPUs one after another, so a sum may be less than the one read before. */
static uint64_t grown(uint64_t old, uint64_t now)
{
	return now > old ? now - old : 0;
}

static void counts_set(struct stats_rec *r, const struct stats_seen *old, const struct stats_seen *now)
{
	static const struct stats_seen nothing;

	old = old ? old : &nothing;
	r->run_cnt = grown(old->run_cnt, now->run_cnt);
	r->run_time_ns = grown(old->run_time_ns, now->run_time_ns);
	r->recursion_misses = grown(old->recursion_misses, now->recursion_misses);
	r->runs_per_sec = (double)r->run_cnt * NSEC_PER_SEC / (double)r->lapse_ns;
	r->cpu_percent = (double)r->run_time_ns * 100 / (double)r->lapse_ns;
	r->run_avg_ns = r->run_cnt ? r->run_time_ns / r->run_cnt : 0;
	r->has_counts = AVAIL_YES;
	r->has_avg = r->run_cnt ? AVAIL_YES : AVAIL_NO;
}

static bool is_same(const struct stats_seen *was, const struct stats_seen *is)
{
	return was->id == is->id && was->load_time == is->load_time;
}

size_t stats_between(const struct stats_look *old, const struct stats_look *now, uint64_t lapse_ns, const char *time,
		     struct arena *a, struct stats_rec **ret)
{
	struct stats_rec *rec = *ret = arena_array(a, old->n + now->n, sizeof(*rec));
	size_t i = 0, k = 0, n = 0;

	while (i < old->n || k < now->n) {
		const struct stats_seen *was =
			i < old->n && (k == now->n || old->prog[i].id <= now->prog[k].id) ? &old->prog[i] : NULL;
		const struct stats_seen *is =
			k < now->n && (!was || is_same(was, &now->prog[k])) ? &now->prog[k] : NULL;
		const struct stats_seen *words = is ? is : was;

		rec[n] = (struct stats_rec){
			.time = time,
			.lapse_ns = lapse_ns,
			.id = words->id,
			.load_time = words->load_time,
			.type = words->type,
			.name = words->name,
			.change = !was ? "new" :
				  !is  ? "gone" :
					 NULL,
		};
		if (is)
			counts_set(&rec[n], was, is);
		i += was != NULL;
		k += is != NULL;
		n++;
	}
	return n;
}

static const struct field fields[] = { STATS_FIELDS(stats_rec, , FIELD_DEFAULT) };
const struct schema schema_stats = SCHEMA("stats", stats_rec, fields);
