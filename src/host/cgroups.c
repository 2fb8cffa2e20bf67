/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/cgroups.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define CGROUP2_MAGIC 0x63677270
#define HANDLE_KERNFS 0xfe /* FILEID_KERNFS, 5.5 */

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

	/* All handles of a file system have the same type. */
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

	return fstatfs(fd, &fs) < 0 ? -errno : (uint32_t)fs.f_type == CGROUP2_MAGIC ? 0 : -EBADF;
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
