/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* An unnamed file with these bytes. Returns its descriptor. */
static inline int bytes_file(const uint8_t *p, size_t n)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || (n && write(fd, p, n) != (ssize_t)n) || lseek(fd, 0, SEEK_SET))
		abort();
	return fd;
}

struct bytes_path {
	char text[32];
};
static inline struct bytes_path bytes_path(int fd)
{
	struct bytes_path ret;

	snprintf(ret.text, sizeof(ret.text), "/proc/self/fd/%d", fd);
	return ret;
}
