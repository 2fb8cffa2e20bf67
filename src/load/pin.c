/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>
#include <sys/stat.h>

#include "cli/env.h"
#include "host/pins.h"
#include "load/steps.h"

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Is @dir below the directory of the programs, which is not made yet? */
static bool is_below(const struct load *l, const char *dir)
{
	size_t n = l->pins && l->pins->all ? strlen(l->pins->path) : 0;

	return n && str_starts(dir, l->pins->path) && dir[n] == '/' && dir[n + 1] && !strchr(dir + n + 1, '/') &&
	       !is_dir(l->pins->path);
}

int load_may_dir(const struct load *l, const char *dir, struct err *e)
{
	return is_dir(dir) || is_below(l, dir) ? 0 : pins_may_pin(dir, l->env->opts->nomount, e);
}

/* A directory that is not made yet has nothing at this path. */
int load_may_pin(const struct load *l, const char *dir, const char *path, struct err *e)
{
	return dir && !is_dir(dir) ? 0 : pins_may_pin(path, l->env->opts->nomount, e);
}

/* Of an earlier load, most likely. */
static int exists_hint(const char *dir, const char *path, struct err *e)
{
	return err_hint_word(
		e, dir ? "`unpin -r " : "`unpin ", dir ? dir : path,
		"` removes what is pinned there; a program that is attached runs on until `attach ... overwrite` "
		"or `link update` replaces it");
}

const char *load_prog_path(const struct load *l, const struct load_pins *pins, size_t i)
{
	if (!pins->path || !pins->all)
		return i ? NULL : pins->path;
	return arena_fmt(l->env->keep, "%s/%s", pins->path, bpf_program__name(l->progs[i].prog));
}

static int progs_place(struct load *l, struct err *e)
{
	const struct load_pins *pins = l->pins;
	int err = pins->all && pins->path ? load_may_dir(l, pins->path, e) : 0;

	for (size_t i = 0; i < l->nprogs && !err; i++) {
		struct load_prog *p = &l->progs[i];

		p->pin = load_prog_path(l, pins, i);
		if (p->pin && !p->taken)
			err = load_may_pin(l, pins->all ? pins->path : NULL, p->pin, e);
		if (err == -EEXIST)
			exists_hint(pins->all ? pins->path : NULL, p->pin, e);
	}
	return err;
}

char *load_map_path(const char *dir, const struct bpf_map *m, struct arena *a)
{
	char *path = arena_fmt(a, "%s/%s", dir, bpf_map__name(m));

	for (char *p = path + strlen(dir); *p; p++)
		if (*p == '.')
			*p = '_';
	return path;
}

/* Is the map pinned there already, because it was taken from there, or is the pin left to the caller? */
static bool pin_is_its_own(const struct load *l, size_t i)
{
	return l->maps[i].taken || (l->maps[i].in_dir && !strcmp(l->q.maps_dir, l->pins->maps));
}

int load_place(struct load *l, const struct load_pins *pins, struct err *e)
{
	int err;

	if (pins->attach && l->q.loader.use) {
		err_usage(e, "libbpf cannot attach programs that a loader loaded");
		return err_hint(e, "omit --use-loader, or 'autoattach'");
	}
	l->pins = pins;
	err = progs_place(l, e);
	if (!err && pins->maps)
		err = load_may_dir(l, pins->maps, e);
	for (size_t i = 0; i < l->nmaps && pins->maps && !err; i++)
		if (!pin_is_its_own(l, i))
			err = load_may_pin(l, pins->maps, load_map_path(pins->maps, l->maps[i].map, l->env->keep), e);
	return err == -EEXIST && pins->maps ? exists_hint(pins->maps, NULL, e) : err;
}

static void pin_undo(const void *path)
{
	unlink(path);
}

static void dir_undo(const void *path)
{
	rmdir(path);
}

static void mount_undo(const void *path)
{
	pins_unmount();
}

/* Steps are noted before they are done, because memory may run out afterwards. */
static void did_not(struct load *l)
{
	l->nsteps--;
}

int load_pin_fd(struct load *l, int fd, const char *path, struct err *e)
{
	int err;

	load_did(l, pin_undo, path);
	err = pins_pin(fd, path, l->env->opts->nomount, e);
	if (err)
		did_not(l);
	return err;
}

