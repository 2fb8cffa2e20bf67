/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "btf/btf.h"
#include "cli/command.h"
#include "cli/select.h"
#include "map/print.h"
#include "map/types.h"
#include "render/jsonw.h"
#include "render/render.h"
#include "source/elems.h"
#include "source/facts.h"

struct dump_opts {
	struct object_ref map;
};

static const struct arg dump_args[] = {
	{ .name = "MAP", .help = "one map, or all of that name", .type = ARG_OBJECT,
	  .flags = ARG_REQUIRED | ARG_POSITIONAL, .off = offsetof(struct dump_opts, map) },
};

/* Where the elements go. */
enum dump_mode { DUMP_HEX, DUMP_TYPED, DUMP_JSON };
struct dump {
	struct env *env;
	enum dump_mode mode;
	bool several;
	bool lines;			/* DUMP_JSON of one map with --ndjson: an element a line */
	size_t printed;			/* maps of several */
	struct jsonw *w;		/* DUMP_TYPED, DUMP_JSON */
	unsigned depth;			/* of the document we write into */
};

/* The map's contents as they are read: one batch at a time, in the arena behind mark. */
struct walk {
	const struct abi_map_info *info;
	struct elem_form form;
	struct elems batch;
	unsigned flags;			/* enum elems_flags of all batches so far */
	size_t mark;
};

static bool has_types(const struct abi_map_info *info)
{
	return info->btf_vmlinux_value_type_id || (info->btf_id && (info->btf_key_type_id || info->btf_value_type_id));
}

/* Where the types of its keys and values are. */
static int types_get(struct env *env, const struct abi_map_info *info, const struct btf_types **ret, struct err *e)
{
	if (!info->btf_vmlinux_value_type_id)
		return btf_get(env, info->btf_id, ret, e);
	return info->btf_vmlinux_id ? btf_get(env, info->btf_vmlinux_id, ret, e) : btf_get_vmlinux(env, ret, NULL, e);
}

/* Types that cannot be read are no reason to keep the bytes back. */
static void types_add(struct dump *d, struct walk *w)
{
	const struct abi_map_info *info = w->info;
	enum value_form form = d->mode == DUMP_TYPED ? VALUE_TYPED : VALUE_FORMATTED;
	bool kernel = info->btf_vmlinux_value_type_id;
	const struct btf_types *t;
	struct err why = { 0 };

	if (types_get(d->env, info, &t, &why))
		env_unread(d->env, &why);
	else
		elem_form_types(&w->form, t, kernel ? 0 : info->btf_key_type_id,
				kernel ? info->btf_vmlinux_value_type_id : info->btf_value_type_id, form, d->env->arena);
}

static int batch_get(struct dump *d, struct walk *w, struct err *e)
{
	const struct map_type *type = map_type(w->info->type);
	uint64_t bytes = elem_value_bytes(&w->form);
	uint32_t id = w->info->id;
	int err;

	arena_rewind(d->env->arena, w->mark);
	err = bytes > UINT32_MAX ? -EBADMSG :
	      elems_get(d->env->src, d->env->arena, id, w->form.key_size, (uint32_t)bytes, &w->batch);
	switch (err) {
	case 0:
		w->flags |= w->batch.head.flags;
		return 0;
	case -ENODATA:
		err_set(e, err, "map %u: its contents were not saved", id);
		return err_hint(e, "`save --map-data` keeps what is in the maps, too");
	case -EBADMSG:
		return err_set(e, err, "map %u: the elements do not have the sizes of its keys and values", id);
	default:
		err_sys(e, err, "map %u: cannot read its elements", id);
		return type->instead && err != -EPERM ? err_hint(e, "%s", type->instead) : err;
	}
}

/* So that nothing is printed for a map whose elements cannot be read, this asks for the first of them. */
static int walk_begin(struct dump *d, const struct abi_map_info *info, struct walk *w, struct err *e)
{
	*w = (struct walk){ .info = info };
	elem_form_init(&w->form, info, facts_cpus(d->env->facts));
	if (d->mode != DUMP_HEX && has_types(info))
		types_add(d, w);
	w->mark = arena_mark(d->env->arena);
	return batch_get(d, w, e);
}

