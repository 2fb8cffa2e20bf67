/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include "source/live/live.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "kernel/hooks.h"
#include "host/cgroups.h"
#include "host/mountinfo.h"

#define DEPTH_MAX 512 /* levels below a mount point; each needs a descriptor */
/* Reading a program takes as long as querying three hooks of a cgroup: this only pays off for many cgroups. */
#define LOOK_AFTER 4
#define LOOK_AT 10
#define LOOK_ID_MAX (1u << 30) /* ids restart above 2^31: afterwards a younger program may have a lower id */

static int by_depth(const void *pa, const void *pb)
{
	const struct mountinfo *a = pa, *b = pb;
	size_t x = strlen(a->root), y = strlen(b->root);

	return NUM_CMP(x, y) ?: NUM_CMP(a->path, b->path);
}

/*
 * All cgroup2 mounts, those of the whole tree first: a part of the tree that is also mounted elsewhere has then been
 * read already.
 */
static int mounts_read(struct arena *a, struct mountinfo **ret, size_t *ret_n)
{
	STR text = { 0 };
	struct mountinfo *m;
	size_t n = 0;
	char *p, *line;
	int err = str_read_file(&text, "/proc/self/mountinfo", MOUNTINFO_MAX);

	if (err)
		return err;
	p = arena_str(a, text.n ? text.p : "", text.n);
	m = arena_array(a, str_lines(p) + 1, sizeof(*m));
	while ((line = strsep(&p, "\n")))
		if (mountinfo_parse(line, &m[n]) && !strcmp(m[n].type, "cgroup2"))
			n++;
	qsort(m, n, sizeof(*m), by_depth);
	*ret = m;
	*ret_n = n;
	return 0;
}

