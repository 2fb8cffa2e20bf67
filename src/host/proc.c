/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/proc.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>

DIR *proc_dir(int at, const char *name)
{
	CLEAN_FD fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (d)
		fd = -1;
	return d;
}

int proc_small(int at, const char *name, char *buf, size_t size)
{
	CLEAN_FD fd = openat(at, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return 0;
}

int proc_pidfd(pid_t pid)
{
	long fd = syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : (int)fd;
}

int proc_comm(int at, const char *name, char *comm)
{
	char text[32];

	int err = proc_small(at, name, text, sizeof(text));

	if (err)
		return err;
	text[strcspn(text, "\n")] = '\0';
	memcpy(comm, text, strnlen(text, 16));
	return 0;
}

uint64_t proc_busy_ns(void)
{
	unsigned long long user, nice, sys, idle, iowait, irq, softirq, steal;
	const long hz = sysconf(_SC_CLK_TCK);
	char text[256];

	/* The time of guests is in user and nice. */
	if (hz <= 0 || proc_small(AT_FDCWD, "/proc/stat", text, sizeof(text)) ||
	    sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &sys, &idle, &iowait, &irq,
		   &softirq, &steal) != 8)
		return 0;
	return (user + nice + sys + irq + softirq + steal) * (uint64_t)(NSEC_PER_SEC / hz);
}

uint64_t proc_files(void)
{
	char text[64] = "";

	return proc_small(AT_FDCWD, "/proc/sys/fs/file-nr", text, sizeof(text)) ? UINT64_MAX : strtoull(text, NULL, 10);
}

uint64_t proc_walk_us(uint64_t files, unsigned process_us, unsigned file_us)
{
	struct sysinfo info;

	if (files > UINT32_MAX || sysinfo(&info))
		return UINT64_MAX;
	return info.procs * (uint64_t)process_us + files * file_us;
}

#define INITIAL_PIDS 0xeffffffcu /* inode of the initial process namespace: PROC_PID_INIT_INO */

int proc_is_initial(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? -errno : st.st_ino == INITIAL_PIDS;
}

int proc_outside(void)
{
	const int initial = proc_is_initial();

	if (initial < 0)
		return initial == -ENOENT ? 0 : initial;
	return initial ? 0 : -EACCES;
}
