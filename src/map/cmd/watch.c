/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include "cli/command.h"
#include "cli/interval.h"
#include "render/items.h"
#include "cli/select.h"
#include "map/elem/assumed.h"
#include "map/elem/query.h"
#include "map/elem/state.h"
#include "map/types.h"
#include "map/elem/walk.h"
#include "map/view/watch.h"
#include "source/source.h"
#include "host/pace.h"

struct watch_opts {
	struct object_ref map;
	struct assumed_opts types;
	const char *interval, *filter;
	struct arg_list format;
	uint32_t count, limit;
};

static const struct arg watch_args[] = {
	ONE_MAP_ARG(struct watch_opts, "the map"),
	INTERVAL_ARGS(struct watch_opts, "seconds between two reads; 1", "stop after N intervals"),
	ELEM_FILTER_ARG(struct watch_opts, filter, "only elements for which the expression is true"),
	ARG("--limit", ARG_U32, struct watch_opts, limit, "at most this many changes per interval", .metavar = "N",
	    .flags = ARG_NONZERO),
	FORMAT_ARG(struct watch_opts, format),
	ASSUMED_ARGS(struct watch_opts, types, ASSUMED_FROM),
};

struct watcher {
	struct env *env;
	const struct watch_opts *opts;
	struct map_rec map;
	struct query query;
	struct watch watch;
	struct state old, now;
	uint64_t begun[PACE_CLOCKS]; /* start of the last reading */
	struct items items;
	int failed;
	struct err *e;
};

static bool watch_elem(void *ctx, const unsigned char *key, int err)
{
	struct watcher *w = ctx;

	key = err ? NULL : query_take(&w->query, key, err);
	if (key)
		w->failed = state_add(&w->now, key, w->e);
	return !w->failed;
}

static int watch_look(struct watcher *w, struct err *e)
{
	struct lapse *lapse = &w->watch.changes.lapse;
	struct arena *a = w->env->arena;
	ARENA_SCOPE(a);
	struct walk walk;
	int err;

	w->e = e;
	memcpy(lapse->from, w->begun, sizeof(w->begun));
	pace_clocks(w->begun);
	state_clear(&w->now);
	walk_init(&walk, w->env, &w->map.info);
	err = walk_begin(&walk, e);
	if (!err)
		err = walk_each(&walk, watch_elem, w, e);
	err = err ? err : w->failed;
	pace_clocks(lapse->to);
	return err;
}

static void changes_print(struct watcher *w)
{
	const struct changes *c = &w->watch.changes;
	ARENA_SCOPE(w->env->arena);
	char time[PACE_TIME];

	w->watch.arena = w->env->arena;
	if (items_are_text(&w->items))
		watch_draw(&w->watch);
	pace_time(time);
	for (size_t i = 0; !items_are_text(&w->items) && i < c->n && (!w->opts->limit || i < w->opts->limit); i++) {
		ARENA_SCOPE(w->env->arena);
		struct watch_rec rec;

		change_read(&w->watch, time, &c->change[i], &rec);
		item_record(&w->items, &schema_change, &rec);
	}
	out_flush(w->env->report->out);
}

static int watch_loop(struct watcher *w, struct pace *pace, struct err *e)
{
	uint32_t looks = 0;
	int err;

	for (err = watch_look(w, e); !err; err = watch_look(w, e)) {
		struct state now = w->now;

		w->watch.lap = pace_lap(pace);
		w->watch.elems = now.n;
		if (looks)
			changes_find(&w->watch.changes, &w->old, &now, &w->watch.value);
		changes_print(w);
		w->now = w->old;
		w->old = now;
		if ((w->opts->count && looks == w->opts->count) || out_dead(w->env->report->out))
			break;
		looks++;
		source_idle(w->env->machine->src);
		if (!pace_wait(pace))
			break;
	}
	if (err == -ENOENT && looks) {
		err_clear(e);
		return err_set(e, err, "map %u no longer exists", w->map.info.id);
	}
	return err;
}