int load_dir(struct load *l, const char *dir, struct err *e)
{
	if (is_dir(dir))
		return 0;
	load_did(l, dir_undo, dir);
	if (!mkdir(dir, 0700))
		return 0;
	did_not(l);
	return err_sys(e, -errno, "cannot make directory %s", dir);
}

int load_mount(struct load *l, const char *path, struct err *e)
{
	bool made = false;
	int err;

	if (is_dir(path))
		return 0;
	load_did(l, mount_undo, path);
	err = pins_mount(path, l->env->opts->nomount, &made, e);
	if (!made)
		did_not(l);
	return err;
}

static int maps_pin(struct load *l, struct err *e)
{
	int err = load_dir(l, l->pins->maps, e);

	for (size_t i = 0; i < l->nmaps && !err; i++)
		if (l->maps[i].fd >= 0 && !pin_is_its_own(l, i))
			err = load_pin_fd(l, l->maps[i].fd, load_map_path(l->pins->maps, l->maps[i].map, l->env->keep),
					  e);
	return err;
}

/* A uprobe's file may be /proc/self/exe, which means the process that loads it. */
static int attach_hint(const char *section, struct err *e)
{
	if (section[0] == 'u')
		return err_hint(e,
				"the file does not exist, or has no such function; /proc/self/exe is bpflens itself");
	return err_hint(
		e,
		"libbpf looks for tracepoints where tracefs should be mounted: mount -t tracefs tracefs /sys/kernel/tracing");
}

/* -EOPNOTSUPP: libbpf cannot attach it, so the program itself is pinned. As bpftool, also after other errors. */
static int prog_attach(struct load *l, struct load_prog *p, struct err *e)
{
	int err;

	p->link = bpf_program__attach(p->prog);
	if (p->link)
		return 0;
	err = -errno;
	if (err == -EOPNOTSUPP) {
		report_note(l->env->report, "Program %s does not support autoattach, falling back to pinning",
			    bpf_program__name(p->prog));
		return 0;
	}
	if (l->env->opts->as_bpftool) {
		report_note(l->env->report, "Program %s cannot be attached (%s), falling back to pinning",
			    bpf_program__name(p->prog), err_text(err));
		return 0;
	}
	err_sys(e, err, "cannot attach program %s by its section %s", bpf_program__name(p->prog),
		bpf_program__section_name(p->prog));
	return err == -ENOENT ? attach_hint(bpf_program__section_name(p->prog), e) : err;
}

static int prog_attach_own(struct load *l, struct load_prog *p, struct err *e)
{
	int err;

	if (!l->pins->attach_own || l->env->opts->as_bpftool)
		return -ENOTSUP;
	load_did(l, pin_undo, p->pin);
	err = l->pins->attach_own(l->env, p, e);
	if (err)
		did_not(l);
	return err;
}

static int prog_pin(struct load *l, struct load_prog *p, struct err *e)
{
	int err = l->pins->attach ? prog_attach_own(l, p, e) : -ENOTSUP;

	if (err != -ENOTSUP || e->code)
		return err;
	err = l->pins->attach ? prog_attach(l, p, e) : 0;
	if (err)
		return err;
	err = load_pin_fd(l, p->link ? bpf_link__fd(p->link) : p->fd, p->pin, e);
	return err == -EINVAL && p->link ?
		       err_hint(e, "links of perf events and tracepoints can be pinned since Linux 5.15") :
		       err;
}

int load_pin(struct load *l, struct err *e)
{
	const char *first = l->pins->all ? l->pins->path : l->progs[0].pin;
	int err = l->nprogs && l->progs[0].taken ? 0 : load_mount(l, first, e);

	if (!err && l->pins->all && (l->nprogs || l->pins->maps))
		err = load_dir(l, l->pins->path, e);
	if (!err && l->pins->maps)
		err = maps_pin(l, e);
	for (size_t i = 0; i < l->nprogs && !err; i++)
		if (l->progs[i].pin && !l->progs[i].taken)
			err = prog_pin(l, &l->progs[i], e);
	return err;
}
