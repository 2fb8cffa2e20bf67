/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroup/commands.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "cgroup/cgroup.h"
#include "cgroup/read.h"
#include "cli/command.h"
#include "cli/records.h"
#include "record/field.h"
#include "render/render.h"

/* The first members of all three. */
struct show_opts {
	const char *cgroup;
	bool effective;
};
struct list_opts {
	struct show_opts show;
	struct records_opts records;
};

/* Both are optional, so the word alone is no cgroup; a directory of that name is "./effective". */
static int words(const struct show_opts *o, const char **ret_cgroup, bool *ret_effective, struct err *e)
{
	*ret_cgroup = o->cgroup;
	*ret_effective = o->effective;
	if (!o->cgroup || strcmp(o->cgroup, "effective") != 0)
		return 0;
	if (o->effective)
		return err_usage(e, "duplicated argument: effective");
	*ret_cgroup = NULL;
	*ret_effective = true;
	return 0;
}

static int read_one(struct env *env, const struct show_opts *o, bool links, struct cgroup_tree *ret, bool *ret_effective,
		    struct err *e)
{
	struct cgroup_reader r = { .env = env, .links = links };
	const char *word;
	int err = words(o, &word, &r.effective, e);

	*ret_effective = r.effective;
	if (!err)
		err = cgroup_find(env, word, &ret->id, &ret->path, e);
	return err ? err : cgroup_read(&r, ret->id, ret->path, &ret->progs, &ret->nprogs, e);
}

static void print_cell(struct out *o, const char *text, int width)
{
	int n = (int)strlen(text);

	out_char(o, ' ');
	out_text(o, text);
	if (n < width)
		out_fmt(o, "%*s", width - n, "");
}

static void print_header(struct out *o, bool effective)
{
	out_fmt(o, "%-8s %-15s ", "ID", "AttachType");
	if (!effective)
		out_fmt(o, "%-15s ", "AttachFlags");
	out_fmt(o, "%-15s\n", "Name");
}

static void print_row(struct env *env, const struct cgroup_prog *p)
{
	struct out *o = env->report->out;

	env->report->unread += p->has_prog == AVAIL_UNKNOWN;
	out_fmt(o, "%-8u", p->id);
	print_cell(o, p->hook, 15);
	if (p->has_own)
		print_cell(o, p->attach_flags, 15);
	print_cell(o, p->name ? p->name : "?", 15);
	print_cell(o, p->attach_btf_name ? p->attach_btf_name : "", 15);
	out_char(o, '\n');
}

static void print_json(struct env *env, const struct schema *s, const void *recs, size_t n)
{
	struct render r = { .ops = env_render(env), .out = env->report->out, .jw = env->report->jw, .arena = env->keep };

	env->report->streamed = r.ops == &render_ndjson;
	render_begin(&r);
	render_section(&r, s, NULL);
	for (size_t i = 0; i < n && !out_dead(env->report->out); i++)
		render_record(&r, (const char *)recs + i * s->rec_size);
	render_end(&r);
	env->report->unread += r.unknown;
}

static int run_show(struct env *env, const void *opts, struct err *e)
{
	struct cgroup_tree c = { 0 };
	bool effective;
	int err = read_one(env, opts, env->report->jw, &c, &effective, e);

	if (err)
		return err;
	if (env->report->jw) {
		print_json(env, &cgroup_schema, c.progs, c.nprogs);
		return 0;
	}
	if (c.nprogs)
		print_header(env->report->out, effective);
	for (uint32_t i = 0; i < c.nprogs; i++)
		print_row(env, &c.progs[i]);
	return 0;
}

static int collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	struct cgroup_tree c = { 0 };
	bool effective;
	int err = read_one(env, opts, true, &c, &effective, e);

	for (uint32_t i = 0; !err && i < c.nprogs; i++)
		*(struct cgroup_prog *)records_add(ret, env) = c.progs[i];
	return err;
}

static int run_list(struct env *env, const void *opts, struct err *e)
{
	const struct list_opts *o = opts;

	return records_run(env, &o->records, o, collect, e);
}

/* What is to be walked, and how its paths are to be shown: those of a root that was named begin as it was typed. */
struct tree {
	const struct cgroup_dir *dirs;
	size_t n;
	const char *root;		/* NULL: all of them */
};

static int tree_find(struct env *env, const char *word, struct tree *ret, struct err *e)
{
	const struct cgroup_dir *all;
	uint64_t id = 0;
	size_t n;
	int err = word ? cgroup_find(env, word, &id, &ret->root, e) : 0;

	if (!err)
		err = cgroup_all(env, &all, &n, e);
	if (err)
		return err;
	ret->dirs = all;
	ret->n = word ? cgroup_below(all, n, id, &ret->dirs) : n;
	return ret->n ? 0 : err_set(e, -ENOENT, "cgroup %s has gone", ret->root);
}

