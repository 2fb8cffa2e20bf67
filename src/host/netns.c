/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/netns.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "host/mountinfo.h"
#include "host/proc.h"
#include "own/files.h"
#include "own/sockets.h"
#include "own/own.h"

#define OWN "/proc/self/ns/net"

/* Ways to reach a namespace, the best first: a name that a user gave it, then what lasts as long as the namespace. */
enum netns_way { WAY_OWN, WAY_NAME, WAY_MOUNT, WAY_TASK, WAY_FD, WAY_THERE, WAY_SOCKET };

struct netns_found {
	uint64_t ino;
	enum netns_way way;
	const char *path;
};

struct netns_search {
	struct arena *arena;
	struct hash known;  /* of struct found, by ino */
	struct hash mounts; /* mount namespaces that were read */
	struct netns_found **all;
	size_t n, cap;
	uint64_t last; /* most tasks are in the namespace of the task before */
	enum netns_way last_way;
	int unseen; /* the first reason why something could not be read */
};

/* What is gone meanwhile is not missing. EACCES and EPERM are common, and must not hide another error. */
static void unseen(struct netns_search *s, int err)
{
	if (!proc_is_gone(err) && (!s->unseen || s->unseen == -EACCES || s->unseen == -EPERM))
		s->unseen = err;
}

/* @dir: NULL immediately after it could not be opened. */
static const struct dirent *entry_next(struct netns_search *s, DIR *dir)
{
	const struct dirent *d = NULL;

	if (dir) {
		errno = 0;
		d = readdir(dir);
	}
	if (!d && errno)
		unseen(s, -errno);
	return d;
}

static const char *dirent_name(const struct dirent *d)
{
	return d->d_name[0] >= '0' && d->d_name[0] <= '9' ? d->d_name : NULL;
}

static struct netns_found *netns_add(struct netns_search *s, uint64_t ino)
{
	void **slot = hash_put(&s->known, ino);
	struct netns_found *f = *slot;

	if (f)
		return f;
	f = *slot = arena_alloc(s->arena, sizeof(*f));
	*f = (struct netns_found){ .ino = ino };
	ARENA_MORE(s->arena, s->all, s->n, s->cap);
	s->all[s->n++] = f;
	return f;
}

/* Is the path needed? Then the caller sets it in the result. */
static struct netns_found *better(struct netns_search *s, uint64_t ino, enum netns_way way)
{
	struct netns_found *f;

	if (!ino || (ino == s->last && s->last_way <= way))
		return NULL;
	f = netns_add(s, ino);
	if (!f->path || way < f->way) {
		f->way = way;
		s->last = ino;
		s->last_way = way;
		return f;
	}
	s->last = ino;
	s->last_way = f->way;
	return NULL;
}

/* The number in "net:[4026531840]"; 0: @text is something else. */
static uint64_t ino_of(const char *text, const char *kind)
{
	return !strncmp(text, kind, 3) && !strncmp(text + 3, ":[", 2) ? strtoull(text + 5, NULL, 10) : 0;
}

static uint64_t link_ino(struct netns_search *s, int at, const char *name, const char *kind)
{
	char text[40];
	ssize_t n = readlinkat(at, name, text, sizeof(text) - 1);

	if (n < 0)
		unseen(s, -errno);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	return ino_of(text, kind);
}

/* @dir: has a directory of the task. */
static void search_task(struct netns_search *s, int dir, const char *pid, const char *tid)
{
	struct netns_found *f;
	char sub[64];

	snprintf(sub, sizeof(sub), "%.20s/ns/net", tid);
	f = better(s, link_ino(s, dir, sub, "net"), WAY_TASK);
	if (f)
		f->path = arena_fmt(s->arena, "/proc/%s/task/%s/ns/net", pid, tid);
}