/* The number of the mount's root; 0: hidden, because another file system is mounted over it; or -errno. */
static int mount_open(const struct mountinfo *m, int *ret_fd, uint64_t *ret)
{
	CLEAN_FD fd = open(m->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = fd < 0 ? -errno : cgroup_check(fd);

	*ret = 0;
	if (err == -EBADF || err == -ENOENT || err == -ENOTDIR)
		return 0;
	if (err)
		return err;
	*ret = cgroup_number(fd, "");
	if (*ret) {
		*ret_fd = fd;
		fd = -1;
	}
	return 0;
}

struct cgroup_walk {
	struct str *text;
	struct str path; /* below the mount; or absolute */
	struct hash seen;
	int err; /* the first error; the walk ends there */
};

/* A cgroup that has gone since its name was read is not missing. */
static void walk_failed(struct cgroup_walk *w, int code)
{
	if (!w->err && code != ENOENT && code != ENODEV)
		w->err = -code;
}

static bool seen(struct cgroup_walk *w, uint64_t id)
{
	void **slot = hash_put(&w->seen, id);
	bool ret = *slot;

	*slot = w;
	return ret;
}

static void cgroup_walk_below(struct cgroup_walk *w, int fd, int depth);

/* A directory without subdirectories has two links, and need not be read. */
static void walk_entry(struct cgroup_walk *w, int fd, const char *name, int depth)
{
	uint64_t id = cgroup_number(fd, name);
	size_t n = w->path.n;
	struct stat st;
	int sub;

	if (!id || fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return walk_failed(w, errno);
	if (seen(w, id))
		return;
	str_fmt(&w->path, "/%s", name);
	str_fmt(w->text, "%llu %s\n", llu(id), w->path.p);
	if (st.st_nlink != 2 && depth == DEPTH_MAX) {
		str_fmt(w->text, "? %d %s\n", ELOOP, w->path.p);
	} else if (st.st_nlink != 2) {
		sub = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub < 0)
			walk_failed(w, errno);
		else
			cgroup_walk_below(w, sub, depth + 1);
	}
	w->path.n = n;
	w->path.p[n] = '\0';
}

/* Closes fd. */
static void cgroup_walk_below(struct cgroup_walk *w, int fd, int depth)
{
	DIR *dir = fdopendir(fd);
	const struct dirent *d;

	if (!dir) {
		walk_failed(w, errno);
		close(fd);
		return;
	}
	while (!w->err && (errno = 0, d = readdir(dir)))
		if (d->d_type == DT_DIR && strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			walk_entry(w, fd, d->d_name, depth);
	if (!w->err && errno)
		walk_failed(w, errno);
	closedir(dir);
}

/* @absolute: paths begin with that of the mount. A mount that may not be opened is ignored if another one was read.
 */
static int walk_mounts(struct str *ret, bool absolute)
{
	ARENA a = arena_new();
	struct cgroup_walk w = { .text = ret };
	struct mountinfo *m;
	size_t n, done = 0;
	int err = mounts_read(a, &m, &n), denied = 0;

	hash_init(&w.seen, a);
	for (size_t i = 0; !err && i < n; i++) {
		uint64_t id;
		int fd = -1;

		err = mount_open(&m[i], &fd, &id);
		if (err == -EACCES) {
			denied = err;
			err = 0;
		}
		if (!id)
			continue;
		if (seen(&w, id)) {
			close(fd);
			continue;
		}
		str_reset(&w.path);
		if (absolute && strcmp(m[i].path, "/") != 0)
			str_puts(&w.path, m[i].path);
		str_fmt(ret, "%llu %s\n", llu(id), w.path.n ? w.path.p : "/");
		cgroup_walk_below(&w, fd, 0);
		err = w.err;
		done++;
	}
	str_release(&w.path);
	return err || done ? err : denied;
}

int live_cgroups(struct live *l)
{
	return walk_mounts(&l->text, false);
}

int live_cgroup_mounts(struct live *l)
{
	ARENA a = arena_new();
	struct mountinfo *m;
	size_t n;
	int err = mounts_read(a, &m, &n);

	for (size_t i = 0; !err && i < n; i++) {
		CLEAN_FD fd = -1;
		uint64_t id;

		err = mount_open(&m[i], &fd, &id);
		if (err == -EACCES)
			err = 0;
		if (!id)
			continue;
		str_fmt(&l->text, "%llu ", llu(id));
		for (const char *p = m[i].path; *p; p++)
			if (*p == '\n' || *p == '\\')
				str_fmt(&l->text, "\\%03o", (unsigned)*p);
			else
				str_add(&l->text, p, 1);
		str_puts(&l->text, "\n");
	}
	return err;
}

int live_cgroup_at(struct live *l)
{
	CLEAN_FD fd = open(l->asked->text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = fd < 0 ? -errno : cgroup_check(fd);
	uint64_t id = err ? 0 : cgroup_number(fd, "");

	if (err || !id)
		return err ? err : -ENOENT;
	str_fmt(&l->text, "%llu\n", llu(id));
	return 0;
}

static int any_mount(void)
{
	ARENA a = arena_new();
	struct mountinfo *m;
	size_t n;
	int err = mounts_read(a, &m, &n), fd = -ENOENT;
	uint64_t id = 0;

	for (size_t i = 0; !err && i < n && !id; i++) {
		err = mount_open(&m[i], &fd, &id);
		if (err == -EACCES && i + 1 < n)
			err = 0;
	}
	return err ? err : fd;
}

/* If opening by number is not permitted, and in user namespaces, where no number is found. */
static int open_by_path(struct live_cgroup *c, uint64_t id)
{
	const char *path = c->paths ? hash_get(c->paths, id) : NULL;
	STR text = { 0 };
	char *p, *line;
	int err;

	if (!c->paths) {
		err = walk_mounts(&text, true);
		if (err)
			return err;
		c->arena = arena_new();
		c->paths = arena_alloc(c->arena, sizeof(*c->paths));
		hash_init(c->paths, c->arena);
		for (p = arena_str(c->arena, text.n ? text.p : "", text.n); (line = strsep(&p, "\n")) && *line;)
			*hash_put(c->paths, strtoull(strsep(&line, " "), NULL, 10)) = line;
		path = hash_get(c->paths, id);
	}
	return path ? cgroup_open_at(path, id) : -ENOENT;
}

static int open_cgroup(struct live_cgroup *c, uint64_t id)
{
	int fd;

	if (c->mount < 0)
		c->mount = any_mount();
	if (c->mount < 0)
		return c->mount;
	fd = cgroup_open(c->mount, id);
	return fd == -EPERM || fd == -ENOENT ? open_by_path(c, id) : fd;
}

static void type_add(struct live_cgroup *c, uint32_t type)
{
	const struct hook *h = NULL;

	while ((h = hook_next(h, HOOK_BIT(HOOK_CGROUP))))
		if (hook_takes(h, type))
			c->possible |= 1ull << h->type;
}

static void look_at(struct live_cgroup *c, const struct held *held, uint32_t prog)
{
	uint32_t type = 0, len = sizeof(type);
	CLEAN_FD fd = held_open(held, OBJECT_PROG, prog, false);
	int err = fd < 0 ? fd : sys_object_info(fd, &type, &len);

	if (!err)
		type_add(c, type);
	else if (err != -ENOENT)
		c->possible = UINT64_MAX;
}

void live_cgroup_listed(struct live_cgroup *c, uint32_t n, uint32_t last)
{
	c->list = (struct live_cgroup_list){ .left = n, .last = last };
}

void live_cgroup_saw(struct live_cgroup *c, uint32_t prog, uint32_t type)
{
	struct live_cgroup_list *list = &c->list;

	if (!list->left || prog <= list->saw || prog > list->last || type >= 64)
		return;
	list->saw = prog;
	list->types |= 1ull << type;
	if (--list->left || list->last <= c->last)
		return;
	for (type = 1; type < 64; type++)
		if (list->types >> type & 1)
			type_add(c, type);
	c->last = list->last;
}

/*
 * The hooks where a program may be. An attached program is loaded and has an id: when all programs have been read, and
 * none is younger than the last one, a hook without a program of the right type is empty. Each question reads a few
 * programs, so that this never takes longer than the queries that it saves.
 */
static uint64_t hooks_possible(struct live_cgroup *c, const struct held *held)
{
	uint32_t next;
	int err = 0;

	if (c->asked < LOOK_AFTER) {
		c->asked++;
		return UINT64_MAX;
	}
	for (int i = 0; i < LOOK_AT && c->last < LOOK_ID_MAX; i++) {
		err = sys_object_next_id(OBJECT_PROG, c->last, &next);
		if (err || next <= c->last)
			break;
		look_at(c, held, next);
		c->last = next;
	}
	return err == -ENOENT && c->last < LOOK_ID_MAX ? c->possible : UINT64_MAX;
}

int live_cgroup(struct live *l)
{
	struct live_cgroup *c = &l->cgroup;
	bool effective = l->asked->q == Q_CGROUP_EFFECTIVE;
	CLEAN_FD fd = open_cgroup(c, l->asked->id);
	uint64_t possible;
	const struct hook *h = NULL;
	int err;

	if (fd < 0)
		return fd;
	possible = hooks_possible(c, &l->held) & ~c->unknown;
	while ((h = hook_next(h, HOOK_BIT(HOOK_CGROUP)))) {
		if (!(possible & 1ull << h->type))
			continue;
		/* The kernel has no flags for effective programs, and refuses a request for them. */
		err = prog_query_ask(&c->room, (uint32_t)fd, (uint32_t)h->type, effective ? ABI_QUERY_EFFECTIVE : 0,
				     effective ? 0 : 1u << QUERY_PROG_FLAGS, false, &l->text);
		if (err == -EINVAL || err == -EOPNOTSUPP)
			c->unknown |= 1ull << h->type;
		else if (err)
			return err;
	}
	return 0;
}

void live_cgroup_idle(struct live_cgroup *c)
{
	clean_fd(&c->mount);
	c->mount = -1;
	prog_query_release(&c->room);
	arena_free(c->arena);
	c->arena = NULL;
	c->paths = NULL;
}