static const char *shown_path(struct env *env, const struct tree *t, size_t i)
{
	const char *from = t->dirs[0].path;

	if (!t->root || !strcmp(t->root, from))
		return t->dirs[i].path;
	return arena_fmt(env->keep, "%s%s", t->root, t->dirs[i].path + (strcmp(from, "/") ? strlen(from) : 0));
}

static void print_cgroup(struct env *env, const struct cgroup_tree *c)
{
	out_text(env->report->out, c->path);
	out_char(env->report->out, '\n');
	for (uint32_t i = 0; i < c->nprogs; i++) {
		if (!c->root)
			out_str(env->report->out, "    ");
		print_row(env, &c->progs[i]);
	}
}

/* A cgroup that cannot be asked does not end the walk; where none can, there is nothing to show. */
static int tree_read(struct env *env, struct cgroup_reader *r, const struct tree *t, struct records *ret, struct err *e)
{
	struct err why = { 0 };
	size_t failed = 0;

	for (size_t i = 0; i < t->n; i++) {
		size_t mark = arena_mark(env->arena);
		struct cgroup_tree c = { .path = t->dirs[i].path, .id = t->dirs[i].id };
		int err = cgroup_read(r, c.id, c.path, &c.progs, &c.nprogs, &why);

		arena_rewind(env->arena, mark);
		if ((err == -EPERM || err == -ENODATA) && failed == i) {
			*e = why;
			return err;
		}
		if (err && err != -ENOENT) {
			failed++;
			report_unread(env->report, &why);
		}
		err_clear(&why);
		env_progress(env, "asked cgroups", i);
		if (err || !c.nprogs)
			continue;
		c.path = shown_path(env, t, i);
		c.root = t->root ? !i : t->dirs[i].root;
		*(struct cgroup_tree *)records_add(ret, env) = c;
	}
	return 0;
}

static int run_tree(struct env *env, const void *opts, struct err *e)
{
	struct records recs = { .s = &cgroup_tree_schema };
	struct cgroup_reader r = { .env = env, .links = env->report->jw };
	struct tree t = { 0 };
	const char *word;
	int err = words(opts, &word, &r.effective, e);

	if (!err)
		err = tree_find(env, word, &t, e);
	if (!err)
		err = tree_read(env, &r, &t, &recs, e);
	if (err)
		return err;
	if (env->report->jw) {
		print_json(env, recs.s, recs.rec, recs.n);
		return 0;
	}
	out_str(env->report->out, "CgroupPath\n");
	print_header(env->report->out, r.effective);
	for (size_t i = 0; i < recs.n && !out_dead(env->report->out); i++)
		print_cgroup(env, (const struct cgroup_tree *)recs.rec + i);
	return 0;
}

#define CGROUP_ARG(T, m, nm, hlp) { .name = nm, .type = ARG_PATH, .flags = ARG_POSITIONAL, .off = offsetof(T, m), .help = hlp }
#define EFFECTIVE_ARG(T, m) { .name = "effective", .type = ARG_FLAG, .off = offsetof(T, m), \
	.help = "all that run there, those of the cgroups above too" }
#define CGROUP_HELP "path, name below the mount, or number of a cgroup; the root if none is given"

static const struct arg show_args[] = {
	CGROUP_ARG(struct show_opts, cgroup, "CGROUP", CGROUP_HELP),
	EFFECTIVE_ARG(struct show_opts, effective),
};

const struct command cgroup_show = {
	.name = "show", .summary = "programs attached to one cgroup", .example = "cgroup show",
	.schema = &cgroup_schema,
	.help = "Says nothing if there are none. JSON also tells the links by which they are attached.",
	.flags = CMD_READ, ARGS(show_args), .opts_size = sizeof(struct show_opts), .run = run_show,
};

static const struct arg list_args[] = {
	CGROUP_ARG(struct list_opts, show.cgroup, "CGROUP", CGROUP_HELP),
	EFFECTIVE_ARG(struct list_opts, show.effective),
	RECORDS_ARGS(struct list_opts, records),
};

const struct command cgroup_list = {
	.name = "list", .summary = "the same as a table", .example = "cgroup list",
	.schema = &cgroup_schema,
	.flags = CMD_READ, ARGS(list_args), .opts_size = sizeof(struct list_opts), .run = run_list,
};

static const struct arg tree_args[] = {
	CGROUP_ARG(struct show_opts, cgroup, "ROOT", "path, name or number of a cgroup; all of every mount if none is given"),
	EFFECTIVE_ARG(struct show_opts, effective),
};

const struct command cgroup_tree_command = {
	.name = "tree", .summary = "all cgroups that have programs, from a root on", .example = "cgroup tree",
	.schema = &cgroup_tree_schema,
	.help = "A cgroup that vanishes meanwhile is left out. One that is mounted at several places is shown once.",
	.flags = CMD_READ, ARGS(tree_args), .opts_size = sizeof(struct show_opts), .run = run_tree,
};
