/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <dirent.h>

#include "base/base.h"

/* Reading /proc: directories, and small files below an open one. */
static inline void proc_dir_close(DIR **d)
{
	if (*d)
		closedir(*d);
}
#define CLEAN_DIR __attribute__((cleanup(proc_dir_close))) DIR

DIR *proc_dir(int at, const char *name); /* NULL with errno set */
/* Read a file in one read(2), terminated; truncated to @size - 1 bytes. 0 or -errno. */
int proc_small(int at, const char *name, char *buf, size_t size);
/* Read a process's `comm` file into comm[16] (zeroed by the caller, not terminated if full). 0 or -errno. */
int proc_comm(int at, const char *name, char *comm);
/* A descriptor that becomes readable when the process ends (Linux 5.3), or -errno. */
int proc_pidfd(pid_t pid);
/* CPU time of the machine that was not idle, of all CPUs, in nanoseconds since boot, to one tick; 0: unknown. */
uint64_t proc_busy_ns(void);
/* Number of open files of the machine; UINT64_MAX: unknown. */
uint64_t proc_files(void);
/* Approximate microseconds to read all processes and @files files, given the time for each; UINT64_MAX: unknown. */
uint64_t proc_walk_us(uint64_t files, unsigned process_us, unsigned file_us);
/* Is our process namespace the initial one? 1, 0, or -errno; -ENOENT: the kernel has none. */
int proc_is_initial(void);
/*
 * 0: /proc has all processes of the machine; -EACCES: those outside of our process namespace are not there, as if
 * they might not be read. Another -errno: it is not known.
 */
int proc_outside(void);
/* Does the errno only mean that the process or its descriptor is gone? */
static inline bool proc_is_gone(int err)
{
	return err == -ENOENT || err == -ESRCH;
}
