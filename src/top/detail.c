/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/detail.h"

#include "base/paint.h"
#include "cli/env.h"
#include "cli/select.h"
#include "host/caps.h"
#include "kernel/clock.h"
#include "map/map.h"
#include "prog/prog.h"
#include "record/field.h"
#include "render/doc.h"
#include "source/source.h"

/* Maps take at most this part of a CPU. */
#define SHARE 100

struct top_map_rec {
	uint32_t id, max_entries;
	const char *type, *name;
	uint64_t entries, fill, bytes;
	double growth, bytes_growth, updates;
	uint8_t has_entries, has_fill, has_bytes, has_growth, has_bytes_growth, has_updates; /* enum avail */
};
static const struct field map_fields[] = {
	FIELD(top_map_rec, id, "id", "id of the map", .unit = FU_MAP, .flags = FIELD_DEFAULT),
	FIELD(top_map_rec, type, "type", "type of the map", .role = ROLE_KIND, .flags = FIELD_DEFAULT, .drop = 2),
	FIELD(top_map_rec, name, "name", "name of the map", .role = ROLE_NAME, .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD_IF(top_map_rec, entries, has_entries, "entries", "number of elements", .flags = FIELD_DEFAULT),
	FIELD(top_map_rec, max_entries, "max_entries", "maximum number of elements", .title = "MAX",
	      .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD_IF(top_map_rec, fill, has_fill, "fill", "elements in percent of max_entries", .title = "FILL%",
		 .unit = FU_PERCENT, .flags = FIELD_DEFAULT, .drop = 1),
	FIELD_IF(top_map_rec, growth, has_growth, "entries_per_sec", "growth in elements per second",
		 .title = "GROWTH/S", .flags = FIELD_DEFAULT | FIELD_ANSWER),
	FIELD_IF(top_map_rec, bytes, has_bytes, "bytes_memlock", "memory that it is charged for", .unit = FU_SIZE,
		 .title = "MEMORY", .flags = FIELD_DEFAULT),
	FIELD_IF(top_map_rec, bytes_growth, has_bytes_growth, "bytes_per_sec",
		 "growth of the memory in bytes per second", .title = "BYTES/S", .flags = FIELD_DEFAULT, .drop = 3),
	/* The last one: it is shown on demand. */
	FIELD_IF(top_map_rec, updates, has_updates, "updates_per_sec",
		 "calls of bpf(2) that changed elements in a second", .title = "UPDATES/S",
		 .flags = FIELD_DEFAULT | FIELD_ANSWER),
};
static const struct schema map_schema = SCHEMA("top_map", top_map_rec, map_fields);

static const struct map_seen *seen_find(const struct detail *d, uint32_t id)
{
	const size_t i = ARRAY_LOWER(d->nmaps, k, d->map[k].id < id);

	return i < d->nmaps && d->map[i].id == id ? &d->map[i] : NULL;
}

static double growth(uint64_t was, uint64_t is, uint64_t lapse_ns)
{
	return ((double)is - (double)was) * NSEC_PER_SEC / (double)lapse_ns;
}

static void map_fill(struct top_map_rec *r, const struct map_rec *m, const struct map_seen *was, uint64_t lapse_ns)
{
	*r = (struct top_map_rec){
		.id = m->info.id,
		.max_entries = m->info.max_entries,
		.type = m->type,
		.name = m->name,
		.entries = m->entries,
		.fill = m->fill,
		.bytes = m->memlock,
		.has_entries = m->has_entries,
		.has_fill = m->has_fill,
		.has_bytes = m->has_memlock,
	};
	if (!was || !lapse_ns)
		return;
	if (was->has_entries == AVAIL_YES && r->has_entries == AVAIL_YES) {
		r->growth = growth(was->entries, r->entries, lapse_ns);
		r->has_growth = AVAIL_YES;
	}
	if (was->has_bytes == AVAIL_YES && r->has_bytes == AVAIL_YES) {
		r->bytes_growth = growth(was->bytes, r->bytes, lapse_ns);
		r->has_bytes_growth = AVAIL_YES;
	}
}

static void updates_fill(struct top_map_rec *r, const struct event_log *l, uint64_t lapse_ns)
{
	uint64_t n;

	if (!lapse_ns)
		return;
	r->has_updates = event_log_changes(l, r->id, &n) ? AVAIL_YES : AVAIL_UNKNOWN;
	r->updates = growth(0, n, lapse_ns);
}

static void updates_lack(const struct event_log *l, struct out *o)
{
	if (l->why.code)
		screen_say("updates are not counted", l->why.msg, o);
	else if (!l->stream.calls)
		screen_say("updates are not counted",
			   l->stream.calls_why == -ECANCELED ? "--no-load forbids the BPF program that sees them" :
							       caps_load_failure(l->stream.calls_why),
			   o);
}

/* What grows fastest, then what takes most memory. */
static int map_order(const void *pa, const void *pb)
{
	const struct top_map_rec *a = *(const struct top_map_rec *const *)pa,
				 *b = *(const struct top_map_rec *const *)pb;

	return NUM_CMP(b->growth, a->growth) ?: NUM_CMP(b->bytes, a->bytes) ?: NUM_CMP(a->id, b->id);
}

static void maps_lack(const struct env *env, struct arena *a, struct out *o)
{
	const char *missing = report_missing(env->report, env->machine, a);

	if (missing)
		out_fmt(o, "not all could be read: %.200s\n", missing);
}

static void maps_table(struct detail *d, struct env *env, const uint32_t *ids, size_t n, uint64_t lapse_ns, bool counts,
		       struct out *o)
{
	const void **rec = arena_array(env->keep, n, sizeof(*rec));
	const char *columns[ARRAY_SIZE(map_fields)];
	const size_t ncolumns = ARRAY_SIZE(columns) - !counts;
	const struct view v = { .cols = columns, .ncols = ncolumns, .nusual = ncolumns };
	struct map_seen *seen = array_resize(NULL, n ? n : 1, sizeof(*seen));
	size_t got = 0;

	for (size_t i = 0; i < n; i++) {
		struct top_map_rec *r = arena_alloc(env->keep, sizeof(*r));
		struct map_rec m = { 0 };
		struct err why = { 0 };

		if (map_read(env, env->keep, ids[i], NEED_FDINFO | NEED_COUNT, &m, &why)) {
			if (why.code != -ENOENT)
				report_unread(env->report, &why);
			continue;
		}
		map_fill(r, &m, seen_find(d, ids[i]), lapse_ns);
		if (counts)
			updates_fill(r, &d->log, lapse_ns);
		seen[got] = (struct map_seen){ ids[i], m.has_entries, m.has_memlock, m.entries, m.memlock };
		rec[got++] = r;
	}
	free(d->map);
	d->map = seen;
	d->nmaps = got;
	if (got)
		qsort(rec, got, sizeof(*rec), map_order);
	for (size_t i = 0; i < ncolumns; i++)
		columns[i] = map_fields[i].name;
	if (counts)
		updates_lack(&d->log, o);
	screen_table(&map_schema, &v, rec, got, env->keep, o);
	maps_lack(env, env->keep, o);
}

static void maps_read(struct detail *d, struct top *t, uint64_t lapse_ns, bool counts, struct out *o)
{
	struct report report = report_inner(t->env->report);
	struct err why = { 0 };
	const uint32_t *ids;
	struct env one;
	size_t n;

	if (top_machine(t, &one, &report, &why) || select_all(&one, &kind_map, &ids, &n, &why))
		out_fmt(o, "%s\n", why.msg);
	else
		maps_table(d, &one, ids, n, lapse_ns, counts, o);
	env_close(&one);
	report_release(&report);
}

/* Calls are counted from one read to the next. */
static void maps_draw(struct detail *d, struct top *t, bool counts, struct out *o)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	const size_t from = o->n;

	if (counts != d->counts) {
		event_log_begin(&d->log, t);
		event_log_count(&d->log, counts);
		d->read_at = 0;
	}
	d->counts = counts;
	if (d->read_at && now - d->read_at <= SHARE * d->read_ns) {
		out_bytes(o, d->maps.p ? d->maps.p : "", d->maps.n);
		return;
	}
	maps_read(d, t, d->read_at ? now - d->read_at : 0, counts, o);
	if (counts)
		event_log_count_again(&d->log);
	d->read_at = now;
	d->read_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	str_reset(&d->maps);
	str_add(&d->maps, o->buf + from, o->n - from);
}

static void history_put(const struct history_prog *p, struct arena *a, struct out *o)
{
	const unsigned cells = out_columns(o) >= HISTORY_POINTS + 20 ? HISTORY_POINTS : HISTORY_POINTS / 2;

	out_paint(o, ROLE_BAR);
	out_str(o, rows_spark(&p->ring, cells, a));
	out_paint(o, ROLE_NONE);
	if (p->ring.n) {
		const struct history_point now = history_ring_at(&p->ring, p->ring.n - 1);

		out_fmt(o, " %.2f%%, %.0f runs/s", (double)now.cpu_percent, (double)now.runs_per_sec);
	}
	out_char(o, '\n');
}

/* A line for each place. */
static void places_put(const struct history_prog *p, struct out *o)
{
	for (const char *at = p->where; at && *at;) {
		const char *end = strstr(at, ", ");
		const size_t n = end ? (size_t)(end - at) : strlen(at);

		out_str(o, "at ");
		out_paint(o, ROLE_PLACE);
		out_textn(o, at, n);
		out_paint(o, ROLE_NONE);
		out_char(o, '\n');
		at = end ? end + 2 : NULL;
	}
	if (p->owner) {
		out_str(o, "owner ");
		out_paint(o, ROLE_OWNER);
		out_text(o, p->owner);
		out_paint(o, ROLE_NONE);
		out_char(o, '\n');
	}
}

static void prog_maps_put(struct env *env, const struct prog_rec *r, struct arena *a, struct out *o)
{
	static const char *const columns[] = { "id", "type", "name", "max_entries", "bytes_memlock" };
	struct view v = { .cols = (const char **)columns, .ncols = ARRAY_SIZE(columns), .nusual = ARRAY_SIZE(columns) };
	const void **rec = arena_array(a, r->nmap_ids, sizeof(*rec));
	size_t n = 0;

	for (uint32_t i = 0; i < r->nmap_ids; i++) {
		struct map_rec *m = arena_alloc(a, sizeof(*m));
		struct err why = { 0 };

		if (!map_read(env, a, r->map_ids[i], NEED_FDINFO, m, &why))
			rec[n++] = m;
		else
			out_fmt(o, "%s\n", why.msg);
	}
	if (n)
		screen_table(&schema_map, &v, rec, n, a, o);
}

static void prog_draw(struct top *t, uint32_t id, struct out *o)
{
	const struct history_prog *p = history_find(&t->history, id);
	ARENA a = arena_new();
	struct err why = { 0 };
	struct prog_rec r;
	struct doc d;

	if (!p || prog_read(t->env, a, id, NEED_BTF | NEED_FDINFO | NEED_STATS | NEED_USED, &r, &why)) {
		out_fmt(o, "program %u: %s\n", id, p && why.code != -ENOENT ? why.msg : "it is unloaded");
		return;
	}
	history_put(p, a, o);
	doc_init(&d, o, NULL, a);
	d.folds = true;
	doc_record(&d, &schema_prog, &r);
	places_put(p, o);
	prog_maps_put(t->env, &r, a, o);
	source_idle(t->env->machine->src);
}

void detail_read(struct detail *d, struct top *t, const struct screen *s, struct out *o)
{
	event_log_read(&d->log);
	if (s->mode != SCREEN_CODE)
		sampled_end(&d->sampled);
	if (s->mode == SCREEN_MAPS)
		maps_draw(d, t, s->counts && !t->head.from, o);
	else if (s->mode == SCREEN_PROG)
		prog_draw(t, s->shown, o);
	else if (s->mode == SCREEN_EVENTS)
		event_log_draw(&d->log, t, o);
	else if (s->mode == SCREEN_CODE)
		sampled_draw(&d->sampled, t, s->shown, o);
}

void detail_release(struct detail *d)
{
	event_log_release(&d->log);
	sampled_end(&d->sampled);
	free(d->map);
	str_release(&d->maps);
	*d = (struct detail){ .map = NULL };
}
