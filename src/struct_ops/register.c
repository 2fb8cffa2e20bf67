/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/out.h"
#include "cli/change.h"
#include "cli/command.h"
#include "cli/env.h"
#include "struct_ops/register.h"
#include "struct_ops/object.h"
#include "struct_ops/ops.h"
#include "kernel/bpf.h"
#include "kernel/elem.h"
#include "kernel/link.h"
#include "host/pins.h"
#include "host/stop.h"

#define ATTACH_STRUCT_OPS ((enum bpf_attach_type)44)	/* 6.4 */

/* One map on its way; what was done is taken back unless all is. */
struct entry {
	struct bpf_map *map;
	bool by_link;
	const char *pin;		/* path for its link; NULL: none */
	int link, before;		/* before: the map that a link had; -1: none */
	bool registered, pinned;
};
struct job {
	struct env *env;
	const struct ops_register *q;
	struct entry *entries;
	struct change_rec *changes;
	size_t n;
	bool made_dir, done;
};

static const uint32_t key;

static void entry_undo(struct entry *t)
{
	if (t->pinned)
		unlink(t->pin);
	if (t->before >= 0 && t->registered)
		bpf_link_swap(t->link, t->before, -1);
	else if (t->registered && !t->by_link)
		elem_delete(bpf_map__fd(t->map), &key);
}

/* A link that is not pinned goes with its descriptor. */
static void job_close(struct job *j)
{
	for (size_t i = j->n; i-- > 0; ) {
		if (!j->done)
			entry_undo(&j->entries[i]);
		clean_fd(&j->entries[i].link);
		clean_fd(&j->entries[i].before);
	}
	if (j->made_dir && !j->done)
		rmdir(j->q->dir);
}

/* A link that ends with this command registers nothing for anybody. */
static int check(void *ctx, const struct ops_object *o, struct err *e)
{
	struct job *j = ctx;
	const struct ops_register *q = j->q;

	for (size_t i = 0; i < o->n; i++) {
		if (!o->maps[i].by_link || q->dir || q->hold)
			continue;
		err_set(e, -EINVAL, "%s of %s is registered by a link, which would end with this command", bpf_map__name(o->maps[i].map),
			q->path);
		return err_hint(e, "name a directory in a bpffs to pin the link in, or say --hold to keep it until you end the command");
	}
	return 0;
}

static int map_describe(struct job *j, const struct entry *t, struct change_rec *c, struct err *e)
{
	struct abi_map_info info = { 0 };
	uint32_t len = sizeof(info);
	struct ops_types types;
	struct err why = { 0 };
	int err = bpf_object_info(bpf_map__fd(t->map), &info, &len);

	if (err)
		return err_sys(e, err, "%s: cannot read the map's info", bpf_map__name(t->map));
	c->map_id = info.id;
	c->name = arena_str(j->env->keep, info.name, sizeof(info.name));
	if (!ops_types(j->env, &info, &types, &why))
		c->struct_ops = arena_str(j->env->keep, types.name, strlen(types.name));
	return 0;
}

static uint32_t link_field(int fd, bool map)
{
	struct abi_link_info info = { 0 };
	uint32_t len = sizeof(info);

	if (bpf_object_info(fd, &info, &len) || info.type != ABI_LINK_STRUCT_OPS)
		return 0;
	return map ? info.struct_ops.map_id : info.id;
}

/* The link that is pinned where ours is to be; its map, so that it can be given back. */
static int old_link(struct entry *t, struct change_rec *c, struct err *e)
{
	int fd = pins_open(t->pin);

	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return pins_explain(t->pin, fd, e);
	t->link = fd;
	c->link_id = link_field(fd, false);
	c->replaced = link_field(fd, true);
	if (!c->link_id)
		return err_set(e, -EEXIST, "%s is no link of a struct_ops", t->pin);
	t->before = c->replaced ? bpf_object_open_rw(OBJECT_MAP, c->replaced) : -ENOLINK;
	return t->before < 0 ? err_sys(e, t->before, "%s: cannot open the map that it registers", t->pin) : 0;
}

static int entry_prepare(struct job *j, struct entry *t, struct change_rec *c, struct err *e)
{
	struct stat st;
	int err;

	c->sentence = SENTENCE_STRUCT_OPS;
	c->dry_run = j->q->dry_run;
	err = map_describe(j, t, c, e);
	if (err || !t->by_link || !j->q->dir)
		return err;
	t->pin = arena_fmt(j->env->keep, "%s/%s", j->q->dir, c->name);
	if (j->q->replace)
		err = old_link(t, c, e);
	else if (!lstat(t->pin, &st))
		err = err_set(e, -EEXIST, "%s is there already", t->pin);
	return err == -EEXIST && !j->q->replace ? err_hint(e, "with --replace, the link there gets the new map") : err;
}