static void elem_line(struct dump *d, const struct walk *w, const unsigned char *key, int err)
{
	struct jsonw line;

	jsonw_init(&line, d->env->out, false);
	elem_json(&w->form, &line, key, err);
	out_char(d->env->out, '\n');
}

static void elem_print(struct dump *d, const struct walk *w, const unsigned char *key, int err)
{
	switch (d->mode) {
	case DUMP_HEX:
		return elem_hex(&w->form, d->env->out, key, err);
	case DUMP_TYPED:
		return elem_typed(&w->form, d->w, key, err);
	case DUMP_JSON:
		if (d->lines)
			return elem_line(d, w, key, err);
		return elem_json(&w->form, d->w, key, err);
	}
}

/* A dump is no snapshot: the user hears of it where it shows. */
static void change_tell(struct dump *d, const struct walk *w)
{
	struct err why = { 0 };

	if (w->flags & ELEMS_CUT) {
		err_set(&why, -EAGAIN, "map %u changes faster than it can be read; elements are missing", w->info->id);
		env_unread(d->env, &why);
	} else if (w->flags & ELEMS_CHANGED && !d->env->note[0]) {
		snprintf(d->env->note, sizeof(d->env->note), "map %u changed while it was read; what came or went meanwhile may "
			 "be missing", w->info->id);
	}
}

/* All elements; *ret_found counts those that have a value. */
static int walk_print(struct dump *d, struct walk *w, uint64_t *ret_found, struct err *e)
{
	uint64_t found = 0;
	int err;

	for (;;) {
		const unsigned char *p = w->batch.elems;
		uint32_t i;

		for (i = 0; i < w->batch.head.count; i++, p += w->batch.stride) {
			int missing = elems_err(p);

			missing = missing > 0 || missing < -4095 ? -EBADMSG : missing;
			if (elem_skipped(&w->form, missing))
				continue;
			found += !missing;
			elem_print(d, w, elems_key(p), missing);
		}
		*ret_found = found;
		if (!*w->batch.cursor || out_dead(d->env->out)) {
			change_tell(d, w);
			return 0;
		}
		err = batch_get(d, w, e);
		if (err)
			return err;
	}
}

static int hex_dump(struct dump *d, struct walk *w, struct err *e)
{
	uint64_t found = 0;
	int err = walk_print(d, w, &found, e);

	if (!err)
		out_fmt(d->env->out, "Found %llu element%s\n", (unsigned long long)found, found == 1 ? "" : "s");
	return err;
}

/* Above the elements of one of several maps: who it is. The first one also opens the document. */
static void head_print(struct dump *d, const struct map_rec *rec)
{
	struct schema head = schema_map;

	if (d->mode == DUMP_HEX) {
		if (d->printed)
			out_char(d->env->out, '\n');
		render_plain_headline(d->env->out, &schema_map, rec);
		out_char(d->env->out, '\n');
		return;
	}
	if (!d->printed)
		jsonw_array(d->w);
	/* bpftool's header ends before the device. */
	head.n = (size_t)(schema_find(&schema_map, NULL, "dev", NULL) - schema_map.fields);
	jsonw_object(d->w);
	render_json_fields(d->w, &head, rec, 0, &d->env->unread);
	jsonw_name(d->w, "elements");
}

/* A map whose type says that there is nothing to walk. */
static int dumpable(const struct map_rec *rec, struct err *e)
{
	const struct map_type *type = map_type(rec->info.type);

	if (!type->why)
		return 0;
	err_set(e, -EOPNOTSUPP, "map %u: %s %s cannot be dumped: %s", rec->info.id,
		strchr("aeio", rec->type[0]) ? "an" : "a", rec->type, type->why);
	return err_hint(e, "%s", type->instead);
}