/* Types as in `map dump`; the values of all CPUs are added up where possible. */
static int watcher_init(struct watcher *w, struct err *e)
{
	struct arena *a = w->env->keep;
	struct query_opts q = { .filter = w->opts->filter };
	struct walk walk;
	int err;

	walk_init(&walk, w->env, &w->map.info);
	walk.form.view = VIEW_OWN;
	walk_types(&walk, VALUE_FORMATTED, a);
	err = assumed_form(w->env, &w->map.info, &w->opts->types, VALUE_FORMATTED, &walk.form, a, e);
	if (!err && w->opts->format.n)
		err = query_formats(&walk.form, &w->opts->format, w->env->machine, a, e);
	if (!err)
		err = query_init(&w->query, &q, &walk.form, a, e);
	if (!err && walk.form.cpus && elem_is_typed(walk.form.value, walk.form.value_size)) {
		q.sum = true;
		err = query_init(&w->query, &q, &walk.form, a, e);
	}
	if (err)
		return err_in(e, "map %u", w->map.info.id);
	w->watch.form = w->query.out;
	w->watch.form.key = elem_is_typed(walk.form.key, walk.form.key_size) ? w->query.in.key : NULL;
	if (!q.sum)
		w->watch.form.value = elem_is_typed(walk.form.value, walk.form.value_size) ? w->query.in.value : NULL;
	if (w->watch.form.value && !w->watch.form.cpus)
		leaves_find(&w->watch.value, w->watch.form.value, a);
	if (w->watch.form.key)
		leaves_find(&w->watch.key, w->watch.form.key, a);
	w->watch.differs = arena_array(a, w->watch.key.n, sizeof(bool));
	state_init(&w->old, w->watch.form.key_size, (size_t)elem_value_bytes(&w->watch.form));
	w->now = w->old;
	return 0;
}

static int watcher_run(struct watcher *w, struct err *e)
{
	struct env *env = w->env;
	uint64_t interval = NSEC_PER_SEC;
	struct pace pace;
	int err = watcher_init(w, e);

	if (!err && w->opts->interval)
		err = pace_parse(w->opts->interval, &interval, e);
	if (err)
		return err;
	w->watch.limit = w->opts->limit;
	w->watch.map = &w->map;
	w->watch.frame.out = env->report->out;
	items_begin(&w->items, env->report, !env->report->out->tty);
	err = pace_begin(&pace, interval);
	err = err ? err_sys(e, err, "cannot wait") : watch_loop(w, &pace, e);
	pace_end(&pace);
	items_end(&w->items);
	return err;
}

static int watch_run(struct env *env, const void *opts, struct err *e)
{
	struct watcher w = { .env = env, .opts = opts };
	uint32_t id;
	int err = walk_again(env, "watch", e);

	if (!err)
		err = select_one(env, &kind_map, &w.opts->map, &id, e);
	if (!err)
		err = map_read(env, env->arena, id, 0, &w.map, e);
	if (!err)
		err = map_can(w.map.info.id, w.map.info.type, VERB_WATCH, e);
	if (!err)
		err = watcher_run(&w, e);
	query_release(&w.query);
	changes_release(&w.watch.changes);
	state_release(&w.old);
	state_release(&w.now);
	return err;
}

const struct command map_watch = {
	.name = "watch",
	.summary = "show changes of a map, and their rates",
	.help = "Reads all elements repeatedly, and shows those that were added and removed, and the members of values that changed, by how much "
		"and how fast; the fastest first. On a terminal the screen is updated, and members that are the same for all keys are shown once, "
		"above the table. Elsewhere, and with --ndjson, each change is a line of JSON: time, change (new, gone or changed), key, and "
		"value, or members with old, value, delta and rate (per second). Elements of the first read are not reported. For per-CPU maps the "
		"sum of the values is used. --format is as for dump: a member with be16, be32, ktime or hex is a number with a rate. A number that "
		"is the time of writing, by one of the kernel's clocks, has no rate.\nChanges that cancel each other within an interval are not "
		"seen. The elements are kept in memory twice, at most 128 MiB each. An interrupt ends it with status 0.",
	.schema = &schema_change,
	.example = "map watch name counters interval 0.5 --count 10",
	ARGS(watch_args, struct watch_opts),
	.flags = CMD_READ | CMD_STREAM | CMD_OURS,
	.run = watch_run,
};
