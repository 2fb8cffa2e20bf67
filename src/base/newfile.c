/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/newfile.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/base.h"
#include "base/message.h"

#define NAME_TRIES 100
#define QUIET_MS 1000 /* as infile.c */
#define LOOK_MS 20
#define NOREPLACE 1u   /* RENAME_NOREPLACE */
#define LEFT_MOST 1000 /* files of killed writers; then somebody has to look */

/* If memory runs out, the file is removed too. */
static void name_set(struct newfile *f, char *name)
{
	char *before = f->temp;

	f->temp = name;
	arena_last.file = f->stays ? NULL : name;
	free(before);
}

/* A file without a name vanishes with the process, however it ends. Not every file system supports that. */
static int open_unnamed(const char *path)
{
	const char *slash = strrchr(path, '/');
	CLEAN_PTR char *dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");

	if (!dir || access("/proc/self/fd", X_OK) < 0)
		return -1;
	return open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

static int open_named(struct newfile *f, struct err *e)
{
	char *name;
	int err;

	if (asprintf(&name, "%s" NEWFILE_TEMP "XXXXXX", f->path) < 0)
		return err_sys(e, -ENOMEM, "%s", f->path);
	f->fd = mkostemp(name, O_CLOEXEC);
	if (f->fd >= 0) {
		flock(f->fd, LOCK_EX | LOCK_NB);
		name_set(f, name);
		return 0;
	}
	err = -errno;
	free(name);
	err_sys(e, err, "cannot create %s", f->path);
	return err == -EACCES ? err_hint(e, "use a file in a directory that you may write to") : err;
}

/* If we were started with standard output closed, the file's descriptor may be 1: output must not go into the file. */
static int move_up(struct newfile *f)
{
	int fd = f->fd;

	if (fd > STDERR_FILENO)
		return 0;
	f->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (f->fd < 0) {
		int err = -errno;

		f->fd = fd;
		return err;
	}
	close(fd);
	return 0;
}

int newfile_stdout(struct newfile *f, struct err *e)
{
	*f = (struct newfile){ .fd = -1, .stream = true };
	if (isatty(STDOUT_FILENO))
		return err_usage(e, "standard output is a terminal, and the file is binary");
	f->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return f->fd < 0 ? err_sys(e, -errno, "cannot write to standard output") : 0;
}

/* The descriptor that a path names, such as /dev/stdout; -1: none. A rename would replace the name in /dev. */
static int descriptor_of(const char *path)
{
	static const char *const names[] = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };
	static const char *const dirs[] = { "/dev/fd/", "/proc/self/fd/" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(path, names[i]))
			return (int)i;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (!strncmp(path, dirs[i], strlen(dirs[i])))
			return atoi(path + strlen(dirs[i]));
	return -1;
}