/* A directory has a link for each task, and two more: listing it costs five times as much. */
static void search_tasks(struct netns_search *s, int proc, const char *pid)
{
	CLEAN_DIR *dir = NULL;
	struct stat st;
	char sub[64];

	snprintf(sub, sizeof(sub), "%.20s/task", pid);
	if (!fstatat(proc, sub, &st, 0) && st.st_nlink == 3) {
		search_task(s, proc, pid, pid);
		return;
	}
	dir = proc_dir(proc, sub);
	for (const struct dirent *d; (d = entry_next(s, dir));)
		if (dirent_name(d))
			search_task(s, dirfd(dir), pid, d->d_name);
}

static void search_fds(struct netns_search *s, int proc, const char *pid)
{
	CLEAN_DIR *dir = NULL;
	char sub[64];

	snprintf(sub, sizeof(sub), "%.20s/fd", pid);
	dir = proc_dir(proc, sub);
	for (const struct dirent *d; (d = entry_next(s, dir));) {
		struct netns_found *f =
			dirent_name(d) ? better(s, link_ino(s, dirfd(dir), d->d_name, "net"), WAY_FD) : NULL;

		if (f)
			f->path = arena_fmt(s->arena, "/proc/%s/fd/%s", pid, d->d_name);
	}
}

/* For a namespace, the root of a mount is the text of its link. @at: the directory from which it is visible; "": ours.
 */
static void parse_mounts(struct netns_search *s, char *text, const char *at)
{
	struct mountinfo m;

	for (char *line = strtok_r(text, "\n", &text); line; line = strtok_r(NULL, "\n", &text)) {
		const uint64_t ino = mountinfo_parse(line, &m) ? ino_of(m.root, "net") : 0;
		struct netns_found *f = better(s, ino,
					       *at				 ? WAY_THERE :
					       str_starts(m.path, "/run/netns/") ? WAY_NAME :
										   WAY_MOUNT);

		if (f)
			f->path = arena_fmt(s->arena, "%s%s", at, m.path);
	}
}

/* Read each mount namespace once, through the first of the processes in it that is still there. */
static void search_mounts(struct netns_search *s, const char *pid, uint64_t ino)
{
	char name[64], root[64] = "";
	void **seen = ino ? hash_put(&s->mounts, ino) : NULL;
	STR text = { 0 };
	int err;

	if (!seen || *seen)
		return;
	snprintf(name, sizeof(name), "/proc/%.20s/mountinfo", pid);
	if (strcmp(pid, "self") != 0)
		snprintf(root, sizeof(root), "/proc/%.20s/root", pid);
	err = str_read_file(&text, name, MOUNTINFO_MAX);
	if (err && err != -EINVAL) /* a zombie has no mounts */
		unseen(s, err);
	if (err)
		return;
	*seen = s;
	if (text.p)
		parse_mounts(s, text.p, root);
}

static void search_mounts_of(struct netns_search *s, const char *pid)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%.20s/ns/mnt", pid);
	search_mounts(s, pid, link_ino(s, AT_FDCWD, name, "mnt"));
}

/* The namespaces of tasks from an iterator that is loaded: a tenth of what their links in /proc cost. */
static void search_known(struct netns_search *s, const struct str *tasks)
{
	struct netns_task e;

	for (size_t at = 0; own_record(tasks, &at, &e, sizeof(e));) {
		struct netns_found *f = better(s, e.net, WAY_TASK);

		if (f)
			f->path = arena_fmt(s->arena, "/proc/%u/task/%u/ns/net", e.pid, e.tid);
	}
}

static void search_known_mounts(struct netns_search *s, const struct str *tasks)
{
	struct netns_task e;
	char pid[16];

	for (size_t at = 0; own_record(tasks, &at, &e, sizeof(e));) {
		*num_dec(pid, e.pid) = '\0';
		if (e.pid == e.tid)
			search_mounts(s, pid, e.mnt);
	}
}

/* Sockets, for which /proc does not show the namespace, and what search_fds() would find. */
static int search_files(struct netns_search *s, struct own *own)
{
	STR raw = { 0 };
	struct netns_file e;
	int err = own_files(own, OWN_FILE_NETNS, &raw);

	for (size_t at = 0; !err && own_record(&raw, &at, &e, sizeof(e));) {
		struct netns_found *f = better(s, e.ino, e.is_socket ? WAY_SOCKET : WAY_FD);

		if (f)
			f->path = arena_fmt(s->arena, "/proc/%u/fd/%u", e.pid, e.fd);
	}
	return err;
}

