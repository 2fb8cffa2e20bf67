/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "host/bpffs.h"
#include "host/mountinfo.h"
#include "host/pins.h"
#include "host/proc.h"

#define PINS_DEPTH 64 /* levels of directories below a mount point; each needs a descriptor */

struct pins_walk {
	struct str path, *ret;
	dev_t dev;
	pins_found *found;
	void *ctx;
};

static void walk_dir(struct pins_walk *w, int fd, int depth);

static void shorten(struct str *s, size_t n)
{
	if (s->p)
		s->p[n] = '\0';
	s->n = n;
}

static void unread_put(struct str *ret, int err, const char *path)
{
	str_fmt(ret, "? %d ", -err);
	str_escape(ret, path);
	str_puts(ret, "\n");
}

/* Record a file that could not be read, but not one that is gone meanwhile or is not an object that we list. */
static void walk_failed(struct pins_walk *w, int err)
{
	if (err != -ENOENT && err != -EMEDIUMTYPE)
		unread_put(w->ret, err, w->path.p);
}

static void walk_found(struct pins_walk *w, enum object_kind kind, uint32_t id)
{
	str_fmt(w->ret, "%s %u ", object_kind_names[kind], id);
	str_escape(w->ret, w->path.p);
	str_add(w->ret, "\n", 1);
	if (w->found)
		w->found(w->ctx, kind, id, w->path.p);
}

static void walk_entry(struct pins_walk *w, int at, const char *name, int depth)
{
	size_t before = w->path.n;
	enum object_kind kind;
	struct stat st;
	uint32_t id;
	int err;

	str_fmt(&w->path, "%s%s", before && w->path.p[before - 1] == '/' ? "" : "/", name);
	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW)) {
		walk_failed(w, -errno);
	} else if (st.st_dev != w->dev) {
		/* Another file system; if it is a bpffs it is walked as a mount of its own. */
	} else if (S_ISDIR(st.st_mode) && depth == PINS_DEPTH) {
		walk_failed(w, -ELOOP);
	} else if (S_ISDIR(st.st_mode)) {
		walk_dir(w, openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), depth + 1);
	} else if (S_ISREG(st.st_mode)) {
		err = pins_read(w->path.p, &kind, &id);
		if (err)
			walk_failed(w, err);
		else
			walk_found(w, kind, id);
	}
	shorten(&w->path, before);
}

/* Closes fd. */
static void walk_dir(struct pins_walk *w, int fd, int depth)
{
	CLEAN_DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	if (!dir) {
		walk_failed(w, -errno);
		clean_fd(&fd);
		return;
	}
	while (errno = 0, (d = readdir(dir)))
		if (strcmp(d->d_name, ".") && strcmp(d->d_name, ".."))
			walk_entry(w, dirfd(dir), d->d_name, depth);
	if (errno)
		walk_failed(w, -errno);
}

struct collection {
	struct str *ret;
	pins_found *found;
	void *ctx;
	/* "\n" mount "\n" mount ...: a mount may cover another, and a file system may be mounted twice */
	struct str seen;
	bool last;  /* look */
	bool again; /* a process through which a mount was read has gone */
	bool noted; /* that processes could not be read */
};

static void walk_mount(const char *path, const struct collection *c)
{
	CLEAN_FD fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int err = fd < 0 ? -errno : bpffs_check(fd);
	struct pins_walk w = { .ret = c->ret, .found = c->found, .ctx = c->ctx };
	struct stat st;

	/* Another mount may cover this one. */
	if (err == -EXDEV || err == -ENOTDIR)
		return;
	str_puts(&w.path, path);
	if (!err && fstat(fd, &st))
		err = -errno;
	if (err) {
		walk_failed(&w, err);
	} else {
		w.dev = st.st_dev;
		walk_dir(&w, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0);
	}
	str_release(&w.path);
}

static bool collected(struct collection *c, const char *what)
{
	STR mark = { 0 };

	str_fmt(&mark, "\n%s\n", what);
	if (c->seen.p && strstr(c->seen.p, mark.p))
		return true;
	str_add(&c->seen, mark.p, mark.n);
	return false;
}

/* Is this file system, or this part of it, already collected? A mount in our own namespace is always walked. */
static bool known_here(struct collection *c, const char *path, const char *root, bool here)
{
	STR whole = { 0 }, part = { 0 };
	struct stat st;
	bool known;

	if (stat(path, &st))
		return false;
	str_fmt(&whole, "\n%llu:/\n", llu(st.st_dev));
	str_fmt(&part, "%llu:%s", llu(st.st_dev), root);
	known = (c->seen.p && strstr(c->seen.p, whole.p)) || collected(c, part.p);
	return known && !here;
}

/* The pins of another mount namespace, if its process was there until the end: others may be in the namespace, too. */
static void walk_through(struct collection *c, const char *pid, const char *path, size_t seen)
{
	const size_t before = c->ret->n;
	char root[32];

	walk_mount(path, c);
	snprintf(root, sizeof(root), "/proc/%.16s/root", pid);
	if (!access(root, F_OK) || !proc_is_gone(-errno))
		return;
	if (c->last) {
		unread_put(c->ret, -ESRCH, path);
		return;
	}
	shorten(c->ret, before);
	shorten(&c->seen, seen);
	c->again = true;
}

/* Parse a line of host/bpffs.h. */
static void mount_collect(struct collection *c, char *line)
{
	const char *pid = (strsep(&line, " "), strsep(&line, " "));
	const size_t seen = c->seen.n;
	struct mountinfo m;
	STR path = { 0 };
	bool here;

	if (!pid || !line || !mountinfo_parse(line, &m) || strcmp(m.type, "bpf"))
		return;
	here = !strcmp(pid, "0");
	if (here)
		str_puts(&path, m.path);
	else
		str_fmt(&path, "/proc/%s/root%s", pid, m.path);
	if (collected(c, path.p) || known_here(c, path.p, m.root, here))
		return;
	if (here)
		walk_mount(path.p, c);
	else
		walk_through(c, pid, path.p, seen);
}

static int mounts_collect(struct collection *c)
{
	STR text = { 0 };
	int err = bpffs_collect(&text);
	char *rest = text.p, *line;

	c->again = false;
	while (!err && (line = strsep(&rest, "\n"))) {
		if (!str_starts(line, "? ")) {
			mount_collect(c, line);
		} else if (!c->noted) {
			str_fmt(c->ret, "%s\n", line);
			c->noted = true;
		}
	}
	return err;
}

#define LOOKS 3 /* at most so many */

int pins_collect(struct str *ret, pins_found *found, void *ctx)
{
	struct collection c = { .ret = ret, .found = found, .ctx = ctx, .again = true };
	int err = 0;

	for (unsigned i = 1; !err && c.again; i++) {
		c.last = i == LOOKS;
		err = mounts_collect(&c);
	}
	str_release(&c.seen);
	return err;
}
