/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include "cli/command.h"
#include "cli/select.h"
#include "map/view/elem_table.h"
#include "map/view/inner_maps.h"
#include "map/view/pages.h"
#include "map/cmd/dump_maps.h"
#include "map/elem/assumed.h"
#include "map/elem/dead.h"
#include "map/elem/query.h"
#include "map/elem/socket.h"
#include "map/types.h"
#include "map/elem/walk.h"
#include "map/elem/xsk.h"
#include "render/doc.h"
#include "render/jsonw.h"
#include "render/render.h"
#include "types/value/format.h"

struct map_dump_opts {
	struct object_refs maps;
	struct query_opts query;
	struct pages_opts pages;
	struct assumed_opts types;
	struct arg_list format;
	const char *columns;
	bool list_columns, noheadings, exact, recurse, names, raw, dead;
};

static const struct arg dump_args[] = {
	ARG("MAP", ARG_OBJECT, struct map_dump_opts, maps, "maps; all maps with the name",
	    .flags = ARG_REQUIRED | ARG_POSITIONAL | ARG_REPEAT),
	ARG("--columns", ARG_STR, struct map_dump_opts, columns,
	    "a table of these members of key and value, with + in addition to the default ones", .alias = "-o",
	    .metavar = "[+]MEMBER,...", .offers = members_offer_columns, .rejects = "--recurse --names --raw type at"),
	ARG("--noheadings", ARG_FLAG, struct map_dump_opts, noheadings, "no heading line"),
	ARG("--list-columns", ARG_FLAG, struct map_dump_opts, list_columns, "list the members"),
	ARG("--exact", ARG_FLAG, struct map_dump_opts, exact,
	    "with -o: numbers as in memory, also for types like __be32"),
	QUERY_ARGS(struct map_dump_opts, query),
	DEAD_ARG(struct map_dump_opts, dead, .rejects = "--sum --max --avg"),
	ARG("--recurse", ARG_FLAG, struct map_dump_opts, recurse,
	    "for a map of maps: also the elements of the inner maps"),
	ARG("--names", ARG_FLAG, struct map_dump_opts, names,
	    "names of programs and devices, sockets and prefixes in addition to the bytes; JSON always has them"),
	FORMAT_ARG(struct map_dump_opts, format),
	ARG("--raw", ARG_FLAG, struct map_dump_opts, raw, "bytes, even if there are types",
	    .rejects = "--sum --max --avg --format key_type value_type from"),
	ASSUMED_ARGS(struct map_dump_opts, types, ASSUMED_FROM "; for an arena: of the type"),
	PAGES_ARGS(struct map_dump_opts, pages),
};

/* The destination of the elements. */
struct dump {
	struct env *env;
	struct doc doc;
	const struct map_dump_opts *opts;
	enum elem_look look;
	bool several;
	bool lines;		  /* ELEM_JSON of one map with --ndjson: a line for each element */
	bool objects;		  /* the same of several maps: a line for each map */
	size_t printed;		  /* number of maps printed, if there are several */
	struct elem_table *table; /* a table instead; or NULL */
	struct jsonw *w;	  /* ELEM_TYPED, ELEM_JSON */
	unsigned depth;		  /* nesting of the document around it */
	/* The present map. */
	struct query query;
	struct inner_maps inner;
	struct dead dead;
	uint64_t found, shown; /* elements with a value; elements printed */
	int failed;
	/* All maps. */
	size_t all_read, all_shown;
	struct err *e;
};

static void elem_line(struct dump *d, const struct elem_form *f, const unsigned char *key, int err)
{
	struct jsonw line, *document = d->w;

	jsonw_init(&line, d->env->report->out, false);
	d->w = &line;
	elem_json(f, &line, key, err);
	d->w = document;
	out_char(d->env->report->out, '\n');
}

