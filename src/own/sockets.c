/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/sockets.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "base/base.h"
#include "own/own.h"

#include "own/bpf/netns_tasks.bpf.inc"
static const struct own_program tasks_program = OWN_PROGRAM(netns_tasks);

int netns_tasks(struct own *own, struct str *ret)
{
	return own_iter(own, &tasks_program, NULL, -1, NULL, ret);
}

int netns_of_socket(const char *path)
{
	CLEAN_FD process = -1;
	CLEAN_FD fd = -1;
	unsigned pid, nr;
	int ns, end = -1;

	if (sscanf(path, "/proc/%u/fd/%u%n", &pid, &nr, &end) != 2 || end < 0 || path[end])
		return -EINVAL;
	process = (int)syscall(SYS_pidfd_open, pid, 0);
	fd = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, nr, 0);
	ns = fd < 0 ? -1 : ioctl(fd, SIOCGSKNS);
	return ns < 0 ? -errno : ns;
}
