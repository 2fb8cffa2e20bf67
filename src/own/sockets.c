/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/sockets.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "base/base.h"
#include "own/own.h"

#include "own/bpf/netns_sockets.bpf.inc"
#include "own/bpf/netns_tasks.bpf.inc"
#include "own/bpf/socket_filters.bpf.inc"
static const struct own_program netns_program = OWN_PROGRAM(netns_sockets), tasks_program = OWN_PROGRAM(netns_tasks),
				filters_program = OWN_PROGRAM(socket_filters);

int netns_files(struct own *own, uint32_t but, struct str *ret)
{
	return own_iter(own, &netns_program, (struct own_const[]){ { "but", but }, { NULL, 0 } }, -1, NULL, ret);
}

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

int socket_filters_iterate(struct own *own, struct str *ret)
{
	return own_iter(own, &filters_program, NULL, -1, NULL, ret);
}