/* The link of what libbpf attached, which from 1.2 on has made it; -1: none is wanted. */
static int link_take(struct bpf_link *made, const struct entry *t)
{
	int fd = bpf_link__fd(made);

	if (!t->by_link)
		return -1;
	if (bpf_object_kind(fd) == OBJECT_LINK)
		return fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return bpf_link_create(bpf_map__fd(t->map), 0, ATTACH_STRUCT_OPS, NULL);
}

/* Neither detached nor, if it is the map's, closed. */
static void made_forget(struct bpf_link *made)
{
	bpf_link__disconnect(made);
	bpf_link__destroy(made);
}

static int attach_new(struct entry *t)
{
	struct bpf_link *made = bpf_map__attach_struct_ops(t->map);
	int err = made ? 0 : -errno;

	if (err)
		return err;
	t->registered = true;	/* its value is written: that alone is to be taken back */
	t->link = link_take(made, t);
	made_forget(made);
	return t->by_link && t->link < 0 ? t->link : 0;
}

/* libbpf writes the value, which is all that is wanted of it; a link beside the old one may fail. */
static int attach_instead(struct entry *t)
{
	struct bpf_link *made = bpf_map__attach_struct_ops(t->map);
	int err;

	if (made && bpf_object_kind(bpf_link__fd(made)) == OBJECT_LINK)
		bpf_link__destroy(made);
	else if (made)
		made_forget(made);
	err = bpf_link_swap(t->link, bpf_map__fd(t->map), -1);
	t->registered = !err;
	return err;
}

static int entry_register(struct entry *t, const struct change_rec *c, struct err *e)
{
	int err = t->before >= 0 ? attach_instead(t) : attach_new(t);

	if (!err)
		return 0;
	err_sys(e, err, "can't register struct_ops %s", c->name);
	return err == -EEXIST ? err_hint(e, "the kernel has one of that name; `bpflens struct_ops list` shows those of maps") : err;
}

static int dir_make(struct job *j, struct err *e)
{
	if (!j->q->dir || !mkdir(j->q->dir, 0700))
		j->made_dir = j->q->dir != NULL;
	else if (errno != EEXIST)
		return err_sys(e, -errno, "cannot make directory %s", j->q->dir);
	return 0;
}

static int entry_pin(struct job *j, struct entry *t, struct change_rec *c, struct err *e)
{
	const char **pins;
	int err;

	if (t->link < 0)
		return 0;
	c->link_id = link_field(t->link, false);
	if (!t->pin || t->before >= 0)
		return 0;
	err = pins_pin(t->link, t->pin, j->q->nomount, e);
	if (err)
		return err_in(e, "can't pin link %u for %s", c->link_id, c->name);
	t->pinned = true;
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

static int do_all(struct job *j, struct err *e)
{
	size_t i;
	int err = 0;

	for (i = 0; i < j->n && !err; i++)
		err = entry_prepare(j, &j->entries[i], &j->changes[i], e);
	for (i = 0; i < j->n; i++)
		j->changes[i].action = j->q->dry_run ? "Would register" : j->changes[i].replaced ? "Replaced" : "Registered";
	if (err || j->q->dry_run)
		return err;
	err = dir_make(j, e);
	for (i = 0; i < j->n && !err; i++)
		err = entry_register(&j->entries[i], &j->changes[i], e);
	for (i = 0; i < j->n && !err; i++)
		err = entry_pin(j, &j->entries[i], &j->changes[i], e);
	return err;
}

static void job_begin(struct job *j, const struct ops_object *o)
{
	j->n = o->n;
	j->entries = arena_array(j->env->keep, o->n, sizeof(*j->entries));
	j->changes = arena_array(j->env->keep, o->n, sizeof(*j->changes));
	for (size_t i = 0; i < o->n; i++)
		j->entries[i] = (struct entry){ .map = o->maps[i].map, .by_link = o->maps[i].by_link, .link = -1, .before = -1 };
}

int ops_register(struct env *env, const struct ops_register *q, struct err *e)
{
	OPS_OBJECT o = { 0 };
	__attribute__((cleanup(job_close))) struct job j = { .env = env, .q = q };
	int err = ops_object_load(&o, q->path, env->keep, check, &j, e);

	if (err)
		return err;
	job_begin(&j, &o);
	err = do_all(&j, e);
	if (err)
		return err;
	j.done = true;
	change_print_all(env, j.changes, j.n);
	return q->hold && !q->dry_run ? wait_end(env, e) : 0;
}
