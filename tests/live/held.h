/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Descriptors of many programs, maps or links, and how to close them. A kernel frees a program in a worker; when
 * about a thousand are freed at once while another is loaded, Linux 6.18 was seen to block every later load for ever:
 * the workers wait for the lock of the JIT's allocator, and its holder for one of the workers. So they are closed in
 * slices, each freed before the next.
 */
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>

#define HELD_SLICE 100 /* programs freed at once */
#define HELD_WAIT 40   /* times 5 ms without a freed id: the others are pinned, attached, or held by others */

struct held {
	int *fds;
	unsigned n, max;
};

/* Keep @fd, a descriptor of this process. Without memory it is closed at the end of the process, as any other. */
static inline void held_add(struct held *h, int fd)
{
	if (h->n == h->max) {
		int *fds = realloc(h->fds, (h->max + 1024) * sizeof(*fds));

		if (!fds)
			return;
		h->fds = fds;
		h->max += 1024;
	}
	h->fds[h->n++] = fd;
}

/* Does a program with this id still exist? No program has the id 0. */
static inline int held_prog(unsigned id)
{
	int fd = id ? bpf_prog_get_fd_by_id(id) : -1;

	if (fd < 0)
		return 0;
	close(fd);
	return 1;
}

/* The id of a program; 0 for anything else, which is not waited for. */
static inline unsigned held_id(int fd)
{
	struct bpf_prog_info info = { 0 };
	char path[32], line[64];
	__u32 len = sizeof(info);
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, line, sizeof(line) - 1);
	line[n < 0 ? 0 : n] = '\0';
	if (!strstr(line, "bpf-prog") || bpf_obj_get_info_by_fd(fd, &info, &len))
		return 0;
	return info.id;
}

/* Waits until all programs are freed, or no more are freed. */
static inline void held_wait(unsigned *ids, unsigned n)
{
	for (unsigned turns = 0; n && turns < HELD_WAIT; turns++) {
		unsigned left = 0;

		for (unsigned i = 0; i < n; i++)
			if (held_prog(ids[i]))
				ids[left++] = ids[i];
		if (left < n)
			turns = 0;
		n = left;
		if (n)
			usleep(5000);
	}
}

/* Close them all, the last first, a slice at a time. An id is freed before the memory: one grace period and a moment
 * are for that. */
static inline void held_close(struct held *h)
{
	unsigned ids[HELD_SLICE];

	while (h->n) {
		unsigned n = 0;

		while (h->n && n < HELD_SLICE) {
			int fd = h->fds[--h->n];
			unsigned id = held_id(fd);

			if (id)
				ids[n++] = id;
			close(fd);
		}
		held_wait(ids, n);
		syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
		usleep(10000);
	}
	free(h->fds);
	*h = (struct held){ 0 };
}

/* Close every descriptor of this process except the first three. */
static inline void held_close_all(void)
{
	struct held held = { 0 };

	for (int fd = 3; fd < sysconf(_SC_OPEN_MAX); fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			held_add(&held, fd);
	held_close(&held);
}
