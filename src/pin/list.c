/* SPDX-License-Identifier: BSD-2-Clause */
#include "pin/list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"
#include "cli/command.h"
#include "host/caps.h"
#include "host/pins.h"
#include "pin/pin.h"
#include "record/field.h"
#include "record/view.h"
#include "render/render.h"
#include "source/facts.h"
#include "source/source.h"

static const struct field pin_fields[] = {
	FIELD(struct pin_rec, path, "path", "where it is pinned", .role = ROLE_PLACE, .flags = FIELD_DEFAULT),
	FIELD(struct pin_rec, kind, "kind", "what sort of object it is", .role = ROLE_KIND, .flags = FIELD_DEFAULT),
	FIELD(struct pin_rec, id, "id", "id of the object", .flags = FIELD_DEFAULT),
	FIELD(struct pin_rec, type, "type", "type of the object", .role = ROLE_KIND, .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD(struct pin_rec, name, "name", "name of the object", .role = ROLE_NAME, .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD(struct pin_rec, pid, "pid", "process through whose mount namespace the path leads, if it is not ours", .unit = FU_PID,
	      .flags = FIELD_NONZERO),
};
const struct schema pin_schema = SCHEMA("pin", struct pin_rec, pin_fields);

struct list_opts {
	const char *path, *filter;
	bool tree;
};

static int by_path(const void *pa, const void *pb)
{
	const struct pin_rec *a = pa, *b = pb;

	return strcmp(a->path, b->path);
}

bool pin_is_below(const char *path, const char *dir)
{
	size_t n = dir ? strlen(dir) : 0;

	while (n && dir[n - 1] == '/')
		n--;
	return !n || (!strncmp(path, dir, n) && (!path[n] || path[n] == '/'));
}

static struct pin_rec describe(struct env *env, const struct pin *p)
{
	const struct kind *k = kind_of(p->kind);
	struct pin_rec r = { .path = p->path, .kind = object_kind_names[p->kind], .id = p->id, .pid = p->pid };
	struct err why = { 0 };
	const char *tag;

	/* What cannot be looked at is still pinned. */
	if (k)
		k->label(env, env->arena, p->id, &r.type, &r.name, &tag, &why);
	return r;
}

/* Returns how many there are. */
static size_t tell_unread(struct env *env, const char *dir)
{
	const struct pin_unread *u;
	size_t i, told = 0, n = facts_unread_pins(env->machine, &u);

	for (i = 0; i < n; i++) {
		struct err why = { 0 };

		if (!pin_is_below(u[i].path, dir))
			continue;
		err_sys(&why, u[i].err, "%s", u[i].path);
		report_unread(env->report, &why);
		told++;
	}
	return told;
}

static int collect(struct env *env, const struct list_opts *o, const struct view *v, struct pin_rec **ret, size_t *ret_n,
		   struct err *e)
{
	const struct pin *pins;
	struct pin_rec *recs;
	size_t i, n, found = 0, there = 0;
	int err = facts_all_pins(env->machine, &pins, &n);

	if (err) {
		err_sys(e, err, "cannot list pins");
		return env->machine->src->ops->saved ? err : proc_explain(e);
	}
	recs = arena_array(env->keep, n, sizeof(*recs));
	for (i = 0; i < n; i++) {
		bool twice = i && pins[i].kind == pins[i - 1].kind && pins[i].id == pins[i - 1].id &&
			     !strcmp(pins[i].path, pins[i - 1].path);

		if (twice || !pin_is_below(pins[i].path, o->path))
			continue;
		there++;
		recs[found] = describe(env, &pins[i]);
		found += view_match(v, &pin_schema, &recs[found]);
	}
	there += tell_unread(env, o->path);
	if (o->path && !there)
		return err_set(e, -ENOENT, "nothing is pinned at %s or below it", o->path);
	qsort(recs, found, sizeof(*recs), by_path);
	*ret = recs;
	*ret_n = found;
	if (!env->machine->src->ops->saved && !pins_mounted())
		snprintf(env->report->note, sizeof(env->report->note), "no bpffs is mounted here: `mount -t bpf bpf /sys/fs/bpf` makes one");
	else if (facts_unseen_pins(env->machine))
		snprintf(env->report->note, sizeof(env->report->note), "pins in mount namespaces of some processes cannot be seen: %s",
			 strerror(-facts_unseen_pins(env->machine)));
	return 0;
}

static void print_records(struct env *env, const struct pin_rec *recs, size_t n)
{
	struct render r;
	size_t i;

	env_render(env, &r);
	if (r.ops == &render_plain)
		r.ops = &render_table;
	render_begin(&r);
	render_section(&r, &pin_schema, NULL);
	for (i = 0; i < n; i++)
		render_record(&r, &recs[i]);
	report_render_end(env->report, &r);
}

/* Length of the directories that two paths share, up to and with the last slash. */
static size_t shared(const char *a, const char *b)
{
	size_t i, n = 0;

	for (i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			n = i + 1;
	return n;
}

static void print_leaf(struct out *o, const struct pin_rec *r, const char *base, unsigned depth)
{
	out_fmt(o, "%*s%s", depth * 2, "", depth ? "" : "/");
	out_text(o, base);
	out_fmt(o, "  %s %u", r->kind, r->id);
	if (r->type && *r->type)
		out_fmt(o, " %s", r->type);
	if (r->name && *r->name) {
		out_char(o, ' ');
		out_text(o, r->name);
	}
	out_char(o, '\n');
}

/* Sorted paths: a directory is printed where it first differs from the path before. */
static void print_tree(struct out *o, const struct pin_rec *recs, size_t n)
{
	const char *before = "", *p, *slash;
	unsigned depth;
	size_t i, same;

	for (i = 0; i < n; i++) {
		same = shared(before, recs[i].path);
		depth = 0;
		for (p = recs[i].path + 1; (slash = strchr(p, '/')); p = slash + 1, depth++) {
			if ((size_t)(slash + 1 - recs[i].path) <= same)
				continue;
			out_fmt(o, "%*s%s", depth * 2, "", depth ? "" : "/");
			out_textn(o, p, (size_t)(slash - p));
			out_str(o, "/\n");
		}
		print_leaf(o, &recs[i], p, depth);
		before = recs[i].path;
	}
}

static int run_list(struct env *env, const void *opts, struct err *e)
{
	const struct list_opts *o = opts;
	struct pin_rec *recs = NULL;
	struct view view;
	size_t n = 0;
	int err = view_parse(&view, &pin_schema, NULL, NULL, o->filter, NULL, env->keep, e);

	if (!err)
		err = collect(env, o, &view, &recs, &n, e);
	if (err)
		return err;
	if (o->tree && !env->opts->json)
		print_tree(env->report->out, recs, n);
	else
		print_records(env, recs, n);
	return 0;
}

static const struct arg list_args[] = {
	{ .name = "PATH", .type = ARG_PATH, .flags = ARG_POSITIONAL, .off = offsetof(struct list_opts, path),
	  .help = "only this pin, or those below this directory" },
	{ .name = "--tree", .type = ARG_FLAG, .off = offsetof(struct list_opts, tree), .help = "directories as a tree" },
	{ .name = "--filter", .alias = "-Q", .metavar = "EXPR", .type = ARG_STR, .off = offsetof(struct list_opts, filter),
	  .help = "only those that the expression is true for" },
};

const struct command command_pin_list = {
	.name = "list", .summary = "what is pinned where, and what each pin is",
	.example = "pin list", .flags = CMD_READ | CMD_OURS, ARGS(list_args), .opts_size = sizeof(struct list_opts),
	.run = run_list,
};
