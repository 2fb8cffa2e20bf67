/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "cli/change.h"
#include "cli/env.h"
#include "load/load.h"
#include "struct_ops/register.h"
#include "struct_ops/ops.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "kernel/elem.h"
#include "kernel/link.h"
#include "host/pins.h"
#include "host/stop.h"

#define ATTACH_STRUCT_OPS ((enum bpf_attach_type)44) /* 6.4 */

/* One map to register. */
struct register_entry {
	struct load *load;
	struct bpf_map *map;
	bool by_link;
	const char *pin;  /* path for its link; NULL: none */
	int link, before; /* before: the link's previous map; -1: none */
	bool registered;
};
struct job {
	struct env *env;
	const struct ops_register *q;
	struct load load;
	struct register_entry *entries;
	struct change_rec *changes;
	size_t n;
};

static const uint32_t key;

static void entry_undo(const void *ctx)
{
	const struct register_entry *t = ctx;

	if (t->before >= 0 && t->registered)
		sys_link_swap(t->link, t->before, -1);
	else if (t->registered && !t->by_link)
		elem_delete(bpf_map__fd(t->map), &key);
}

/* A link that is not pinned ends when its descriptor is closed. */
static void job_close(struct job *j)
{
	load_close(&j->load);
	for (size_t i = 0; i < j->n; i++) {
		clean_fd(&j->entries[i].link);
		clean_fd(&j->entries[i].before);
	}
}

/* A link that is neither pinned nor held would end with this command. */
static int no_place(const struct job *j, const struct register_entry *t, struct err *e)
{
	if (j->q->hold)
		return 0;
	err_set(e, -EINVAL, "%s of %s is registered by a link, which would end with this command",
		bpf_map__name(t->map), j->q->path);
	return err_hint(
		e, "name a directory in a bpffs to pin the link in, or hold it with --hold until you end the command");
}

static int map_describe(struct job *j, const struct register_entry *t, struct change_rec *c, struct err *e)
{
	struct abi_map_info info = { 0 };
	uint32_t len = sizeof(info);
	struct ops_types types;
	struct err why = { 0 };
	int err = sys_object_info(bpf_map__fd(t->map), &info, &len);

	if (err)
		return err_sys(e, err, "%s: cannot read the map's info", bpf_map__name(t->map));
	c->map_id = info.id;
	c->name = arena_str(j->env->keep, info.name, sizeof(info.name));
	if (!ops_types(j->env, &info, &types, &why))
		c->struct_ops = arena_str(j->env->keep, types.name, SIZE_MAX);
	return 0;
}

static uint32_t link_field(int fd, bool map)
{
	struct abi_link_info info = { 0 };
	uint32_t len = sizeof(info);

	if (sys_object_info(fd, &info, &len) || info.type != ABI_LINK_STRUCT_OPS)
		return 0;
	return map ? info.struct_ops.map_id : info.id;
}

/* Open the link that is pinned at our path, and its map, to be able to restore the map. */
static int old_link(struct env *env, struct register_entry *t, struct change_rec *c, struct err *e)
{
	enum object_kind kind;
	uint32_t id;
	int fd = pins_open(t->pin, false, &kind, &id);

	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return pins_explain(t->pin, fd, e);
	t->link = fd;
	if (kind == OBJECT_LINK) {
		c->link_id = link_field(fd, false);
		c->replaced = link_field(fd, true);
	}
	if (!c->link_id)
		return err_set(e, -EEXIST, "%s is not a link of a struct_ops map", t->pin);
	t->before = c->replaced ? source_open(env->machine->src, OBJECT_MAP, c->replaced, true) : -ENOLINK;
	return t->before < 0 ? err_sys(e, t->before, "%s: cannot open the map of this link", t->pin) : 0;
}

/* Before anything is loaded, choose the path of the link's pin, and check it. */
static int entry_place(struct job *j, struct register_entry *t, struct change_rec *c, struct err *e)
{
	const char *dir = j->q->dir;
	struct stat st;

	if (!t->by_link)
		return 0;
	if (!dir)
		return no_place(j, t, e);
	t->pin = arena_fmt(j->env->keep, "%s/%.*s", dir, BPF_OBJ_NAME_LEN - 1,
			   bpf_map__name(t->map)); /* the kernel truncates the name */
	if (lstat(t->pin, &st))
		return load_may_pin(t->load, dir, t->pin, e);
	if (j->q->replace)
		return old_link(j->env, t, c, e);
	err_set(e, -EEXIST, "%s already exists", t->pin);
	return err_hint(e, "use --replace to replace the map of the link");
}

int ops_link_create(int map)
{
	return bpf_link_create(map, 0, ATTACH_STRUCT_OPS, NULL);
}

int ops_explain(int err, const char *name, struct err *e)
{
	err_sys(e, err, "can't register struct_ops %s", name);
	return err == -EEXIST ?
		       err_hint(
			       e,
			       "the kernel already has one of that name; `bpflens struct_ops list` shows those of maps") :
		       err;
}

/* The link of what libbpf attached, which creates one since 1.2; -1: not needed. */
static int link_take(struct bpf_link *made, const struct register_entry *t)
{
	int fd = bpf_link__fd(made);

	if (!t->by_link)
		return -1;
	if (sys_object_kind(fd) == OBJECT_LINK)
		return fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return ops_link_create(bpf_map__fd(t->map));
}

/* Free libbpf's link without detaching it, and without closing a descriptor that is the map's. */
static void made_forget(struct bpf_link *made)
{
	bpf_link__disconnect(made);
	bpf_link__destroy(made);
}

