/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"

#define NAME_TRIES 100

/* A file without a name vanishes with us, however we end. Not every file system has that. */
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
	int err;

	if (asprintf(&f->temp, "%s.XXXXXX", f->path) < 0) {
		f->temp = NULL;
		return err_sys(e, -ENOMEM, "%s", f->path);
	}
	f->fd = mkostemp(f->temp, O_CLOEXEC);
	if (f->fd >= 0)
		return 0;
	err = -errno;
	free(TAKE_PTR(f->temp));
	err_sys(e, err, "cannot create %s", f->path);
	return err == -EACCES ? err_hint(e, "name a file in a directory where you may write") : err;
}

int newfile_open(struct newfile *f, const char *path, struct err *e)
{
	struct stat st;
	int err;

	*f = (struct newfile){ .fd = -1, .path = strdup(path) };
	if (!f->path)
		return err_sys(e, -ENOMEM, "%s", path);
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return err_set(e, -EEXIST, "%s: exists and is no regular file", path);
	f->fd = open_unnamed(path);
	err = f->fd < 0 ? open_named(f, e) : 0;
	if (!err && fchmod(f->fd, 0600) < 0)
		err = err_sys(e, -errno, "cannot create %s", path);
	return err;
}

/* Give the file without a name a temporary one: linkat() cannot replace a file, rename() can. */
static int name_temp(struct newfile *f)
{
	char from[40];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", f->fd);
	for (int i = 0; i < NAME_TRIES; i++) {
		uint32_t random = 0;

		if (getrandom(&random, sizeof(random), 0) < 0)
			return -errno;
		if (asprintf(&f->temp, "%s.%08x", f->path, random) < 0) {
			f->temp = NULL;
			return -ENOMEM;
		}
		if (!linkat(AT_FDCWD, from, AT_FDCWD, f->temp, AT_SYMLINK_FOLLOW))
			return 0;
		free(TAKE_PTR(f->temp));
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int newfile_finish(struct newfile *f, struct err *e)
{
	int err = f->temp ? 0 : name_temp(f);

	if (!err && rename(f->temp, f->path) < 0)
		err = -errno;
	if (err)
		return err_sys(e, err, "cannot create %s", f->path);
	free(TAKE_PTR(f->temp));
	return 0;
}

void newfile_release(struct newfile *f)
{
	if (f->temp)
		unlink(f->temp);
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f->temp);
	*f = (struct newfile){ .fd = -1 };
}