static void elem_print(struct dump *d, const struct elem_form *f, const unsigned char *key, int err)
{
	switch (d->look) {
	case ELEM_HEX:
		return elem_hex(f, d->env->report->out, key, err);
	case ELEM_TYPED:
		return elem_put_typed(f, d->w, key, err);
	case ELEM_JSON:
		if (d->lines)
			return elem_line(d, f, key, err);
		return elem_json(f, d->w, key, err);
	}
}

static void elem_show(struct dump *d, const unsigned char *key, int err)
{
	d->found += !err;
	d->shown++;
	d->all_shown++;
	if (d->table)
		return elem_table_add(d->table, key, err);
	elem_print(d, &d->query.out, key, err);
}

static bool dump_elem(void *ctx, const unsigned char *key, int err)
{
	struct dump *d = ctx;

	d->all_read++;
	if (d->opts->dead && !dead_is(&d->dead, key, err))
		return true;
	key = query_take(&d->query, key, err);
	if (!key)
		return true;
	if (d->query.sorted) {
		d->failed = query_hold(&d->query, key, err, d->e);
		return !d->failed;
	}
	elem_show(d, key, err);
	return !d->query.limit || d->shown < d->query.limit;
}

static int walk_print(struct dump *d, struct walk *w, struct err *e)
{
	int err;

	d->e = e;
	err = walk_each(w, dump_elem, d, e);
	if (err || d->failed)
		return err ? err : d->failed;
	query_sort(&d->query);
	if (d->table && d->query.sort_row == ROW_CPU) {
		elem_table_by_cpu(d->table);
		d->all_shown += d->query.n;
		return 0;
	}
	for (size_t i = 0; i < d->query.n && !out_dead(d->env->report->out); i++) {
		const unsigned char *key = query_find_elem(&d->query, i, &err);

		elem_show(d, key, err);
	}
	return 0;
}

static int hex_dump(struct dump *d, struct walk *w, struct err *e)
{
	int err = walk_print(d, w, e);

	if (!err)
		out_fmt(d->env->report->out, "Found %llu element%s\n", llu(d->found), plural(d->found));
	return err;
}

/* The map's description before its elements, if there are several maps. The first one opens the document. */
static void map_head_print(struct dump *d, const struct map_rec *rec)
{
	struct schema head = schema_map;

	if (d->look == ELEM_HEX) {
		if (d->printed)
			out_char(d->env->report->out, '\n');
		render_plain_headline(d->env->report->out, &schema_map, rec);
		out_char(d->env->report->out, '\n');
		return;
	}
	if (!d->printed && !d->objects)
		jsonw_array(d->w);
	/* bpftool's header ends before the device. */
	head.n = (size_t)(schema_find(&schema_map, NULL, "dev", NULL) - schema_map.fields);
	jsonw_object(d->w);
	render_json_fields(d->w, &head, rec, 0, &d->env->report->unread);
	jsonw_name(d->w, "elements");
}

static void names_missing(struct dump *d, uint32_t id, int err)
{
	struct err why = { 0 };

	if (err == -ENODATA)
		map_unsaved_error(id, &why);
	else
		err_sys(&why, err, "map %u: cannot read its sockets", id);
	report_unread(d->env->report, &why);
}

/* The types of the map, and the elements chosen. */
static int elems_types(struct dump *d, const struct abi_map_info *info, struct walk *w, struct err *e)
{
	const struct map_dump_opts *o = d->opts;
	int err;

	walk_init(w, d->env, info);
	if (o->columns || o->list_columns)
		w->form.view = o->exact ? VIEW_OWN : VIEW_NAMED;
	if ((d->look != ELEM_HEX && !o->raw) || query_asks_types(&o->query) || o->dead)
		walk_types(w, d->look == ELEM_TYPED ? VALUE_TYPED : VALUE_FORMATTED, d->env->arena);
	err = o->raw ? 0 :
		       assumed_form(d->env, info, &o->types, d->look == ELEM_TYPED ? VALUE_TYPED : VALUE_FORMATTED,
				    &w->form, d->env->arena, e);
	if (!err && o->format.n)
		err = query_formats(&w->form, &o->format, d->env->machine, d->env->arena, e);
	if (!err)
		err = query_init(&d->query, &o->query, &w->form, d->env->arena, e);
	if (!err && o->dead)
		err = dead_init(&d->dead, d->env, info, &w->form, o->format.n, e);
	if (!err && d->env->opts->ndjson && !d->table)
		elem_form_unique(&d->query.out, d->env->arena);
	return err && e->code ? err_in(e, "map %u", info->id) : err;
}

