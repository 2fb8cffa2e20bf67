/* SPDX-License-Identifier: BSD-2-Clause */

#include "cgroup/commands.h"
#include "cgroup/cgroup.h"
#include "cgroup/read.h"
#include "cli/command.h"
#include "cli/records.h"
#include "record/field.h"
#include "render/doc.h"

/* The first members of the options of all three verbs. */
struct cgroup_show_opts {
	const char *cgroup;
	bool effective;
};
struct cgroup_list_opts {
	struct cgroup_show_opts show;
	struct records_opts records;
};

/* Both words are optional, so "effective" alone is not a cgroup; a directory of that name is "./effective". */
static int words(const struct cgroup_show_opts *o, const char **ret_cgroup, bool *ret_effective, struct err *e)
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

static int cgroup_tree_read(struct env *env, const struct cgroup_show_opts *o, bool links, struct cgroup_tree *ret,
			    bool *ret_effective, struct err *e)
{
	struct cgroup_reader r = { .env = env, .links = links };
	const char *word;
	int err = words(o, &word, &r.effective, e);

	*ret_effective = r.effective;
	if (!err)
		err = cgroup_find(env, word, &ret->id, &ret->path, e);
	return err ? err : cgroup_read(&r, ret->id, ret->path, &ret->progs, &ret->nprogs, e);
}

static const struct doc_column own_columns[] = {
	{ "id", "ID", 8 },	{ "attach_type", "AttachType", 15 }, { "attach_flags", "AttachFlags", 15 },
	{ "name", "Name", 15 }, { "attach_btf_name", NULL, 15 },
};
/* Without flags: inherited programs were attached with flags of another cgroup. */
static const struct doc_column effective_columns[] = {
	{ "id", "ID", 8 },
	{ "attach_type", "AttachType", 15 },
	{ "name", "Name", 15 },
	{ "attach_btf_name", NULL, 15 },
};

static void cgroup_head_print(struct doc *d, bool effective)
{
	if (effective)
		doc_head(d, effective_columns, ARRAY_SIZE(effective_columns));
	else
		doc_head(d, own_columns, ARRAY_SIZE(own_columns));
}

static void prog_print(struct doc *d, unsigned indent, const struct schema *s, const struct cgroup_prog *p)
{
	if (p->has_own)
		doc_row(d, indent, own_columns, ARRAY_SIZE(own_columns), s, p);
	else
		doc_row(d, indent, effective_columns, ARRAY_SIZE(effective_columns), s, p);
}

static int cgroup_show_run(struct env *env, const void *opts, struct err *e)
{
	struct cgroup_tree c = { 0 };
	struct doc d;
	bool effective;
	int err;

	env_doc(env, &d);
	err = cgroup_tree_read(env, opts, doc_need(&d, &cgroup_schema) & NEED_TARGET, &c, &effective, e);
	if (err)
		return err;
	if (c.nprogs)
		cgroup_head_print(&d, effective);
	doc_stream(&d, NULL);
	for (uint32_t i = 0; i < c.nprogs && !doc_dead(&d); i++)
		prog_print(&d, 0, &cgroup_schema, &c.progs[i]);
	doc_end(&d);
	env_doc_end(env, &d);
	return 0;
}

static int cgroups_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	struct cgroup_tree c = { 0 };
	bool effective;
	int err = cgroup_tree_read(env, opts, true, &c, &effective, e);

	for (uint32_t i = 0; !err && i < c.nprogs; i++)
		*(struct cgroup_prog *)records_add(ret, env) = c.progs[i];
	if (!err && !c.nprogs && !env->report->note[0])
		str_fit(env->report->note, sizeof(env->report->note),
			"no program is attached to this cgroup; `cgroup tree` shows its descendants");
	return err;
}

/* The cgroups to walk. If a root was given, their paths are shown with the root as the user typed it. */
struct dir_tree {
	const struct cgroup_dir *dirs;
	size_t n;
	const char *root; /* NULL: all of them */
};

static int tree_find(struct env *env, const char *word, struct dir_tree *ret, struct err *e)
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
	return ret->n ? 0 : err_set(e, -ENOENT, "cgroup %s no longer exists", ret->root);
}

static const char *shown_path(struct env *env, const struct dir_tree *t, size_t i)
{
	const char *from = t->dirs[0].path;

	if (!t->root || !strcmp(t->root, from))
		return t->dirs[i].path;
	return arena_fmt(env->keep, "%s%s", t->root, t->dirs[i].path + (strcmp(from, "/") ? strlen(from) : 0));
}

