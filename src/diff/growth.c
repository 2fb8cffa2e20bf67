/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/growth.h"

#include <sys/stat.h>

#include "cli/columns.h"
#include "diff/rise.h"
#include "inventory/inventory.h"
#include "record/field.h"
#include "source/facts.h"
#include "source/lives.h"

#define STEPS 10 /* into which a recording is divided */
#define HOUR_NS (3600 * (double)NSEC_PER_SEC)

struct growth_rec {
	const char *kind, *type, *name, *owner;
	uint64_t objects, bytes, entries, bytes_per_hour;
	double objects_per_hour, entries_per_hour;
	const char *const *unit;
	uint32_t nunit;
	uint8_t has[AMOUNTS]; /* enum avail */
};

#define GROWTH_FIELD(m, name, help, ...) \
	FIELD(growth_rec, m, name, help, .flags = FIELD_DEFAULT | FIELD_NONZERO, ##__VA_ARGS__)
#define GROWTH_AMOUNT_FIELD(m, i, name, help, ...) \
	FIELD(growth_rec, m, name, help, .flags = FIELD_DEFAULT, FIELD_WHEN(growth_rec, has[i]), ##__VA_ARGS__)
static const struct field fields[] = {
	GROWTH_FIELD(kind, "kind", "kind: prog, map, link or btf", .names = &names_object_kind, .role = ROLE_KIND),
	GROWTH_FIELD(type, "type", "type of the objects", .role = ROLE_KIND, .drop = 4),
	GROWTH_FIELD(name, "name", "name of the objects; of links, that of their program", .role = ROLE_NAME),
	FIELD(growth_rec, objects, "nr_objects", "number of objects in the group (at the end)", .title = "OBJECTS",
	      .flags = FIELD_DEFAULT, .drop = 3),
	GROWTH_AMOUNT_FIELD(objects_per_hour, AMOUNT_OBJECTS, "objects_per_hour",
			    "growth of that number in an hour; null: it does not rise in every step",
			    .title = "OBJECTS_H"),
	GROWTH_AMOUNT_FIELD(bytes, AMOUNT_BYTES, "bytes",
			    "size (of the memory of all objects in the group, at the end)", .unit = FU_SIZE, .drop = 2),
	GROWTH_AMOUNT_FIELD(bytes_per_hour, AMOUNT_BYTES, "bytes_per_hour", "growth of that size in an hour",
			    .unit = FU_SIZE, .title = "BYTES_H"),
	GROWTH_AMOUNT_FIELD(
		entries, AMOUNT_ENTRIES, "entries",
		"number of elements; an array always has all of them (of all maps in the group, at the end)",
		.drop = 1),
	GROWTH_AMOUNT_FIELD(entries_per_hour, AMOUNT_ENTRIES, "entries_per_hour", "growth of that number in an hour",
			    .title = "ENTRIES_H"),
	GROWTH_FIELD(owner, "owner",
		     "a process that holds it, or else the link that attaches it, or a pin: of the newest object",
		     .role = ROLE_OWNER),
	FIELD_LIST(growth_rec, unit, nunit, FT_STR, "holder_unit",
		   "systemd units of the processes that hold it (the newest object)", .title = "UNIT",
		   .flags = FIELD_DEFAULT | FIELD_NONZERO, .drop = 5),
};
const struct schema growth_schema = SCHEMA("growth", growth_rec, fields);

static const char *const amount_words[AMOUNTS] = { "objects", "bytes", "entries" };

struct growing {
	struct env *env;
	const struct growth_opts *o;
	struct rises rises;
	struct listing list;
	const char *alone; /* one file; NULL: several */
	uint64_t limit[AMOUNTS];
	bool limited, has_limit[AMOUNTS];
};

/* "objects=10,bytes=1M" */
static int limits_parse(struct growing *g, struct err *e)
{
	const char *text = g->o->more_than;
	char *words, *word;

	if (!text)
		return 0;
	g->limited = true;
	words = arena_str(g->env->keep, text, SIZE_MAX);
	while ((word = strsep(&words, ","))) {
		char *number = strchr(word, '=');
		unsigned i = 0;

		if (number)
			*number++ = '\0';
		while (i < AMOUNTS && strcmp(word, amount_words[i]) != 0)
			i++;
		if (!number || i == AMOUNTS || num_parse_size(number, &g->limit[i])) {
			err_usage(e, "'--more-than' takes what grows and a number an hour, not '%.64s'", text);
			return err_hint(e, "--more-than objects=10,bytes=1M,entries=5000");
		}
		g->has_limit[i] = true;
	}
	return 0;
}

static struct value item_value(const struct item *it, const char *name)
{
	const struct schema *in;
	const struct field *f = schema_find(it->kind->schema, it->rec, name, &in);

	return f ? field_get(in, f, it->rec) : (struct value){ .avail = AVAIL_NO };
}

/* @then: at a moment of a recording, which does not have the number of elements then. */
static void item_add(struct growing *g, const struct item *it, bool then)
{
	const struct value entries = item_value(it, "entries"), owner = item_value(it, "owner"),
			   unit = item_value(it, "holder_unit");
	uint64_t bytes[MEM_SORTS];
	struct rising_object o = {
		.kind = it->kind->name,
		.object = it->kind->object,
		.type = it->label.type ? it->label.type : "",
		.name = it->label.name,
		.id = it->id,
		.owner = owner.avail == AVAIL_YES ? owner.s : NULL,
		.unit = unit.avail == AVAIL_YES ? unit.list.p : NULL,
		.nunit = unit.avail == AVAIL_YES ? unit.list.n : 0,
		.v = { [AMOUNT_OBJECTS] = 1, [AMOUNT_ENTRIES] = entries.avail == AVAIL_YES ? entries.u : 0 },
		.unknown = { [AMOUNT_ENTRIES] = then || entries.avail == AVAIL_UNKNOWN },
	};

	o.unknown[AMOUNT_BYTES] = !item_memory(it, bytes);
	for (unsigned i = 0; i < MEM_SORTS; i++)
		o.v[AMOUNT_BYTES] += bytes[i];
	rises_add(&g->rises, &o);
}

/* The objects of a machine as it was saved, or at a moment of a recording. */
static int moment_read(struct growing *g, struct env *one, struct err *e)
{
	const uint64_t at = one->machine->at_ns;
	struct inventory all = { 0 };
	struct rise_moment *m;
	int err;

	for (size_t i = 0; kinds[i]; i++)
		all.need[kinds[i]->object] = NEED_FDINFO | NEED_OWNER | NEED_UNITS | (at ? 0u : NEED_COUNT);
	err = inventory_read(one, false, &all, e);
	if (err)
		return err_hint(e, "the user who wrote the file was not allowed to list objects");
	m = rises_moment(&g->rises);
	m->boot = facts_boot_ns(one->machine);
	m->time = at ? m->boot + at : facts_asked_at(one->machine) * NSEC_PER_SEC;
	m->host = facts_host(one->machine);
	m->host = m->host ? arena_str(g->env->keep, m->host, SIZE_MAX) : NULL;
	/* What a recording lists, and has no facts of, has gone before it was asked about: a leak would have stayed. */
	for (size_t i = 0; kinds[i]; i++)
		if (all.unlisted[kinds[i]->object] || (at ? all.refused : all.unread)[kinds[i]->object])
			m->lacks |= 1u << kinds[i]->object;
	if (!m->time) {
		g->rises.moments--;
		return err_set(e, -ENODATA, "the file does not say when it was made");
	}
	/* Programs that were there at a moment may have gone later. */
	for (size_t i = 0; i < all.n; i++)
		if (item_uses_memory(&all.v[i]) || (at && all.v[i].rec && all.v[i].kind->object == OBJECT_PROG))
			item_add(g, &all.v[i], at != 0);
	return 0;
}

/* The moments from the beginning of a recording to its end, at which the lists are known. */
static size_t moments_find(const struct lives *l, const struct listed *listed, uint64_t ret[STEPS + 1])
{
	const uint64_t end = lives_end(l), step = (end - l->from) / STEPS;
	size_t n = 0;

	for (unsigned i = 0; i <= STEPS; i++) {
		const uint64_t wanted = l->from + step * i, known = listed ? listed_known_at(listed, wanted) : wanted,
			       at = known < end ? known : end;
		const bool is_near = n && at < ret[n - 1] + step / 2;

		if (is_near && i < STEPS)
			continue;
		/* The end replaces a moment just before it: nothing would rise in that step. */
		n -= is_near && n > 1;
		ret[n++] = at;
	}
	return n;
}

/* They lack the same, which is reported once. */
static int recording_read(struct growing *g, struct env *file, const struct lives *l, struct err *e)
{
	const struct listed *listed = facts_listed(file->machine);
	uint64_t at[STEPS + 1];
	const size_t n = moments_find(l, listed, at);
	bool reported = false;
	int err = 0;

	if (!listed)
		str_fit(g->env->report->note, sizeof(g->env->report->note),
			"this recording has the times of programs only: maps, links and types are not compared; "
			"archives that `save` made at several times have them");
	for (size_t i = 0; !err && i < n; i++) {
		ARENA keep = arena_new();
		struct report moment = report_inner(file->report);
		struct env env = *file, one;
		const char *path;

		env.keep = keep;
		env.report = &moment;
		err = env_other_at(&env, g->alone, arena_fmt(keep, "%lluns", llu(at[i] - l->from)), &one, &path, e);
		err = err ? err : moment_read(g, &one, e);
		if (!err)
			env_other_end(&one);
		if (!reported && (report_is_partial(&moment) || i + 1 == n)) {
			moment.note[0] = '\0'; /* the file has it */
			report_merge(file->report, &moment);
			reported = true;
		}
		report_release(&moment);
	}
	return err;
}

static int file_read(struct env *one, void *ctx, struct err *e)
{
	struct growing *g = ctx;
	const struct lives *l = g->alone ? facts_lives(one->machine) : NULL;

	return l ? recording_read(g, one, l, e) : moment_read(g, one, e);
}

static int files_read(struct growing *g, struct err *e)
{
	const struct arg_list *files = g->o->files;
	struct globals opts = *g->env->opts;
	struct env many = *g->env;
	/* Not for lines of JSON: their records would be made in other processes. */
	struct render none = { .ops = &render_table, .out = g->env->report->out, .arena = g->env->arena };
	struct stat st;

	if (files->n > FROMS_MAX) {
		err_usage(e, "%zu files are more than %u", files->n, FROMS_MAX);
		return err_hint(e, "a directory may have more");
	}
	for (size_t i = 0; i < files->n; i++) {
		opts.froms[i] = files->word[i];
		if (!strcmp(files->word[i], "live"))
			return err_usage(e, "'--growth' compares files: `save` writes one of the running kernel");
	}
	opts.nfroms = (unsigned)files->n;
	many.opts = &opts;
	g->alone = files->n == 1 && !stat(files->word[0], &st) && S_ISREG(st.st_mode) ? files->word[0] : NULL;
	return fleet_each(&many, &none, false, file_read, g, e);
}

static double per_hour(const struct growing *g, const struct rising *r, enum amount i)
{
	const double v = (double)(r->last[i] - r->first[i]) * HOUR_NS / (double)rises_ns(&g->rises);

	/* The times are in seconds, so more digits would have no meaning. */
	return v < 1e12 ? (double)(uint64_t)(v * 1000 + 0.5) / 1000 : v;
}

static bool growth_is_shown(const struct growing *g, const struct rising *r)
{
	for (unsigned i = 0; i < AMOUNTS; i++)
		if (r->rises[i] &&
		    (!g->limited || (g->has_limit[i] && per_hour(g, r, (enum amount)i) > (double)g->limit[i])))
			return true;
	return false;
}

static uint64_t growth_bytes(double v)
{
	return v < 1e19 ? (uint64_t)(v + 0.5) : UINT64_MAX;
}

static void rising_add(struct growing *g, const struct rising *r)
{
	struct growth_rec *rec = arena_alloc(g->env->keep, sizeof(*rec));

	*rec = (struct growth_rec){
		.kind = r->kind,
		.type = r->type,
		.name = *r->name ? r->name : NULL,
		.owner = r->owner,
		.objects = r->last[AMOUNT_OBJECTS],
		.bytes = r->last[AMOUNT_BYTES],
		.entries = r->last[AMOUNT_ENTRIES],
		.unit = r->unit,
		.nunit = r->nunit,
	};
	for (unsigned i = 0; i < AMOUNTS; i++)
		rec->has[i] = r->rises[i] ? AVAIL_YES : AVAIL_NO;
	if (r->rises[AMOUNT_OBJECTS])
		rec->objects_per_hour = per_hour(g, r, AMOUNT_OBJECTS);
	if (r->rises[AMOUNT_BYTES])
		rec->bytes_per_hour = growth_bytes(per_hour(g, r, AMOUNT_BYTES));
	if (r->rises[AMOUNT_ENTRIES])
		rec->entries_per_hour = per_hour(g, r, AMOUNT_ENTRIES);
	listing_add(&g->list, g->env, rec);
}

/* What grows most in memory, then in number, then in entries. */
static int by_growth(const void *pa, const void *pb)
{
	static const enum amount order[] = { AMOUNT_BYTES, AMOUNT_OBJECTS, AMOUNT_ENTRIES };
	const struct rising *a = *(struct rising *const *)pa, *b = *(struct rising *const *)pb;

	for (unsigned i = 0; i < ARRAY_SIZE(order); i++) {
		const enum amount k = order[i];
		const uint64_t x = a->rises[k] ? a->last[k] - a->first[k] : 0,
			       y = b->rises[k] ? b->last[k] - b->first[k] : 0;

		if (x != y)
			return x < y ? 1 : -1;
	}
	return strcmp(a->kind, b->kind) ?: strcmp(a->type, b->type) ?: strcmp(a->name, b->name);
}

int growth_run(struct env *env, const struct growth_opts *o, struct err *e)
{
	struct growing g = { .env = env, .o = o };
	int err;

	if (o->records->list_columns)
		return columns_print(env, &growth_schema, NULL, e);
	err = listing_init(&g.list, env, &growth_schema, NULL, o->records, e);
	if (g.list.render.ops == &render_plain)
		g.list.render.ops = &render_table;
	rises_init(&g.rises, env->keep);
	err = err ? err : limits_parse(&g, e);
	err = err ? err : files_read(&g, e);
	err = err ? err : rises_find(&g.rises, e);
	/* With an error, the report is not printed. */
	if (err && !e->hint[0] && env->report->refused.n)
		err_hint(e, "%.*s", (int)strcspn(env->report->refused.p, "\n"), env->report->refused.p);
	if (err)
		return err;
	if (g.rises.n)
		qsort(g.rises.v, g.rises.n, sizeof(*g.rises.v), by_growth);
	for (size_t i = 0; i < g.rises.n; i++)
		if (growth_is_shown(&g, g.rises.v[i]))
			rising_add(&g, g.rises.v[i]);
	listing_end(&g.list, 0);
	env->report->differs |= g.list.printed;
	if (g.rises.left_out)
		str_fit(env->report->note, sizeof(env->report->note),
			"%zu file%s from before the last boot %s left out", g.rises.left_out, plural(g.rises.left_out),
			g.rises.left_out == 1 ? "is" : "are");
	return 0;
}
