/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/bpffs.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "host/mountinfo.h"
#include "host/proc.h"

int bpffs_check(int fd)
{
	struct statfs st;

	if (fstatfs(fd, &st))
		return -errno;
	return (uint32_t)st.f_type == BPF_FS_MAGIC ? 0 : -EXDEV;
}

struct bpffs_search {
	struct str *ret;
	struct hash seen; /* mount namespaces, by ino */
	int unseen;	  /* the first reason why a process could not be read */
};

static void lines_add(struct bpffs_search *s, uint64_t ino, const char *pid, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		const char *fs = strstr(line, " - ");

		if (fs && str_starts(fs, " - bpf "))
			str_fmt(s->ret, "%llu %s %s\n", llu(ino), strcmp(pid, "self") ? pid : "0", line);
	}
}

/* 0, also if its namespace was read before; or -errno. */
static int mounts_look(struct bpffs_search *s, const char *pid)
{
	char path[64];
	STR text = { 0 };
	struct stat st;
	void **seen;
	int err;

	snprintf(path, sizeof(path), "/proc/%.20s/ns/mnt", pid);
	if (stat(path, &st))
		return -errno;
	seen = hash_put(&s->seen, st.st_ino);
	if (*seen)
		return 0;
	snprintf(path, sizeof(path), "/proc/%.20s/mountinfo", pid);
	err = str_read_file(&text, path, MOUNTINFO_MAX);
	if (err)
		return err == -EINVAL ? 0 : err; /* a zombie has no mounts */
	*seen = s;
	if (text.p)
		lines_add(s, st.st_ino, pid, text.p);
	return 0;
}

int bpffs_collect(struct str *ret)
{
	ARENA a = arena_new();
	struct bpffs_search s = { .ret = ret };
	CLEAN_DIR *proc = proc_dir(-1, "/proc");
	const struct dirent *d = NULL;
	int err;

	s.unseen = proc ? 0 : -errno;
	hash_init(&s.seen, a);
	err = mounts_look(&s, "self");
	if (err)
		return err;
	while (proc && (errno = 0, d = readdir(proc))) {
		if (*d->d_name < '0' || *d->d_name > '9')
			continue;
		err = mounts_look(&s, d->d_name);
		if (err && !proc_is_gone(err) && !s.unseen)
			s.unseen = err;
	}
	if (proc && errno && !s.unseen)
		s.unseen = -errno;
	if (s.unseen)
		str_fmt(ret, "? processes %d\n", -s.unseen);
	return 0;
}
