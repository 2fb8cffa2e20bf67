/* SPDX-License-Identifier: BSD-2-Clause */
#include "pin/list.h"

#include "cli/columns.h"
#include "cli/fleet.h"
#include "cli/kind.h"
#include "cli/records.h"
#include "host/caps.h"
#include "host/pins.h"
#include "pin/pin.h"
#include "record/field.h"
#include "record/view.h"
#include "render/branches.h"
#include "source/facts.h"

static const struct field pin_fields[] = {
	FIELD(pin_rec, path, "path", "the pin", .role = ROLE_PLACE, .flags = FIELD_DEFAULT | FIELD_KEY),
	FIELD(pin_rec, kind, "kind", "kind (of the object)", .names = &names_object_kind, .role = ROLE_KIND,
	      .flags = FIELD_DEFAULT),
	FIELD(pin_rec, id, "id", "id of the object", .flags = FIELD_DEFAULT),
	FIELD(pin_rec, type, "type", "type of the object", .role = ROLE_KIND, .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD(pin_rec, name, "name", "name of the object", .role = ROLE_NAME, .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD(pin_rec, pid, "pid", "process, in the mount namespace of the pin if that is another than the caller's",
	      .unit = FU_PID, .flags = FIELD_NONZERO | FIELD_KEY),
};
const struct schema pin_schema = SCHEMA("pin", pin_rec, pin_fields);

struct pin_list_opts {
	const char *path;
	struct records_opts records;
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

/* The object of a pin, which is listed even if its object cannot be read. */
static struct pin_rec pin_describe(struct env *env, const struct pin *p)
{
	const struct kind *k = kind_of(p->kind);
	struct pin_rec r = { .kind = object_kind_names[p->kind], .id = p->id };
	const struct object_label label = k ? kind_label(env, k, p->id) : (struct object_label){ 0 };

	if (label.avail == AVAIL_YES) {
		r.type = label.type;
		r.name = label.name;
	}
	return r;
}

/* Returns the number of unread pins at @dir or below it. */
static size_t unread_report(struct env *env, const char *dir)
{
	const struct pin_unread *u;
	size_t i, reported = 0, n = facts_unread_pins(env->machine, &u);

	for (i = 0; i < n; i++) {
		struct err why = { 0 };

		if (!pin_is_below(u[i].path, dir))
			continue;
		err_sys(&why, u[i].err, "%s", u[i].path);
		report_unread(env->report, &why);
		reported++;
	}
	return reported;
}

static void pinless_note(struct env *env)
{
	struct report *r = env->report;

	if (!env->machine->src->ops->saved && !pins_are_mounted())
		snprintf(r->note, sizeof(r->note),
			 "no bpffs is mounted here: `mount -t bpf bpf /sys/fs/bpf` makes one");
	else if (facts_unseen_pins(env->machine))
		report_add_unseen(r, facts_unseen_pins(env->machine));
}

static int pin_records_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	const struct pin_list_opts *o = opts;
	const struct pin *pins;
	struct pin_rec r = { 0 };
	size_t i, n;
	int err = facts_all_pins(env->machine, &pins, &n);

	if (err) {
		err_sys(e, err, "cannot list pins");
		return env->machine->src->ops->saved ? err : proc_explain(e);
	}
	for (i = 0; i < n; i++) {
		const bool same = i && pins[i].kind == pins[i - 1].kind && pins[i].id == pins[i - 1].id;

		if (!pin_is_below(pins[i].path, o->path) || (same && !strcmp(pins[i].path, pins[i - 1].path)))
			continue;
		if (!same || !r.kind)
			r = pin_describe(env, &pins[i]);
		r.path = pins[i].path;
		r.pid = pins[i].pid;
		*(struct pin_rec *)records_add(ret, env) = r;
	}
	if (!(ret->n + unread_report(env, o->path)) && o->path)
		return err_set(e, -ENOENT, "nothing is pinned at %s or below it", o->path);
	if (ret->n)
		qsort(ret->rec, ret->n, ret->s->rec_size, by_path);
	pinless_note(env);
	return 0;
}

/* Length of the next part of @path after @from, including its slash; 0: the rest has no slash. */
static size_t path_step(const char *path, size_t from)
{
	const size_t lead = !from && *path == '/';
	const char *slash = strchr(path + from + lead, '/');

	return slash ? (size_t)(slash + 1 - path) - from : 0;
}

static void print_leaf(struct branches *b, const struct pin_rec *r, size_t from, struct arena *a)
{
	branches_cell(b, ROLE_PLACE, r->path + from);
	branches_cell(b, ROLE_ID, arena_fmt(a, "%s %u", r->kind, r->id));
	branches_word(b, ROLE_KIND, r->type);
	branches_word(b, ROLE_NAME, r->name);
	branches_line(b);
}

/* Prints @n sorted paths. Their first @from bytes are equal and were printed. Very deep, a line has all of the rest. */
static void print_below(struct branches *b, const struct pin_rec *recs, size_t n, size_t from, struct arena *a)
{
	for (size_t i = 0, next; i < n && !out_dead(b->out); i = next) {
		const char *path = recs[i].path, *last;
		size_t dir = branches_depth(b) < BRANCHES_DEPTH ? path_step(path, from) : 0, more;

		for (next = i + 1; dir && next < n && !strncmp(recs[next].path + from, path + from, dir); next++)
			;
		last = recs[next - 1].path;
		while (dir && (more = path_step(path, from + dir)) &&
		       !strncmp(last + from + dir, path + from + dir, more))
			dir += more;
		if (from)
			branches_open(b, next == n);
		if (dir) {
			branches_cell(b, ROLE_PLACE, arena_str(a, path + from, dir));
			branches_line(b);
			print_below(b, recs + i, next - i, from + dir, a);
		} else {
			print_leaf(b, &recs[i], from, a);
		}
		if (from)
			branches_close(b);
	}
}

static void print_tree(struct env *env, const struct pin_rec *recs, size_t n)
{
	struct branches b;

	branches_begin(&b, env->report->out);
	print_below(&b, recs, n, 0, env->keep);
	branches_end(&b);
}

static int tree_run(struct env *env, const struct pin_list_opts *o, struct err *e)
{
	struct records recs = { .s = &pin_schema };
	struct pin_rec *r;
	struct view view;
	size_t n = 0;
	int err = columns_view(env, &view, &pin_schema, NULL, NULL, o->records.filter, NULL, e);

	if (!err)
		err = pin_records_collect(env, o, &recs, e);
	if (err)
		return err;
	r = (struct pin_rec *)(void *)recs.rec;
	for (size_t i = 0; i < recs.n; i++)
		if (view_match(&view, &pin_schema, &r[i]))
			r[n++] = r[i];
	if (!n && o->records.exit_status)
		env->report->status = EXIT_FAILED;
	print_tree(env, r, n);
	return 0;
}

static int pin_list_run(struct env *env, const void *opts, struct err *e)
{
	const struct pin_list_opts *o = opts;

	if (o->tree && (o->records.columns || o->records.sort))
		return err_usage(e, "'--tree' cannot be combined with columns or sorting");
	if (o->tree && fleet_is_used(env))
		return err_usage(e, "'--tree' shows one machine, and --from names several");
	return o->tree && !env->opts->json && !o->records.list_columns ?
		       tree_run(env, o, e) :
		       records_run(env, &o->records, o, pin_records_collect, e);
}

static const struct arg list_args[] = {
	ARG("PATH", ARG_PATH, struct pin_list_opts, path, "only this pin, or those below this directory",
	    .flags = ARG_POSITIONAL),
	ARG("--tree", ARG_FLAG, struct pin_list_opts, tree, "show directories as a tree", .rejects = "--watch"),
	RECORDS_WATCH_ARGS(struct pin_list_opts, records),
};

const struct command command_pin_list = {
	.name = "list",
	.summary = "list pins and the objects that they hold",
	.example = "pin list",
	.schema = &pin_schema,
	.flags = CMD_READ | CMD_OURS | CMD_MANY | CMD_WATCH,
	ARGS(list_args, struct pin_list_opts),
	.run = pin_list_run,
	.records = offsetof(struct pin_list_opts, records),
};
