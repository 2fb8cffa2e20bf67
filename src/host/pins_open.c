/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/pins.h"

#include <bpf/bpf.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "kernel/bpf.h"

/* The kernel also returns EACCES for files that are not pins. */
static int open_error(const char *path, int err)
{
	struct statfs fs;
	struct stat st;

	if (err != -EACCES || statfs(path, &fs) || stat(path, &st))
		return err;
	return (uint32_t)fs.f_type != BPF_FS_MAGIC ? -EXDEV : S_ISDIR(st.st_mode) ? -EISDIR : err;
}

static int open_as(const char *path, uint32_t flags)
{
	LIBBPF_OPTS(bpf_obj_get_opts, opts, .file_flags = flags);

	return bpf_obj_get_opts(path, &opts);
}

static int open_pin(const char *path, bool write)
{
	int fd = open_as(path, write ? 0 : BPF_F_RDONLY), other = -1;

	/* Links, and all objects on kernels before 4.15, do not take flags. */
	if (fd == -EINVAL)
		fd = open_as(path, 0);
	fd = fd < 0 ? open_error(path, fd) : fd;
	if (fd == -EACCES)
		other = open_as(path, BPF_F_WRONLY);
	return other >= 0 ? other : fd;
}

int pins_open(const char *path, bool write, enum object_kind *kind, uint32_t *id)
{
	CLEAN_FD fd = open_pin(path, write);
	int k, err;

	if (fd < 0)
		return fd;
	k = sys_object_kind(fd);
	if (k < 0 || k == OBJECT_BTF)
		return k < 0 ? k : -EMEDIUMTYPE;
	err = sys_object_id(fd, id);
	if (err)
		return err;
	*kind = (enum object_kind)k;
	return TAKE_FD(fd);
}

int pins_explain(const char *path, int err, struct err *e)
{
	switch (err) {
	case -ENOENT:
		return err_set(e, err, "%s: no such pin", path);
	case -EXDEV:
		return err_set(e, err, "%s: is not on a bpffs, so it is not a pin", path);
	case -EISDIR:
		return err_set(e, err, "%s: is a directory, not a pin", path);
	case -EMEDIUMTYPE:
		return err_set(e, err, "%s: is not a pinned program, map or link", path);
	case -EACCES:
		err_sys(e, err, "%s: cannot open the pin", path);
		return err_hint(
			e, "the modes of the file and its directories must allow it: run it as their owner or as root");
	default:
		return err_sys(e, err, "%s: cannot open the pin", path);
	}
}

int pins_read(const char *path, enum object_kind *kind, uint32_t *id)
{
	CLEAN_FD fd = pins_open(path, false, kind, id);

	return fd < 0 ? fd : 0;
}