static int one_dump(struct dump *d, const struct map_rec *rec, struct err *e)
{
	uint64_t found;
	struct walk w;
	int err = dumpable(rec, e);

	if (!err)
		err = walk_begin(d, &rec->info, &w, e);
	if (err)
		return err;
	if (d->several)
		head_print(d, rec);
	d->printed++;
	if (d->mode == DUMP_HEX)
		return hex_dump(d, &w, e);
	if (d->lines) {
		d->env->streamed = true;
		return walk_print(d, &w, &found, e);
	}
	jsonw_array(d->w);
	err = walk_print(d, &w, &found, e);
	/* Also what an error left open. */
	jsonw_close(d->w, d->depth + d->several);
	return err;
}

/* Maps that are gone meanwhile are left out; those that cannot be read are counted, unless that is so for all of them. */
static int several_dump(struct dump *d, const struct map_rec *recs, size_t n, struct err *e)
{
	struct err first = { 0 };
	size_t i;

	for (i = 0; i < n && !out_dead(d->env->out); i++) {
		size_t mark = arena_mark(d->env->arena);
		struct err why = { 0 };
		int err = one_dump(d, &recs[i], &why);

		arena_rewind(d->env->arena, mark);
		if (!first.code)
			first = why;
		if (err && err != -ENOENT)
			env_unread(d->env, &why);
	}
	if (d->printed && d->w)
		jsonw_end(d->w);
	if (!d->printed && first.code)
		*e = first;
	return d->printed ? 0 : first.code;
}

static int recs_read(struct env *env, const uint32_t *ids, size_t n, struct map_rec *recs, size_t *ret_n, struct err *e)
{
	size_t i, found = 0;

	for (i = 0; i < n; i++) {
		struct err why = { 0 };
		int err = map_read(env, ids[i], 0, &recs[found], &why);

		if (!err) {
			found++;
		} else if (n == 1) {
			*e = why;
			return err;
		} else if (err != -ENOENT) {
			env_unread(env, &why);
		}
	}
	if (!found)
		return err_set(e, -ENOENT, "the maps are gone");
	*ret_n = found;
	return 0;
}

/* As bpftool: bytes for all if one has no types. */
static bool all_typed(struct env *env, const struct map_rec *recs, size_t n)
{
	const struct btf_types *t;
	struct err why = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		if (!has_types(&recs[i].info))
			return false;
	for (i = 0; i < n; i++) {
		if (types_get(env, &recs[i].info, &t, &why)) {
			env_unread(env, &why);
			return false;
		}
	}
	return true;
}

static int dump_run(struct env *env, const void *opts, struct err *e)
{
	const struct dump_opts *o = opts;
	struct dump d = { .env = env, .mode = env->jw ? DUMP_JSON : DUMP_TYPED, .w = env->jw };
	struct map_rec *recs;
	struct jsonw plain;
	const uint32_t *ids;
	size_t n;
	int err = select_objects(env, &kind_map, &o->map, &ids, &n, e);

	if (err)
		return err;
	d.several = n > 1;
	recs = arena_array(env->keep, n, sizeof(*recs));
	err = recs_read(env, ids, n, recs, &n, e);
	if (err)
		return err;
	if (d.mode == DUMP_TYPED && !all_typed(env, recs, n))
		d.mode = DUMP_HEX;
	if (d.mode == DUMP_TYPED) {
		jsonw_init(&plain, env->out, true);
		d.w = &plain;
	}
	d.depth = d.w ? d.w->depth : 0;
	d.lines = env->jw && env->opts->ndjson && !d.depth && !d.several;
	err = d.several ? several_dump(&d, recs, n, e) : one_dump(&d, recs, e);
	if (d.mode == DUMP_TYPED && plain.values)
		out_char(env->out, '\n');
	return err;
}

const struct command map_dump = {
	.name = "dump",
	.summary = "all elements of a map",
	.help = "Elements are decoded where the map has types; otherwise keys and values are printed as hexadecimal bytes. "
		"JSON has both; --ndjson prints an element a line. If several maps have the name, each is printed with its description.",
	.example = "map dump name counters",
	ARGS(dump_args),
	.opts_size = sizeof(struct dump_opts),
	.flags = CMD_READ | CMD_TEXT,
	.run = dump_run,
};
