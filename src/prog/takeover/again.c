/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/takeover/again.h"

#include <sys/inotify.h>
#include <sys/wait.h>

#include "cli/env.h"
#include "host/stop.h"

struct watched {
	int fd;
	const char *dir, *name;
};

static void watched_close(struct watched *w)
{
	clean_fd(&w->fd);
}

/* The directory is watched: compilers and editors write another file and rename it. */
static int watched_open(struct watched *w, struct env *env, const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');

	w->name = slash ? slash + 1 : path;
	w->dir = slash ? arena_str(env->keep, path, slash == path ? 1 : (size_t)(slash - path)) : ".";
	w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (w->fd < 0)
		return err_sys(e, -errno, "cannot watch %s", path);
	if (inotify_add_watch(w->fd, w->dir, IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR) < 0)
		return err_sys(e, -errno, "cannot watch the directory %s", w->dir);
	return 0;
}

/* 1: the file changed; 0: others did; -ENOENT: the directory is gone. All events that came are taken. */
static int watched_read(const struct watched *w)
{
	_Alignas(struct inotify_event) char buf[4096];
	ssize_t n;
	int ret = 0;

	while ((n = read(w->fd, buf, sizeof(buf))) > 0) {
		const struct inotify_event *v;

		for (const char *p = buf; p < buf + n; p += sizeof(*v) + v->len) {
			v = (const void *)p;
			if (v->mask & IN_IGNORED)
				return -ENOENT;
			/* After an overflow, it may have changed. */
			if (v->mask & IN_Q_OVERFLOW || (v->len && !strcmp(v->name, w->name)))
				ret = 1;
		}
	}
	return ret;
}

/* 1: it changed; 0: interrupted. */
static int watched_wait(const struct watched *w, struct stop *stop, struct err *e)
{
	int changed = 0;

	while (!changed) {
		if (stop_wait(stop, w->fd, -1))
			return 0;
		changed = watched_read(w);
	}
	return changed < 0 ? err_set(e, changed, "the directory %s is gone", w->dir) : 1;
}

int again_run(struct env *env, const char *path, struct err *e)
{
	__attribute__((cleanup(watched_close))) struct watched w = { .fd = -1 };
	STOP stop = { .fd = -1 };
	int err = watched_open(&w, env, path, e);

	if (!err && stop_begin(&stop))
		err = err_sys(e, -errno, "cannot wait");
	if (!err && !env->report->out->tty)
		stop.output = env->report->out->fd;
	while (!err) {
		pid_t child;

		out_flush(env->report->out);
		child = fork();
		if (!child)
			return 1;
		if (child < 0)
			return err_sys(e, -errno, "cannot start a process");
		waitpid(child, NULL, 0);
		err = watched_wait(&w, &stop, e);
		err = err == 1 ? 0 : err ? err : 1;
	}
	env->report->streamed = true; /* each child writes a document, and this process none */
	return err < 0 ? err : 0;
}
