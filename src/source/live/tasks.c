/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects other than BPF objects that tasks hold, and their names. */
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "source/live/live.h"
#include "host/proc.h"
#include "host/socket_filters.h"
#include "host/task_fds.h"
#include "host/tracefs.h"

int live_task_fds(struct live *l)
{
	return task_fds_collect(&l->own, &l->text);
}

int live_socket_filters(struct live *l)
{
	return socket_filters_collect(&l->own, &l->text);
}

int live_tracepoints(struct live *l)
{
	return tracefs_events(&l->text);
}

int live_tracepoint_format(struct live *l)
{
	const char *where = l->asked->text, *colon = strchr(where, ':');
	char category[128];

	if (!colon || (size_t)(colon - where) >= sizeof(category))
		return -ENOENT;
	snprintf(category, sizeof(category), "%.*s", (int)(colon - where), where);
	return tracefs_event_format(category, colon + 1, &l->text);
}

int live_pmus(struct live *l)
{
	CLEAN_DIR *all = proc_dir(AT_FDCWD, "/sys/bus/event_source/devices");
	const struct dirent *d;

	if (!all)
		return -errno;
	while (errno = 0, (d = readdir(all))) {
		char path[300], text[16];
		int err;

		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/type", d->d_name);
		err = proc_small(dirfd(all), path, text, sizeof(text));
		if (err == -ENOENT)
			continue;
		if (err)
			return err;
		text[strcspn(text, "\n")] = '\0';
		str_fmt(&l->text, "%s %s\n", text, d->d_name);
	}
	return -errno;
}

/* Opens a file as the process sees it, even if it has another root. */
static int open_below(uint64_t pid, const char *path)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, .resolve = RESOLVE_IN_ROOT };
	char root[32];
	long fd;
	CLEAN_FD dir = -1;

	snprintf(root, sizeof(root), "/proc/%llu/root", llu(pid));
	dir = open(pid ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	return fd < 0 ? -errno : (int)fd;
}

static int funcs_of(struct live *l, uint64_t pid, const char *path)
{
	CLEAN_FD fd = open_below(pid, path);
	struct live_file *f = &l->file;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	if (f->funcs && f->dev == st.st_dev && f->ino == st.st_ino)
		return 0;
	elf_funcs_free(&f->funcs);
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	return elf_funcs_read(&f->funcs, fd);
}

int live_func(struct live *l)
{
	const struct asked *q = l->asked;
	const struct elf_func *func;
	int err;

	if (q->id > UINT32_MAX || q->text[0] != '/')
		return -ENODATA;
	/* A file without symbols has no function there: that is the answer. */
	err = funcs_of(l, q->id, q->text);
	if (err && err != -ENODATA)
		return err;
	func = err ? NULL : elf_funcs_at(l->file.funcs, q->index);
	if (func)
		str_puts(&l->text, func->name);
	if (func && q->index != func->offset)
		str_fmt(&l->text, "+0x%llx", llu(q->index - func->offset));
	return 0;
}

int live_task_cgroup(struct live *l)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%llu/cgroup", llu(l->asked->id));
	return str_read_file(&l->text, path, 1u << 20);
}