static int attach_new(struct register_entry *t)
{
	struct bpf_link *made = bpf_map__attach_struct_ops(t->map);
	int err = made ? 0 : -errno;

	if (err)
		return err;
	t->registered = true; /* the value is written; entry_undo() deletes it */
	t->link = link_take(made, t);
	made_forget(made);
	return t->by_link && t->link < 0 ? t->link : 0;
}

/* libbpf is only needed to write the value. Its link may fail, because the old one still exists. */
static int attach_instead(struct register_entry *t)
{
	struct bpf_link *made = bpf_map__attach_struct_ops(t->map);
	int err;

	if (made && sys_object_kind(bpf_link__fd(made)) == OBJECT_LINK)
		bpf_link__destroy(made);
	else if (made)
		made_forget(made);
	err = sys_link_swap(t->link, bpf_map__fd(t->map), -1);
	t->registered = !err;
	return err;
}

static int entry_register(struct register_entry *t, const struct change_rec *c, struct err *e)
{
	int err;

	load_did(t->load, entry_undo, t);
	err = t->before >= 0 ? attach_instead(t) : attach_new(t);
	return err ? ops_explain(err, c->name, e) : 0;
}

static int entry_pin(struct job *j, struct register_entry *t, struct change_rec *c, struct err *e)
{
	const char **pins;
	int err;

	if (t->link < 0)
		return 0;
	c->link_id = link_field(t->link, false);
	if (!t->pin || t->before >= 0)
		return 0;
	err = load_pin_fd(t->load, t->link, t->pin, e);
	if (err)
		return err_in(e, "can't pin link %u for %s", c->link_id, c->name);
	pins = arena_array(j->env->keep, 1, sizeof(*pins));
	pins[0] = t->pin;
	c->pins = pins;
	c->npins = 1;
	return 0;
}

static int wait_end(struct env *env, struct err *e)
{
	STOP stop = { .fd = -1 };
	int err = stop_begin(&stop);

	if (err)
		return err_sys(e, err, "cannot wait");
	out_flush(env->report->out);
	stop_wait(&stop, -1, -1);
	return 0;
}

/* The directory is created even if no link needs it, because the user who gives it expects it. */
static int place_all(struct job *j, struct err *e)
{
	int err = j->q->dir ? load_may_dir(&j->load, j->q->dir, e) : 0;

	for (size_t i = 0; i < j->n && !err; i++)
		err = entry_place(j, &j->entries[i], &j->changes[i], e);
	return err;
}

static int register_all(struct job *j, struct err *e)
{
	int err = j->q->dir ? load_mount(&j->load, j->q->dir, e) : 0;

	if (!err && j->q->dir)
		err = load_dir(&j->load, j->q->dir, e);
	for (size_t i = 0; i < j->n && !err; i++)
		err = entry_register(&j->entries[i], &j->changes[i], e);
	for (size_t i = 0; i < j->n && !err; i++)
		err = entry_pin(j, &j->entries[i], &j->changes[i], e);
	return err;
}

static int describe_all(struct job *j, struct err *e)
{
	int err = 0;

	for (size_t i = 0; i < j->n && !err; i++) {
		struct change_rec *c = &j->changes[i];

		c->sentence = SENTENCE_STRUCT_OPS;
		c->dry_run = j->q->dry_run;
		c->action = c->dry_run ? "Would register" : c->replaced ? "Replaced" : "Registered";
		err = map_describe(j, &j->entries[i], c, e);
	}
	return err;
}

/* Programs are chosen by libbpf: those that the tables refer to. */
static int choose_none(void *ctx, struct bpf_object *obj, struct err *e)
{
	return 0;
}

static int job_open(struct job *j, struct err *e)
{
	const struct load_request q = { .path = j->q->path, .choose = choose_none };
	int err = load_open(&j->load, j->env, &q, e);

	if (err)
		return err;
	j->entries = arena_array(j->env->keep, j->load.nmaps, sizeof(*j->entries));
	j->changes = arena_array(j->env->keep, j->load.nmaps, sizeof(*j->changes));
	for (size_t i = 0; i < j->load.nmaps; i++) {
		struct bpf_map *m = j->load.maps[i].map;

		if (bpf_map__type(m) == BPF_MAP_TYPE_STRUCT_OPS)
			j->entries[j->n++] = (struct register_entry){ .load = &j->load,
								      .map = m,
								      .by_link = bpf_map__map_flags(m) & ABI_MAP_LINK,
								      .link = -1,
								      .before = -1 };
	}
	return j->n ? 0 : err_set(e, -ENOENT, "no struct_ops found in %s", j->q->path);
}

/* Before Linux 6.4 the kernel refuses maps with links. Report that instead of libbpf's error. */
static int job_load(struct job *j, struct err *e)
{
	const int err = load_load(&j->load, e);

	for (size_t i = 0; i < j->n && err == -EINVAL; i++) {
		if (!j->entries[i].by_link || j->entries[i].map != j->load.refused)
			continue;
		err_clear(e);
		err_sys(e, err, "cannot create map %s of %s", bpf_map__name(j->entries[i].map), j->q->path);
		return err_hint(e, "links of struct_ops require Linux 6.4");
	}
	return err;
}

int ops_register(struct env *env, const struct ops_register *q, struct err *e)
{
	__attribute__((cleanup(job_close))) struct job j = { .env = env, .q = q };
	int err = job_open(&j, e);

	if (!err)
		err = place_all(&j, e);
	if (!err)
		err = job_load(&j, e);
	if (!err)
		err = describe_all(&j, e);
	if (!err && !q->dry_run)
		err = register_all(&j, e);
	if (err)
		return err;
	load_keep(&j.load);
	change_print_all(env, j.changes, j.n);
	return q->hold && !q->dry_run ? wait_end(env, e) : 0;
}
