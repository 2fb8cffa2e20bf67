/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/cgroups.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define CGROUP2_MAGIC 0x63677270
#define HANDLE_KERNFS 0xfe		/* FILEID_KERNFS, 5.5 */

/* By number: headers may be older than the newest of them. */
const struct cgroup_hook cgroup_hooks[] = {
	{ 0, BPF_PROG_TYPE_CGROUP_SKB, "ingress" },
	{ 1, BPF_PROG_TYPE_CGROUP_SKB, "egress" },
	{ 2, BPF_PROG_TYPE_CGROUP_SOCK, "sock_create" },
	{ 3, BPF_PROG_TYPE_SOCK_OPS, "sock_ops" },
	{ 6, BPF_PROG_TYPE_CGROUP_DEVICE, "device" },
	{ 8, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "bind4" },
	{ 9, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "bind6" },
	{ 10, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "connect4" },
	{ 11, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "connect6" },
	{ 12, BPF_PROG_TYPE_CGROUP_SOCK, "post_bind4" },
	{ 13, BPF_PROG_TYPE_CGROUP_SOCK, "post_bind6" },
	{ 14, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "sendmsg4" },
	{ 15, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "sendmsg6" },
	{ 18, BPF_PROG_TYPE_CGROUP_SYSCTL, "sysctl" },
	{ 19, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "recvmsg4" },
	{ 20, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "recvmsg6" },
	{ 21, BPF_PROG_TYPE_CGROUP_SOCKOPT, "getsockopt" },
	{ 22, BPF_PROG_TYPE_CGROUP_SOCKOPT, "setsockopt" },
	{ 29, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "getpeername4" },
	{ 30, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "getpeername6" },
	{ 31, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "getsockname4" },
	{ 32, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "getsockname6" },
	{ 34, BPF_PROG_TYPE_CGROUP_SOCK, "sock_release" },
	{ 43, BPF_PROG_TYPE_LSM, NULL },
	{ 49, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, NULL },
	{ 50, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, NULL },
	{ 51, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, NULL },
	{ 52, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, NULL },
	{ 53, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, NULL },
};
const size_t ncgroup_hooks = sizeof(cgroup_hooks) / sizeof(cgroup_hooks[0]);

union handle {
	struct file_handle handle;
	struct {
		struct file_handle head;
		uint64_t id;
	} of;
};

static int handle_get(int fd, const char *name, union handle *h)
{
	int mount;

	memset(h, 0, sizeof(*h));
	h->handle.handle_bytes = sizeof(h->of.id);
	if (name_to_handle_at(fd, name, &h->handle, &mount, *name ? 0 : AT_EMPTY_PATH) < 0)
		return -errno;
	return h->handle.handle_bytes == sizeof(h->of.id) ? 0 : -EOVERFLOW;
}

uint64_t cgroup_number(int fd, const char *name)
{
	union handle h;
	struct stat st;
	uint64_t id;

	if (!handle_get(fd, name, &h)) {
		memcpy(&id, h.handle.f_handle, sizeof(id));
		return id;
	}
	return fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH)) < 0 ? 0 : st.st_ino;
}

int cgroup_open(int mount, uint64_t id)
{
	union handle h;
	int fd;

	/* The type of the handle is that of any other. */
	if (handle_get(mount, "", &h))
		h.handle.handle_type = HANDLE_KERNFS;
	h.handle.handle_bytes = sizeof(id);
	memcpy(h.handle.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(mount, &h.handle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ESTALE ? -ENOENT : -errno;
	return fd;
}

int cgroup_check(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) < 0 ? -errno : fs.f_type == CGROUP2_MAGIC ? 0 : -EBADF;
}

int cgroup_open_at(const char *path, uint64_t id)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = fd < 0 ? -errno : cgroup_check(fd);

	if (!err && cgroup_number(fd, "") != id)
		err = -ENOENT;
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}
