/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/infile.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/message.h"

#define QUIET_MS 1000

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