static void cgroup_print(struct doc *d, const struct cgroup_tree *c)
{
	doc_object(d, NULL);
	doc_fields(d, &cgroup_tree_schema, c);
	doc_list(d, "programs");
	for (uint32_t i = 0; i < c->nprogs; i++)
		prog_print(d, c->root ? 0 : 4, &cgroup_nested_schema, &c->progs[i]);
	doc_end(d);
	doc_end(d);
}

/* A cgroup that cannot be read does not end the walk. If none can be read, the command fails. */
static int tree_read(struct env *env, struct cgroup_reader *r, const struct dir_tree *t, struct records *ret,
		     struct err *e)
{
	struct err why = { 0 };
	size_t failed = 0;

	for (size_t i = 0; i < t->n; i++) {
		ARENA_SCOPE(env->arena);
		struct cgroup_tree c = { .path = t->dirs[i].path, .id = t->dirs[i].id };
		int err = cgroup_read(r, c.id, c.path, &c.progs, &c.nprogs, &why);

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
	struct cgroup_reader r = { .env = env };
	struct dir_tree t = { 0 };
	const char *word;
	struct doc d;
	int err = words(opts, &word, &r.effective, e);

	env_doc(env, &d);
	r.links = doc_need(&d, &cgroup_nested_schema) & NEED_TARGET;
	if (!err)
		err = tree_find(env, word, &t, e);
	if (!err)
		err = tree_read(env, &r, &t, &recs, e);
	if (err)
		return err;
	doc_text(&d, "CgroupPath\n");
	cgroup_head_print(&d, r.effective);
	doc_stream(&d, NULL);
	for (size_t i = 0; i < recs.n && !doc_dead(&d); i++)
		cgroup_print(&d, (const struct cgroup_tree *)recs.rec + i);
	doc_end(&d);
	env_doc_end(env, &d);
	return 0;
}

static const struct schema *const tree_records[] = { &cgroup_tree_schema, &cgroup_nested_schema, NULL };
static const char *const tree_lists[] = { "programs", NULL };
static const struct nested tree_nested = { tree_records, tree_lists };
static const struct schema *const tree_parts[] = { &cgroup_nested_schema, NULL };

#define CGROUP_ARG(T, m, nm, hlp) ARG(nm, ARG_PATH, T, m, hlp, .flags = ARG_POSITIONAL, .offers = cgroup_offer)
#define EFFECTIVE_ARG(T, m) \
	ARG("effective", ARG_FLAG, T, m, "all programs that run there, including those of ancestors")
#define CGROUP_HELP "path, path below the mount, or number of a cgroup; the root by default"

static const struct arg show_args[] = {
	CGROUP_ARG(struct cgroup_show_opts, cgroup, "CGROUP", CGROUP_HELP),
	EFFECTIVE_ARG(struct cgroup_show_opts, effective),
};

const struct command cgroup_show = {
	.name = "show",
	.summary = "show programs attached to one cgroup",
	.example = "cgroup show",
	.schema = &cgroup_schema,
	.help = "Prints nothing if there are none. JSON has the links of the programs.",
	.flags = CMD_READ,
	ARGS(show_args, struct cgroup_show_opts),
	.run = cgroup_show_run,
};

static const struct arg list_args[] = {
	CGROUP_ARG(struct cgroup_list_opts, show.cgroup, "CGROUP", CGROUP_HELP),
	EFFECTIVE_ARG(struct cgroup_list_opts, show.effective),
	RECORDS_ARGS(struct cgroup_list_opts, records),
};

const struct command cgroup_list = {
	.name = "list",
	.summary = "list programs attached to one cgroup as a table",
	.example = "cgroup list",
	.schema = &cgroup_schema,
	.flags = CMD_READ,
	ARGS(list_args, struct cgroup_list_opts),
	COLLECT(cgroups_collect, struct cgroup_list_opts),
};

static const struct arg tree_args[] = {
	CGROUP_ARG(struct cgroup_show_opts, cgroup, "ROOT", "path, name or number of a cgroup; every mount by default"),
	EFFECTIVE_ARG(struct cgroup_show_opts, effective),
};

const struct command cgroup_tree_command = {
	.name = "tree",
	.summary = "show all cgroups with programs, below a root",
	.example = "cgroup tree",
	.schema = &cgroup_tree_schema,
	.parts = tree_parts,
	.nested = &tree_nested,
	.help = "A cgroup that vanishes meanwhile is omitted. One that is mounted several times is shown once.",
	.flags = CMD_READ,
	ARGS(tree_args, struct cgroup_show_opts),
	.run = run_tree,
};
