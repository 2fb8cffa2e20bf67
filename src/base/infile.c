/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/infile.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/message.h"

#define QUIET_MS 1000
#define HEAD 64

/* Opened without a writer, it would be at its end. 0 or -errno. */
static int wait_for_writer(int fd, const char *path)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int ms = QUIET_MS, n;

	while ((n = poll(&p, 1, ms)) <= 0) {
		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			message("bpflens: waiting for data in %s, which is a FIFO", path);
		ms = n ? ms : -1;
	}
	return 0;
}

int infile_open(const char *path)
{
	CLEAN_FD fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	int err = fd < 0 || fstat(fd, &st) ? -errno : 0;

	if (!err && S_ISFIFO(st.st_mode))
		err = wait_for_writer(fd, path);
	/* Only reads of these are different. */
	if (!err && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && fcntl(fd, F_SETFL, 0))
		err = -errno;
	return err ? err : TAKE_FD(fd);
}

/* 1: the file goes on as its kind begins; 0: it ends, or another one begins; or -errno. */
static int start_read(struct str *ret, int fd, infile_begins *begins)
{
	char head[HEAD];
	size_t n = 0;
	ssize_t got;

	do {
		got = read(fd, head + n, sizeof(head) - n);
		n += got > 0 ? (size_t)got : 0;
	} while ((got > 0 && n < sizeof(head)) || (got < 0 && errno == EINTR));
	if (got < 0)
		return -errno;
	str_add(ret, head, n);
	return got && begins(head, n);
}

int infile_read(struct str *ret, const char *path, size_t max, infile_begins *begins)
{
	CLEAN_FD fd = infile_open(path);
	const size_t start = ret->n;
	struct stat st;
	int err = fd < 0 ? fd : fstat(fd, &st) ? -errno : 1;

	if (err > 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		err = start_read(ret, fd, begins);
	else if (err > 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size > max)
		err = -EFBIG;
	return err > 0 ? str_read_fd(ret, fd, max - (ret->n - start)) : err;
}

bool infile_is(const char *path, infile_begins *begins)
{
	struct stat st;
	char head[HEAD];
	CLEAN_FD fd = !stat(path, &st) && S_ISREG(st.st_mode) ? infile_open(path) : -1;
	const ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));

	return n > 0 && begins(head, (size_t)n);
}
