/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct str;
struct own;
/*
 * The open files of all tasks, from an iterator program of ours, for three questions. One walk answers all of them:
 * what it found is kept until it is taken, once for each question, or until own_prune().
 */
enum own_file {
	/* struct own_task_fd: descriptors that may be perf events or raw tracepoints, so that not all must be read. In
	 * order of processes. */
	OWN_FILE_EVENT,
	/* struct own_socket_filter: sockets that run a filter, which the kernel shows nowhere else. In order of
	 * processes. */
	OWN_FILE_FILTER,
	/* struct netns_file: sockets, which hold the network namespace that they were opened in, and open namespace
	 * files; of all namespaces but our own. */
	OWN_FILE_NETNS,
	OWN_FILES
};
struct own_task_fd {
	uint32_t pid, fd;
};
struct own_socket_filter {
	uint32_t pid, fd;
	uint64_t ino;	       /* of the socket */
	uint32_t prog_id;      /* 0: a classic filter, which has no id */
	uint16_t ninsns;       /* of a classic filter */
	uint16_t is_reuseport; /* it selects a socket of a SO_REUSEPORT group */
};
struct netns_file {
	uint32_t pid, fd, ino, is_socket;
};
struct own_file_head { /* before each in the output of the program */
	uint32_t what, size;
};

/* Append these records. 0, or -errno with @ret unchanged: a kernel before 5.8 or without BTF, or no permission. */
int own_files(struct own *own, enum own_file what, struct str *ret);
/* Was it found, and not taken yet? */
bool own_files_waits(const struct own *own, enum own_file what);
void own_files_drop(struct own *own);