/* Does --format name members? Then also those without types are shown. */
static bool formats_members(const struct map_dump_opts *o)
{
	return o->format.n > 1 || (o->format.n && strcmp(o->format.word[0], FORMAT_AUTO));
}

/* Begins to read and print the map's elements. */
static int elems_begin(struct dump *d, const struct abi_map_info *info, struct walk *w, struct err *e)
{
	const struct map_dump_opts *o = d->opts;
	int err = elems_types(d, info, w, e);

	if (!err && d->table)
		err = elem_table_map(d->table, &d->query, info->id, o->columns, d->several, e);
	if (!err && d->table) {
		err = walk_begin(w, e);
		if (!err)
			elem_table_open(d->table);
	}
	if (err || d->table)
		return err;
	if (o->raw)
		d->query.out.key = d->query.out.value = NULL;
	d->query.out.names = o->names || d->look == ELEM_JSON ? d->env : NULL;
	if (d->query.out.names) {
		d->query.out.sockets = sockets_find(d->env, info, &err);
		d->query.out.xsks = xsk_slots_find(d->env, info, &err);
	}
	if (err && o->names)
		names_missing(d, info->id, err);
	d->query.out.keys |= d->query.out.aggregate || formats_members(o);
	if (o->recurse && map_type(info->type)->flags & MAP_OF_MAPS) {
		d->inner = (struct inner_maps){ .env = d->env, .w = d->w, .look = d->look, .raw = o->raw };
		d->query.out.inner = inner_print;
		d->query.out.inner_ctx = &d->inner;
	}
	return walk_begin(w, e);
}

static int elems_print(struct dump *d, const struct map_rec *rec, struct walk *w, struct err *e)
{
	int err;

	if (d->several && !d->table)
		map_head_print(d, rec);
	d->printed++;
	d->found = d->shown = 0;
	d->failed = 0;
	if (d->look != ELEM_JSON && !d->opts->format.n && !d->opts->exact &&
	    !(d->opts->columns && *d->opts->columns != '+'))
		query_offer_auto(d->env, &d->query.out);
	if (d->table)
		return walk_print(d, w, e);
	if (d->look == ELEM_HEX)
		return hex_dump(d, w, e);
	if (d->lines) {
		d->env->report->streamed = true;
		return walk_print(d, w, e);
	}
	jsonw_array(d->w);
	err = walk_print(d, w, e);
	/* Also closes what an error left open. */
	jsonw_close(d->w, d->depth + d->several);
	return err;
}

/* Options for maps with elements only, or for arenas only. */
static int map_dump_check(const struct dump *d, const struct abi_map_info *info, struct err *e)
{
	const struct map_dump_opts *o = d->opts;
	bool elements = query_asks_types(&o->query) || o->query.limit || o->format.n || o->dead || o->recurse ||
			o->names || o->columns || o->list_columns || o->types.key || o->types.value;

	if (info->type == ABI_MAP_ARENA && elements)
		return err_usage(e, "map %u is an arena: it has no elements to filter", info->id);
	if (info->type != ABI_MAP_ARENA && pages_are_asked(&o->pages))
		return err_usage(e, "map %u is not an arena: types of its elements are key_type and value_type",
				 info->id);
	return 0;
}

