/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/file/input.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/infile.h"

#define COPY_STEP ((size_t)64 << 10)

static int temp_in(const char *dir)
{
	CLEAN_PTR char *name = NULL;
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (asprintf(&name, "%s/bpflens.XXXXXX", dir) < 0) {
		name = NULL;
		return -1;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

int input_temp(struct input *ret)
{
	const char *dirs[] = { secure_getenv("TMPDIR"), "/var/tmp", "/tmp" };
	int fd = -1;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && fd < 0; i++)
		if (dirs[i] && dirs[i][0])
			fd = temp_in(dirs[i]);
	if (fd < 0)
		fd = memfd_create("bpflens", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret = (struct input){ .fd = fd };
	return 0;
}

int input_append(struct input *in, const void *p, size_t n)
{
	const unsigned char *from = p;

	while (n) {
		ssize_t put = pwrite(in->fd, from, n, (off_t)in->size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? -errno : -EIO;
		in->size += (uint64_t)put;
		from += put;
		n -= (size_t)put;
	}
	return 0;
}

/* Copies at most @n bytes by way of @buf; returns their number, 0 at the end, or -errno. */
static ssize_t copy_some(struct input *in, int fd, void *buf, size_t n, uint64_t max)
{
	ssize_t got;
	int err;

	do
		got = read(fd, buf, n);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return got ? -errno : 0;
	err = (uint64_t)got > max - in->size ? -EFBIG : input_append(in, buf, (size_t)got);
	return err ? err : got;
}

static int copy_pipe(struct input *ret, int fd, uint64_t max, input_begins *begins)
{
	CLEAN_PTR unsigned char *buf = malloc(COPY_STEP);
	int err = buf ? input_temp(ret) : -ENOMEM;
	ssize_t got = err ? err : 1;

	while (got > 0 && ret->size < INPUT_HEAD)
		got = copy_some(ret, fd, buf, (size_t)(INPUT_HEAD - ret->size), max);
	if (got > 0)
		got = input_read(ret, 0, buf, INPUT_HEAD);
	if (got > 0 && !begins(buf))
		return 0;
	while (got > 0)
		got = copy_some(ret, fd, buf, COPY_STEP, max);
	if (got < 0)
		input_close(ret);
	return (int)got;
}

static int open_fd(struct input *ret, int fd, uint64_t max, input_begins *begins)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return copy_pipe(ret, fd, max, begins);
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return -errno;
	*ret = (struct input){ .fd = fd, .size = (uint64_t)st.st_size };
	return 0;
}

int input_open(struct input *ret, const char *path, uint64_t max, input_begins *begins, struct err *e)
{
	CLEAN_FD fd = -1;
	int err;

	if (!strcmp(path, "-")) {
		err = open_fd(ret, STDIN_FILENO, max, begins);
	} else {
		fd = infile_open(path);
		err = fd < 0 ? fd : open_fd(ret, fd, max, begins);
	}
	return err ? err_sys(e, err, "%s", path) : 0;
}

ssize_t input_read(const struct input *in, uint64_t off, void *buf, size_t n)
{
	size_t done = 0;

	if (off >= in->size)
		return 0;
	if (n > in->size - off)
		n = (size_t)(in->size - off);
	if (in->fd < 0) {
		memcpy(buf, in->mem + off, n);
		return (ssize_t)n;
	}
	while (done < n) {
		ssize_t got = pread(in->fd, (char *)buf + done, n - done, (off_t)(off + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

void input_close(struct input *in)
{
	if (in->fd >= 0)
		close(in->fd);
	*in = INPUT_NONE;
}