static int by_ino(const void *pa, const void *pb)
{
	const struct netns_found *a = *(struct netns_found *const *)pa, *b = *(struct netns_found *const *)pb;

	return (b->way == WAY_OWN) - (a->way == WAY_OWN) ?: NUM_CMP(a->ino, b->ino);
}

int netns_collect(struct own *own, struct str *ret)
{
	ARENA a = arena_new();
	struct netns_search s = { .arena = a };
	CLEAN_DIR *proc = NULL;
	STR tasks = { 0 };
	struct stat st;
	bool known;
	int err;

	if (stat(OWN, &st))
		return -errno;
	proc = proc_dir(AT_FDCWD, "/proc");
	if (!proc)
		return -errno;
	hash_init(&s.known, a);
	hash_init(&s.mounts, a);
	*netns_add(&s, st.st_ino) = (struct netns_found){ st.st_ino, WAY_OWN, OWN };
	search_mounts_of(&s, "self");
	known = own->keep && !netns_tasks(own, &tasks);
	if (known)
		search_known(&s, &tasks);
	for (const struct dirent *d; !known && (d = entry_next(&s, proc));)
		if (dirent_name(d))
			search_tasks(&s, dirfd(proc), d->d_name);
	err = search_files(&s, own);
	if (known)
		search_known_mounts(&s, &tasks);
	rewinddir(proc);
	for (const struct dirent *d; (!known || err) && (d = entry_next(&s, proc));)
		if (dirent_name(d)) {
			if (err)
				search_fds(&s, dirfd(proc), d->d_name);
			if (!known)
				search_mounts_of(&s, d->d_name);
		}
	qsort(s.all, s.n, sizeof(struct netns_found *), by_ino);
	for (size_t i = 0; i < s.n; i++) {
		str_fmt(ret, "%llu %llu ", llu(st.st_dev), llu(s.all[i]->ino));
		str_escape(ret, s.all[i]->path);
		str_puts(ret, "\n");
	}
	s.unseen = s.unseen ? s.unseen : proc_outside();
	if (s.unseen)
		str_fmt(ret, "? processes %d\n", -s.unseen);
	if (err)
		str_fmt(ret, "? sockets %d\n", -err);
	return 0;
}

/* The path may lead to another file now. */
static int checked(int fd, uint64_t ino)
{
	struct stat st;
	int type;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_ino != ino)
		return -ENOENT;
	type = ioctl(fd, NS_GET_NSTYPE);
	return type < 0 ? -errno : type == CLONE_NEWNET ? 0 : -ENOENT;
}

int netns_open(const char *path, uint64_t ino)
{
	CLEAN_FD fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int err;

	if (fd < 0 && errno == ENXIO) /* a socket cannot be opened */
		fd = netns_of_socket(path);
	else if (fd < 0)
		fd = -errno;
	err = fd < 0 ? fd : checked(fd, ino);
	/* The process is gone, or its descriptor is another file now. */
	if (err == -ESRCH || err == -EBADF || err == -ENOTTY || err == -EINVAL)
		return -ENOENT;
	return err ? err : TAKE_FD(fd);
}

int netns_open_own(uint64_t *ino)
{
	CLEAN_FD fd = open(OWN, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	*ino = st.st_ino;
	return TAKE_FD(fd);
}

int netns_enter(int to)
{
	return setns(to, CLONE_NEWNET) ? -errno : 0;
}

void netns_leave(int own)
{
	static const char text[] = "bpflens: cannot return from another network namespace\n";

	if (!setns(own, CLONE_NEWNET))
		return;
	if (arena_last.file)
		unlink(arena_last.file);
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EXIT_FAILED);
	_exit(EXIT_FAILED);
}
