/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "cli/env.h"
#include "host/pins.h"
#include "load/inner.h"

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Below the directory of the programs, which is to be made. */
static bool is_below(const struct load *l, const char *dir)
{
	size_t n = strlen(l->pins->path);

	return l->pins->all && str_starts(dir, l->pins->path) && dir[n] == '/' && dir[n + 1] && !strchr(dir + n + 1, '/') &&
	       !is_dir(l->pins->path);
}

/* A directory that is there, or that can be made. */
static int dir_check(const struct load *l, const char *dir, struct err *e)
{
	return is_dir(dir) || is_below(l, dir) ? 0 : pins_may_pin(dir, l->env->opts->nomount, e);
}

/* In a directory that is to be made, nothing stands in the way. */
static int pin_check(const struct load *l, const char *dir, const char *path, struct err *e)
{
	return dir && !is_dir(dir) ? 0 : pins_may_pin(path, l->env->opts->nomount, e);
}

static int progs_place(struct load *l, struct err *e)
{
	const struct load_pins *pins = l->pins;
	int err = pins->all ? dir_check(l, pins->path, e) : 0;

	for (size_t i = 0; i < l->nprogs && !err; i++) {
		struct load_prog *p = &l->progs[i];

		if (!pins->all && i)
			break;
		p->pin = pins->all ? arena_fmt(l->env->keep, "%s/%s", pins->path, bpf_program__name(p->prog)) : pins->path;
		err = pin_check(l, pins->all ? pins->path : NULL, p->pin, e);
	}
	return err;
}

static const char *map_path(const struct load *l, const struct bpf_map *m)
{
	char *path = arena_fmt(l->env->keep, "%s/%s", l->pins->maps, bpf_map__name(m));

	for (char *p = path + strlen(l->pins->maps); *p; p++)
		if (*p == '.')
			*p = '_';
	return path;
}

int load_place(struct load *l, const struct load_pins *pins, struct err *e)
{
	struct bpf_map *m;
	size_t n = 2;			/* directories, of programs and of maps */
	int err;

	l->pins = pins;
	err = progs_place(l, e);
	if (!err && pins->maps)
		err = dir_check(l, pins->maps, e);
	bpf_object__for_each_map(m, l->obj) {
		n++;
		if (!err && pins->maps)
			err = pin_check(l, pins->maps, map_path(l, m), e);
	}
	l->made = arena_array(l->env->keep, n + l->nprogs, sizeof(*l->made));
	return err;
}

static void made(struct load *l, const char *path, bool dir)
{
	l->made[l->nmade++] = (struct load_made){ path, dir };
}

static int pin_one(struct load *l, int fd, const char *path, struct err *e)
{
	int err = pins_pin(fd, path, l->env->opts->nomount, e);

	if (!err)
		made(l, path, false);
	return err;
}

static int dir_make(struct load *l, const char *dir, struct err *e)
{
	if (is_dir(dir))
		return 0;
	if (mkdir(dir, 0700))
		return err_sys(e, -errno, "cannot make directory %s", dir);
	made(l, dir, true);
	return 0;
}

static int maps_pin(struct load *l, struct err *e)
{
	struct bpf_map *m;
	int err = dir_make(l, l->pins->maps, e);

	bpf_object__for_each_map(m, l->obj)
		if (!err && bpf_map__fd(m) >= 0)
			err = pin_one(l, bpf_map__fd(m), map_path(l, m), e);
	return err;
}

/* -EOPNOTSUPP: libbpf does not know how; the program itself is pinned. */
static int prog_attach(struct load *l, struct load_prog *p, struct err *e)
{
	int err;

	p->link = bpf_program__attach(p->prog);
	if (p->link)
		return 0;
	err = -errno;
	if (err == -EOPNOTSUPP) {
		str_fit(l->env->report->note, sizeof(l->env->report->note), "Program %s does not support autoattach, falling back to pinning",
			bpf_program__name(p->prog));
		return 0;
	}
	err_sys(e, err, "cannot attach program %s by its section %s", bpf_program__name(p->prog), bpf_program__section_name(p->prog));
	return err == -ENOENT ? err_hint(e, "libbpf looks for tracepoints where tracefs should be mounted: mount -t tracefs tracefs "
		"/sys/kernel/tracing") : err;
}

static int prog_pin(struct load *l, struct load_prog *p, struct err *e)
{
	int err = l->pins->attach ? prog_attach(l, p, e) : 0;

	if (err)
		return err;
	err = pin_one(l, p->link ? bpf_link__fd(p->link) : bpf_program__fd(p->prog), p->pin, e);
	return err == -EINVAL && p->link ? err_hint(e, "links of perf events and tracepoints can be pinned from Linux 5.15 on") : err;
}

int load_pin(struct load *l, struct err *e)
{
	const char *first = l->pins->all ? l->pins->path : l->progs[0].pin;
	int err = is_dir(first) ? 0 : pins_mount(first, l->env->opts->nomount, &l->mounted, e);

	if (!err && l->pins->all)
		err = dir_make(l, l->pins->path, e);
	if (!err && l->pins->maps)
		err = maps_pin(l, e);
	for (size_t i = 0; i < l->nprogs && !err; i++)
		if (l->progs[i].pin)
			err = prog_pin(l, &l->progs[i], e);
	return err;
}

void load_undo(struct load *l)
{
	if (l->kept || !l->obj)
		return;
	while (l->nmade) {
		const struct load_made *was = &l->made[--l->nmade];

		if (was->dir)
			rmdir(was->path);
		else
			unlink(was->path);
	}
	load_maps_unpin(l);
	if (l->mounted)
		pins_unmount();
}
