/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include "base/newfile.h"
#include "cli/command.h"
#include "render/items.h"
#include "cli/select.h"
#include "map/elem/assumed.h"
#include "map/elem/dead.h"
#include "map/elem/portable.h"
#include "map/elem/query.h"
#include "map/types.h"
#include "map/elem/walk.h"
#include "render/jsonw.h"

#define PROGRESS 4096u

struct export_opts {
	struct object_ref map;
	const char *path;
	struct arg_list format;
	struct assumed_opts types;
	bool hex, dead;
};

static const struct arg export_args[] = {
	ONE_MAP_ARG(struct export_opts, "the map"),
	ARG("file", ARG_PATH, struct export_opts, path,
	    "output file, created with mode 0600 when complete; - or none: standard output", .output = true),
	DEAD_ARG(struct export_opts, dead),
	ARG("--format", ARG_STR, struct export_opts, format,
	    "with --dead: what members name: pid, tgid, cgroup, netns or ifindex", .metavar = "MEMBER=FORMAT,...",
	    .flags = ARG_REPEAT, .offers = members_offer_format),
	ASSUMED_ARGS(struct export_opts, types, ASSUMED_FROM),
	ARG("--hex", ARG_FLAG, struct export_opts, hex, "bytes, even if the map has types"),
};

/* The destination of the elements: lines of @out, or an array in @w. */
struct export
{
	struct env *env;
	const struct map_rec *rec;
	const struct dead *dead; /* NULL: all elements */
	struct walk walk;
	struct portable_form form;
	struct out *out;
	struct jsonw *w;
	bool lines;
	uint64_t done;
	struct out scratch;
};

static void line_begin(struct export *x)
{
	if (x->lines)
		jsonw_init(x->w, x->out, false);
}

static void line_end(struct export *x)
{
	if (x->lines)
		out_char(x->out, '\n');
}

/* A key without a value is not exported; one whose value cannot be read is missing from the export. */
static bool elem_export(void *ctx, const unsigned char *key, int err)
{
	struct export *x = ctx;
	struct err why = { 0 };

	if (x->dead && !dead_is(x->dead, key, err))
		return true;
	if (err && err != -ENOENT) {
		err_sys(&why, err, "map %u: the value of a key", x->rec->info.id);
		report_unread(x->env->report, &why);
	}
	if (err)
		return true;
	line_begin(x);
	portable_write(&x->form, x->w, key, &x->scratch);
	line_end(x);
	if (!(++x->done % PROGRESS) && !x->out->tty)
		env_progress(x->env, "exported", x->done);
	return !out_dead(x->out);
}

static int elems_export(struct export *x, struct err *e)
{
	line_begin(x);
	portable_write_map(x->w, x->rec);
	line_end(x);
	return walk_each(&x->walk, elem_export, x, e);
}

static int to_stdout(struct export *x, struct err *e)
{
	struct items items;
	int err;

	items_begin(&items, x->env->report, true);
	x->lines = items.lines;
	x->out = x->env->report->out;
	x->w = item_begin(&items);
	err = elems_export(x, e);
	items_end(&items);
	return err;
}

static int to_file(struct export *x, const char *path, struct err *e)
{
	const struct globals *g = x->env->opts;
	struct newfile file;
	struct out out;
	struct jsonw w;
	int err = newfile_open(&file, path, e);

	if (!err) {
		out_init(&out, file.fd);
		jsonw_init(&w, &out, g->pretty);
		x->out = &out;
		x->w = &w;
		x->lines = !g->json || g->ndjson;
		if (!x->lines)
			jsonw_array(&w);
		err = elems_export(x, e);
		jsonw_close(&w, 0);
		if (!x->lines)
			out_char(&out, '\n');
		if (out_close(&out, err ? NULL : e) && !err)
			err = err_in(e, "%s", path);
		if (!err)
			err = newfile_finish(&file, e);
	}
	newfile_release(&file);
	return err;
}

/* The formats only say what members name: the text is that of any export. */
static int dead_choose(struct export *x, const struct export_opts *o, struct dead *ret, struct err *e)
{
	struct elem_form form = x->walk.form;
	int err = 0;

	if (!o->dead)
		return o->format.n ? err_usage(e, "'--format' needs '--dead'") : 0;
	if (o->format.n)
		err = query_formats(&form, &o->format, x->env->machine, x->env->keep, e);
	x->dead = ret;
	err = err ? err : dead_init(ret, x->env, &x->rec->info, &form, o->format.n, e);
	return err ? err_in(e, "map %u", x->rec->info.id) : 0;
}

static int export_run(struct env *env, const void *opts, struct err *e)
{
	const struct export_opts *o = opts;
	struct export x = { .env = env };
	struct map_rec rec;
	struct dead dead;
	uint32_t id;
	int err = select_one(env, &kind_map, &o->map, &id, e);

	if (!err)
		err = map_read(env, env->arena, id, NEED_BTF, &rec, e);
	if (!err)
		err = map_can(id, rec.info.type, VERB_EXPORT, e);
	if (err)
		return err;
	x.rec = &rec;
	walk_init(&x.walk, env, &rec.info);
	x.walk.form.view = VIEW_OWN;
	if (walk_has_types(&rec.info))
		walk_types(&x.walk, VALUE_FORMATTED, env->arena);
	err = assumed_form(env, &rec.info, &o->types, VALUE_FORMATTED, &x.walk.form, env->arena, e);
	if (err)
		return err_in(e, "map %u", id);
	portable_form_init(&x.form, &x.walk.form, rec.info.max_entries);
	portable_form_padding(&x.form, env->keep);
	x.form.hex = o->hex;
	/* Before the output is opened, so that nothing is written if the elements cannot be read. */
	err = dead_choose(&x, o, &dead, e);
	err = err ? err : walk_begin(&x.walk, e);
	if (err)
		return err;
	out_init(&x.scratch, -1);
	err = o->path && strcmp(o->path, "-") != 0 ? to_file(&x, o->path, e) : to_stdout(&x, e);
	out_close(&x.scratch, NULL);
	return err;
}

const struct command map_export = {
	.name = "export",
	.summary = "write all elements of a map, for import",
	.help = "The first line describes the map, each other line is an element, as JSON: by type if the map has types and the text converts back "
		"to the same bytes, with the bytes of padding that is not zero, otherwise as a list of bytes. -j and -p print one JSON array of "
		"the same objects.",
	.example = "map export name counters",
	ARGS(export_args, struct export_opts),
	.flags = CMD_READ | CMD_OURS,
	.run = export_run,
};
