/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/str.h"
#include "source/keys.h"
#include "source/source.h"
#include "source/tar.h"

#define NAME_TRIES 100

struct recorder {
	struct source source;
	struct source *inner;
	struct arena *arena;
	struct keys asked;
	struct tar_writer *tar;
	char *path;
	char *temp;		/* the file's present name; NULL: it has none yet */
	int fd;			/* the file without a name */
	struct err failed;	/* the first failure to write */
};

static void record(struct recorder *r, const char *key, int err, const struct blob *b)
{
	STR name = { 0 };
	char text[16];

	tar_name_put(&name, key);
	if (err) {
		str_puts(&name, ".errno");
		snprintf(text, sizeof(text), "%d\n", -err);
		tar_writer_add(r->tar, name.p, text, strlen(text), &r->failed);
	} else {
		tar_writer_add(r->tar, name.p, b->p, b->n, &r->failed);
	}
}

static int recorder_get(struct source *s, const char *key, struct arena *a, struct blob *ret)
{
	struct recorder *r = (struct recorder *)s;
	/* Few of them would not do for replay. */
	int err = str_starts(key, "sys/ksym/") ? -ENODATA : r->inner->ops->get(r->inner, key, a, ret);
	void **slot;

	/* "Does not know" is what an archive says of a key it has not. */
	if (err == -ENODATA || r->failed.code || !r->tar || !*key || !strcmp(key, "meta"))
		return err;
	slot = keys_put(&r->asked, key);
	if (!slot) {
		err_set(&r->failed, -EBADMSG, "names made to collide");
	} else if (!*slot) {
		*slot = r;
		record(r, key, err, ret);
	}
	return err;
}

static void recorder_idle(struct source *s)
{
	source_idle(((struct recorder *)s)->inner);
}

static void recorder_free(struct recorder *r)
{
	tar_writer_close(&r->tar, NULL);
	if (r->temp)
		unlink(r->temp);
	if (r->fd >= 0)
		close(r->fd);
	arena_free(r->arena);
	free(r->path);
	free(r->temp);
	free(r);
}

static void recorder_close(struct source *s)
{
	struct recorder *r = (struct recorder *)s;

	source_close(&r->inner);
	recorder_free(r);
}

static const struct source_ops recorder_ops = {
	.name = "record", .get = recorder_get, .idle = recorder_idle, .close = recorder_close,
};

/* A file without a name vanishes with us, however we end. Not every file system has that. */
static int open_unnamed(const char *path)
{
	const char *slash = strrchr(path, '/');
	CLEAN_PTR char *dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");

	if (!dir || access("/proc/self/fd", X_OK) < 0)
		return -1;
	return open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

static int open_temp(struct recorder *r, struct err *e)
{
	CLEAN_FD fd = -1;
	struct stat st;
	bool named;
	int err;

	if (!strcmp(r->path, "-"))
		return err_usage(e, "cannot save to standard output: the file is renamed into place when it is complete");
	fd = open_unnamed(r->path);
	named = fd < 0;
	if (!stat(r->path, &st) && !S_ISREG(st.st_mode))
		return err_set(e, -EEXIST, "%s: exists and is no regular file", r->path);
	if (named) {
		if (asprintf(&r->temp, "%s.XXXXXX", r->path) < 0) {
			r->temp = NULL;
			return err_sys(e, -ENOMEM, "%s", r->path);
		}
		fd = mkostemp(r->temp, O_CLOEXEC);
		if (fd < 0) {
			err = -errno;
			free(TAKE_PTR(r->temp));
			err = err_sys(e, err, "cannot create %s", r->path);
			if (err == -EACCES)
				err_hint(e, "name a file in a directory where you may write");
			return err;
		}
	}
	if (fchmod(fd, 0600) < 0)
		return err_sys(e, -errno, "cannot create %s", r->path);
	if (!named) {
		r->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		if (r->fd < 0)
			return err_sys(e, -errno, "cannot create %s", r->path);
	}
	err = tar_writer_open(&r->tar, fd, e);
	if (err)
		err_in(e, "%s", r->path);
	else
		fd = -1;
	return err;
}

static void write_meta(struct recorder *r, const char *note)
{
	time_t now = time(NULL);
	STR text = { 0 };
	struct tm tm;
	char when[32];

	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	str_fmt(&text, "bpflens %s\ncreated %s\nendian %s\npointer %zu\n", BPFLENS_VERSION, when,
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "little" : "big", sizeof(void *));
	if (note && *note)
		str_fmt(&text, "%s%s", note, note[strlen(note) - 1] == '\n' ? "" : "\n");
	tar_writer_add(r->tar, "meta", text.p, text.n, &r->failed);
}

int source_record(struct source **ret, struct source *inner, const char *path, const char *note, struct err *e)
{
	struct recorder *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return err_sys(e, -ENOMEM, "%s", path);
	r->source.ops = &recorder_ops;
	r->fd = -1;
	r->path = strdup(path);
	r->arena = arena_new();
	keys_init(&r->asked, r->arena);
	err = r->path ? open_temp(r, e) : err_sys(e, -ENOMEM, "%s", path);
	if (err) {
		recorder_free(r);
		return err;
	}
	write_meta(r, note);
	r->inner = inner;
	*ret = &r->source;
	return 0;
}

/* Give the file without a name a temporary one: linkat() cannot replace a file, rename() can. */
static int name_temp(struct recorder *r)
{
	char from[40];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", r->fd);
	for (int i = 0; i < NAME_TRIES; i++) {
		uint32_t random = 0;

		if (getrandom(&random, sizeof(random), 0) < 0)
			return -errno;
		if (asprintf(&r->temp, "%s.%08x", r->path, random) < 0) {
			r->temp = NULL;
			return -ENOMEM;
		}
		if (!linkat(AT_FDCWD, from, AT_FDCWD, r->temp, AT_SYMLINK_FOLLOW))
			return 0;
		free(TAKE_PTR(r->temp));
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int source_record_finish(struct source *s, struct err *e)
{
	struct recorder *r = (struct recorder *)s;
	int err;

	tar_writer_close(&r->tar, &r->failed);
	if (r->failed.code)
		return err_set(e, r->failed.code, "%s: %s", r->path, r->failed.msg);
	err = r->temp ? 0 : name_temp(r);
	if (!err && rename(r->temp, r->path) < 0)
		err = -errno;
	if (err)
		return err_sys(e, err, "cannot create %s", r->path);
	free(TAKE_PTR(r->temp));
	return 0;
}