int newfile_open(struct newfile *f, const char *path, struct err *e)
{
	const int named = descriptor_of(path);
	struct stat st;
	int err;

	*f = (struct newfile){ .fd = -1, .path = strdup(path), .stream = named >= 0 };
	if (!f->path)
		return err_sys(e, -ENOMEM, "%s", path);
	if (named >= 0) {
		f->fd = fcntl(named, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		return f->fd < 0 ? err_sys(e, -errno, "cannot write to %s", path) : 0;
	}
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return err_set(e, -EEXIST, "%s: exists and is not a regular file", path);
	f->fd = open_unnamed(path);
	err = f->fd < 0 ? open_named(f, e) : 0;
	if (err)
		return err;
	err = fchmod(f->fd, 0600) < 0 ? -errno : move_up(f);
	return err ? err_sys(e, err, "cannot create %s", path) : 0;
}

/* 0 or -errno. linkat() cannot replace a file. */
static int link_as(const struct newfile *f, const char *name)
{
	char from[40];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", f->fd);
	return linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* Give the file without a name a temporary one, because rename() can replace a file. */
static int name_temp(struct newfile *f)
{
	for (int i = 0; i < NAME_TRIES; i++) {
		uint32_t random = 0;
		char *name;
		int err;

		if (getrandom(&random, sizeof(random), 0) < 0)
			return -errno;
		if (asprintf(&name, "%s.%08x", f->path, random) < 0)
			return -ENOMEM;
		err = link_as(f, name);
		if (!err) {
			name_set(f, name);
			return 0;
		}
		free(name);
		if (err != -EEXIST)
			return err;
	}
	return -EEXIST;
}

/* 0 or -errno: -EEXIST instead of a replacement. Some file systems have only one of the two ways. */
static int rename_new(const char *from, const char *to)
{
	if (!syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	return link(from, to) || unlink(from) ? -errno : 0;
}

/* Rename to the first free NAME.N; what has that name is never replaced. */
static int set_aside(struct newfile *f, const char *name, struct err *e)
{
	int err = -EEXIST;

	for (unsigned i = 1; i <= LEFT_MOST && err == -EEXIST; i++) {
		free(f->left);
		if (asprintf(&f->left, "%s.%u", name, i) < 0) {
			f->left = NULL;
			return err_sys(e, -ENOMEM, "%s", name);
		}
		err = rename_new(name, f->left);
	}
	if (!err)
		return 0;
	err_sys(e, err, "cannot rename %s, which was left by a writer that was killed", name);
	return err_hint(e, "rename it, or use another file");
}

/*
 * Set aside the file of a writer that has ended; a running writer holds a lock. Links are not followed, devices not
 * opened.
 */
static int left_move(struct newfile *f, const char *name, struct err *e)
{
	CLEAN_FD fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st, now;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(e, -errno, "cannot rename %s", name);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(e, -EEXIST, "%s: exists and is not a regular file", name);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		err_sys(e, -EBUSY, "%s", name);
		return err_hint(e, "another process is writing it; wait, or use another file");
	}
	/* The writer may have finished, and another begun, before we got the lock. */
	if (lstat(name, &now) < 0 || now.st_ino != st.st_ino || now.st_dev != st.st_dev)
		return 0;
	return set_aside(f, name, e);
}

int newfile_show(struct newfile *f, struct err *e)
{
	char *name;
	int err = -EEXIST;

	if (f->stream)
		return 0;
	if (asprintf(&name, "%s" NEWFILE_PARTIAL, f->path) < 0)
		return err_sys(e, -ENOMEM, "%s", f->path);
	/* Not every file system has locks; without them, two writers would only spoil each other's file. */
	flock(f->fd, LOCK_EX | LOCK_NB);
	for (int i = 0; i < NAME_TRIES && err == -EEXIST; i++) {
		err = left_move(f, name, e);
		if (err) {
			free(name);
			return err;
		}
		if (!f->temp)
			err = link_as(f, name);
		else
			err = rename_new(f->temp, name);
	}
	if (err) {
		err_sys(e, err, "cannot create %s", name);
		free(name);
		return err;
	}
	name_set(f, name);
	return 0;
}

void newfile_keep(struct newfile *f)
{
	f->stays = true;
	arena_last.file = NULL;
}

int newfile_finish(struct newfile *f, struct err *e)
{
	int err;

	if (f->stream)
		return 0;
	err = f->temp ? 0 : name_temp(f);
	if (!err && rename(f->temp, f->path) < 0)
		err = -errno;
	if (err)
		return err_sys(e, err, "cannot create %s", f->path);
	name_set(f, NULL);
	return 0;
}

int newfile_publish(struct newfile *f, struct err *e)
{
	mode_t mask = umask(0);

	umask(mask);
	if (!f->stream && fchmod(f->fd, 0666 & ~mask) < 0)
		return err_sys(e, -errno, "cannot create %s", f->path);
	return newfile_finish(f, e);
}

void newfile_release(struct newfile *f)
{
	if (f->temp && !f->stays)
		unlink(f->temp);
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f->left);
	if (f->temp)
		name_set(f, NULL);
	*f = (struct newfile){ .fd = -1 };
}

static int bytes_write(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

/* As bpftool's users name them; a link to one is not followed. */
static bool is_device(const char *path, bool *is_fifo)
{
	struct stat st;

	if (lstat(path, &st))
		return false;
	*is_fifo = S_ISFIFO(st.st_mode);
	return *is_fifo || S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode);
}

/* Opened for writing, a FIFO without a reader waits for one. */
static int open_fifo(const char *path, int flags)
{
	int fd;

	for (int ms = 0; ms < QUIET_MS; ms += LOOK_MS) {
		fd = open(path, flags | O_NONBLOCK);
		if (fd >= 0 && fcntl(fd, F_SETFL, 0)) {
			close(fd);
			return -1;
		}
		if (fd >= 0 || errno != ENXIO)
			return fd;
		usleep(LOOK_MS * 1000);
	}
	message("bpflens: waiting for a reader of %s, which is a FIFO", path);
	return open(path, flags);
}

static int open_device(struct newfile *f, const char *path, bool is_fifo, struct err *e)
{
	const int flags = O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;

	*f = (struct newfile){ .fd = is_fifo ? open_fifo(path, flags) : open(path, flags), .stream = true };
	return f->fd < 0 ? err_sys(e, -errno, "cannot open %s", path) : 0;
}

int newfile_write(const char *path, const void *p, size_t n, struct err *e)
{
	struct newfile f;
	bool is_fifo;
	int err = is_device(path, &is_fifo) ? open_device(&f, path, is_fifo, e) : newfile_open(&f, path, e);

	if (!err) {
		err = bytes_write(f.fd, p, n);
		err = err ? err_sys(e, err, "cannot write %s", path) : newfile_finish(&f, e);
	}
	newfile_release(&f);
	return err;
}
