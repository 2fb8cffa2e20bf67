/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_PROC_H
#define HOST_PROC_H

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Walking /proc: directories and small files below an open one. */
static inline void proc_dir_close(DIR **d)
{
	if (*d)
		closedir(*d);
}
#define CLEAN_DIR __attribute__((cleanup(proc_dir_close))) DIR

DIR *proc_dir(int at, const char *name); /* NULL and errno */
/* A file in one read, terminated; what does not fit is cut. 0 or -errno. */
int proc_small(int at, const char *name, char *buf, size_t size);
/* What the file `comm` of a process says, into comm[16] (zeroed before, not terminated if full). 0 or -errno. */
int proc_comm(int at, const char *name, char *comm);
/* A descriptor that can be read when the process has ended (Linux 5.3), or -errno. */
int proc_pidfd(pid_t pid);
/* Open files of the whole machine; UINT64_MAX: unknown. */
uint64_t proc_files(void);
/* Microseconds, roughly, to look at all processes and so many files, at so much for each; UINT64_MAX: unknown. */
uint64_t proc_walk_us(uint64_t files, unsigned process_us, unsigned file_us);
/* Does the errno only say that the process, or its descriptor, has gone meanwhile? */
static inline bool proc_gone(int err)
{
	return err == -ENOENT || err == -ESRCH;
}

#endif