static int arena_print(struct dump *d, const struct map_rec *rec, struct err *e)
{
	struct jsonw *w = d->lines ? NULL : d->w;
	int err;

	if (pages_are_asked(&d->opts->pages) || d->opts->types.from.by != TYPES_NONE)
		return d->several ? err_usage(e, "'at' reads a value of one arena, and several maps have that name") :
				    pages_value(d->env, &rec->info, &d->opts->pages, &d->opts->types.from, e);
	if (d->several)
		map_head_print(d, rec);
	d->printed++;
	if (w)
		jsonw_array(w);
	err = pages_dump(d->env, &rec->info, w, d->lines, e);
	if (w)
		jsonw_close(w, d->depth + d->several);
	return err;
}

static int map_dump_one(struct dump *d, const struct map_rec *rec, struct err *e)
{
	struct walk w;
	int err = map_can(rec->info.id, rec->info.type, VERB_DUMP, e);

	d->query = (struct query){ 0 };
	if (!err)
		err = map_dump_check(d, &rec->info, e);
	if (!err && rec->info.type == ABI_MAP_ARENA)
		return arena_print(d, rec, e);
	if (!err && d->opts->list_columns) {
		err = elems_types(d, &rec->info, &w, e);
		return err ? err : elem_table_columns(d->env, &d->query, rec->info.id, e);
	}
	if (!err)
		err = elems_begin(d, &rec->info, &w, e);
	if (!err)
		err = elems_print(d, rec, &w, e);
	query_release(&d->query);
	return err;
}

static int line_dump(struct dump *d, const struct map_rec *rec, struct err *e)
{
	struct jsonw line, *document = d->w;
	const size_t printed = d->printed;
	int err;

	jsonw_init(&line, d->env->report->out, false);
	d->w = &line;
	err = map_dump_one(d, rec, e);
	if (d->printed > printed) {
		jsonw_close(&line, 0);
		out_char(d->env->report->out, '\n');
		d->env->report->streamed = true;
	}
	d->w = document;
	return err;
}

/*
 * Maps that have gone meanwhile are left out; those that cannot be read are counted. It is an error if no map can be
 * read.
 */
static int map_dump_several(struct dump *d, const struct map_rec *recs, size_t n, struct err *e)
{
	struct err first = { 0 };
	size_t i;

	for (i = 0; i < n && !out_dead(d->env->report->out); i++) {
		ARENA_SCOPE(d->env->arena);
		struct err why = { 0 };
		int err = (d->objects ? line_dump : map_dump_one)(d, &recs[i], &why);

		if (!first.code)
			first = why;
		if (err && err != -ENOENT)
			report_unread(d->env->report, &why);
	}
	if (d->printed && d->w && !d->objects)
		jsonw_end(d->w);
	if (!d->printed && first.code)
		*e = first;
	return d->printed ? 0 : first.code;
}

/* Their results cannot be shown as bytes. */
static bool needs_types(const struct map_dump_opts *o)
{
	return o->query.sum || o->query.max || o->query.avg || formats_members(o) || assumed_are_asked(&o->types);
}

/* Reports an empty table, and text from which the filter removed all elements. */
static void none_said(const struct dump *d)
{
	const bool text = d->table ? elem_table_is_text(d->table) :
				     d->look != ELEM_JSON && (d->opts->query.filter || d->opts->dead);

	if (text && !d->all_shown)
		report_none(d->env->report, d->all_read);
}

static int table_run(struct dump *d, struct map_rec *recs, size_t n, struct selection *sel, struct err *e)
{
	int err;

	dump_maps_sort(recs, n, d->opts->query.sort);
	if (!d->opts->list_columns)
		d->table = elem_table_begin(d->env, !d->opts->noheadings);
	err = d->several && d->table ? map_dump_several(d, recs, n, e) : map_dump_one(d, recs, e);
	if (d->table) {
		elem_table_end(d->table);
		if (!err)
			none_said(d);
	}
	return err ? err : selection_end(sel, e);
}

static int map_dump_run(struct env *env, const void *opts, struct err *e)
{
	const struct map_dump_opts *o = opts;
	struct dump d = { .env = env, .opts = o, .look = elem_look(env) };
	struct map_rec *recs;
	struct selection sel;
	size_t n = 0;
	int err = selection_find(env, &kind_map, &o->maps, &sel, e);

	if (err)
		return err;
	d.several = selection_several(&sel);
	recs = arena_array(env->keep, sel.n, sizeof(*recs));
	err = dump_maps_read(env, &sel, recs, &n, e);
	if (err)
		return err;
	if (o->list_columns && n > 1)
		return err_usage(e, "--list-columns needs one map, got %zu", n);
	if (o->columns || o->list_columns)
		return table_run(&d, recs, n, &sel, e);
	if (d.look == ELEM_TYPED && (o->raw || (!needs_types(o) && !dump_maps_are_typed(env, recs, n))))
		d.look = ELEM_HEX;
	env_doc(env, &d.doc);
	d.w = d.look == ELEM_HEX ? NULL : doc_value(&d.doc, NULL);
	d.depth = d.w ? d.w->depth : 0;
	d.lines = d.look == ELEM_JSON && env->opts->ndjson && !d.depth && !d.several;
	d.objects = d.look == ELEM_JSON && env->opts->ndjson && !d.depth && d.several;
	err = d.several ? map_dump_several(&d, recs, n, e) : map_dump_one(&d, recs, e);
	if (d.look == ELEM_TYPED && d.w->values)
		out_char(env->report->out, '\n');
	if (!err)
		none_said(&d);
	return err ? err : selection_end(&sel, e);
}

const struct command map_dump = {
	.name = "dump",
	.summary = "print all elements of a map",
	.help = "Elements are printed by type if the map has types; otherwise keys and values are hexadecimal bytes. JSON has both; --ndjson "
		"prints each element on a line, or each map if there are several. If several maps have the name, each is printed with its description.\n"
		"-o prints a table of "
		"members, such as `-o saddr,value.bytes`; `-o +` prints all of them. A per-CPU map has a row for each CPU. JSON is then an array "
		"of rows, with the full names of members as in --list-columns. Members whose types have a byte order (__be16, __le16 and so on, "
		"struct in_addr and in6_addr) are numbers and addresses there, also in -Q and --sort; with --exact they are as in memory.\n-Q "
		"selects elements by their members: `key.saddr == 10.0.0.0/8 && value.bytes > 1M`, `value.comm =~ \"^nginx\"`, `value.state == "
		"RUNNING`, `value.hist[3] > 0`. Numbers may have a suffix K, M, G or T; addresses are compared with members of 4, 16 or 6 bytes in "
		"network order; keys and values of 1, 2, 4 or 8 bytes without a type are unsigned integers. An element of a per-CPU map is "
		"selected if the value of any CPU matches; with `cpu` in the filter, as in `cpu == 0 && value > 5`, a table has the rows of the CPUs "
		"for which it is true.\n--sum, --max and --avg combine the values of all CPUs into one, which -Q and --sort "
		"then use. Integers are added with 64 bits; everything else (text, bit fields, enumerators) is taken from the first CPU. --sort "
		"keeps the selected elements in memory, at most 256 MiB.\nFormats show the meaning of bytes where their type does not: `--format "
		"value.saddr=ip,key.port=be16`, or saddr=ip if only key or value has such a member; `--format auto` chooses them by names: "
		"types like __be16 and struct in_addr, and members that are addresses by their names, of 16 bytes, or of 4 in a struct with ports. A program can declare a format with "
		"__attribute__((btf_decl_tag(\"bpflens:ip\"))) after a member. Members with a format are text, those with be16 and be32 numbers, "
		"in plain output and in \"formatted\"; ktime is nanoseconds since boot. `map update` accepts the output of a tag's format or of "
		"its own --format; an ambiguous name of functions, devices or cgroups is an error.\nFor an arena, its present pages are printed as "
		"bytes, or with type one value in it.",
	.example = "map dump name counters",
	ARGS(dump_args, struct map_dump_opts),
	.flags = CMD_READ | CMD_TEXT,
	.run = map_dump_run,
};
